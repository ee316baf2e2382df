import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { keyCredentials, type Keys, parseKeys } from '../config/keys.ts';
import { CommissioningError } from './commissioning-error.ts';
import { ensureDirectory, replaceFile } from './durable-file.ts';
import type { Places } from '../config/places.ts';

/** Encrypts for this machine alone, and decrypts again. Undefined: this machine can't. */
export interface Sealer {
  seal(text: string): Buffer | undefined;
  unseal(sealed: Buffer): string | undefined;
}

/** systemd-creds(1), since systemd 250: by the TPM where there is one, else by a key of the machine. */
export const machineSealer: Sealer = {
  seal: (text) => callCreds('encrypt', Buffer.from(text)),
  unseal: (sealed) => callCreds('decrypt', sealed)?.toString(),
};

function callCreds(verb: 'encrypt' | 'decrypt', input: Buffer): Buffer | undefined {
  const { status, stdout } = spawnSync('systemd-creds', [verb, `--name=${keyCredentials.sealed}`, '-', '-'], { input });
  return status === 0 ? stdout : undefined;
}

type KeyPlaces = Pick<Places, 'plainKeys' | 'sealedKeys'>;

/**
 * Stores the keys where systemd finds them: sealed where the machine can read them again, else as a file of root's own.
 * Returns which. Rejects with the system's error.
 */
export async function storeKeys(
  places: KeyPlaces,
  keys: Keys,
  sealer: Sealer | undefined,
): Promise<'sealed' | 'plain'> {
  const text = `${JSON.stringify(keys)}\n`;
  const sealed = sealer?.seal(text);
  const kept = sealed !== undefined && sealer?.unseal(sealed) === text ? 'sealed' : 'plain';
  const [file, other] =
    kept === 'sealed' ? [places.sealedKeys, places.plainKeys] : [places.plainKeys, places.sealedKeys];
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  await ensureDirectory(path.dirname(file), { ...own, mode: 0o700 });
  await replaceFile(file, kept === 'sealed' && sealed ? sealed : text, { ...own, mode: 0o600 });
  rmSync(other, { force: true });
  return kept;
}

/** The stored keys, for root. Throws CommissioningError, or ConfigurationError. */
export function readStoredKeys({ plainKeys, sealedKeys }: KeyPlaces, sealer: Sealer = machineSealer): Keys {
  const plain = readIfThere(plainKeys);
  const sealed = readIfThere(sealedKeys);
  const unsealed = sealed && sealer.unseal(sealed);
  if (sealed && unsealed === undefined) {
    throw new CommissioningError(`${sealedKeys} can't be decrypted on this machine: provision the terminal again`);
  }
  return {
    ...(unsealed === undefined ? {} : parseKeys(unsealed, sealedKeys)),
    ...(plain === undefined ? {} : parseKeys(plain.toString(), plainKeys)),
  };
}

function readIfThere(file: string): Buffer | undefined {
  return existsSync(file) ? readFileSync(file) : undefined;
}
