import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { keyCredentials } from './keys.ts';
import { defaultConfiguration, loadConfiguration } from './load.ts';
import { serialNumberBeside } from './serial-number.ts';

export const defaultStateDir = '/var/lib/poid';

/** Where a terminal keeps what it was commissioned with. In the state directory the service may change everything: nothing of root's is there. */
export interface Places {
  /** Where the terminal's file system is mounted; '/' on the terminal itself. */
  readonly root: string;
  readonly configuration: string;
  readonly stateDir: string;
  readonly serialNumber: string;
  /** The machine's name (hostname(5)). */
  readonly hostname: string;
  /** Avahi's service file: who it is for must find it, so its directory is Avahi's own. */
  readonly announcement: string;
  /** Root's alone: what its commands keep for themselves. */
  readonly adminDir: string;
  readonly audit: string;
  /** There while a factory reset is not finished. */
  readonly resetMark: string;
  /** Where systemd looks for the keys (LoadCredential=, LoadCredentialEncrypted= of the unit). */
  readonly plainKeys: string;
  readonly sealedKeys: string;
}

/** The flags of a command that say where it looks. `root`: another file system, such as an image that is being made. */
interface PlaceFlags {
  readonly config?: string | undefined;
  readonly root?: string | undefined;
}

export function placesOf({ config, root }: PlaceFlags, stateDir: string): Places {
  // In the file system of an image the working directory means nothing.
  const below = (place: string) => (root === undefined ? path.resolve(place) : path.resolve(path.join(root, place)));
  const configuration = below(config ?? defaultConfiguration);
  const adminDir = `${below(stateDir)}-admin`;
  return {
    root: root === undefined ? '/' : path.resolve(root),
    configuration,
    stateDir: below(stateDir),
    serialNumber: serialNumberBeside(configuration),
    hostname: below('/etc/hostname'),
    announcement: below('/etc/avahi/services/poid.service'),
    adminDir,
    audit: path.join(adminDir, 'audit.jsonl'),
    resetMark: path.join(adminDir, 'factory-reset.begun'),
    plainKeys: below(path.join('/etc/credstore', keyCredentials.plain)),
    sealedKeys: below(path.join('/etc/credstore.encrypted', keyCredentials.sealed)),
  };
}

/** The places by the flags, and by the configuration that is there. Rejects with ConfigurationError. */
export async function presentPlaces(flags: PlaceFlags): Promise<Places> {
  return placesOf(flags, await stateDirOf(flags));
}

/**
 * The state directory by the flags, else by the configuration; that of the package where there is no configuration yet,
 * or no more. Rejects with ConfigurationError.
 */
export async function stateDirOf(flags: PlaceFlags & { readonly 'state-dir'?: string | undefined }): Promise<string> {
  if (flags['state-dir'] !== undefined) return flags['state-dir'];
  const { configuration: own } = placesOf(flags, defaultStateDir);
  // A factory reset that was cut off has left it under this name.
  const configuration = !existsSync(own) && existsSync(`${own}.removed`) ? `${own}.removed` : own;
  if (flags.config === undefined && !existsSync(configuration)) return defaultStateDir;
  return (await loadConfiguration([configuration], {}, { keys: 'unread' })).stateDir;
}

/** The service's user, as the file system at `root` knows it; root where it knows none. */
export function serviceOwner(root = '/'): { readonly uid: number; readonly gid: number } {
  const fields = (file: string) => {
    const found = readIfThere(path.join(root, file))
      .split('\n')
      .find((line) => line.startsWith('poid:'));
    return found?.split(':') ?? [];
  };
  const [, , uid = 0, primary] = fields('etc/passwd');
  const [, , gid = primary ?? 0] = fields('etc/group');
  return { uid: Number(uid), gid: Number(gid) };
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
