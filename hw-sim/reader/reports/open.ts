import { open } from 'node:fs/promises';
import { openPty } from '../../pty.ts';
import { StartError } from '../../start-error.ts';
import type { Carrier, HidIdentity, ReportPort } from './port.ts';
import { StreamReports } from './stream.ts';
import { openUhid, UhidReports } from './uhid.ts';

const uhidPath = '/dev/uhid';

export interface ReportOptions {
  readonly identity: HidIdentity;
  /** Link of the stream, if one is used. */
  readonly link: string;
  /** Default: uhid if this machine has it, otherwise a stream. */
  readonly carrier?: Carrier | undefined;
  /** Instead of /dev/uhid. */
  readonly uhid?: string;
}

/**
 * Opens a virtual HID device if the kernel supports it and this process may create one, otherwise a stream. A carrier
 * that was asked for is never replaced: rejects with StartError if the machine does not offer it.
 */
export async function openReports(options: ReportOptions): Promise<ReportPort> {
  const { identity, link, uhid = uhidPath, carrier } = options;
  const fault = carrier === 'stream' ? undefined : await uhidFault(uhid);
  if (carrier === 'uhid' && fault !== undefined) {
    throw new StartError(1, `--carrier uhid: ${fault}; --carrier stream works everywhere.`);
  }
  if (carrier === 'stream' || fault !== undefined) return new StreamReports(await openPty(link), { reason: fault });
  const port = new UhidReports(identity, () => openUhid(uhid));
  await port.plug();
  return port;
}

/** The carrier of the reports if none is requested. `path` is /dev/uhid. */
export async function carrierHere(path: string = uhidPath): Promise<Carrier> {
  return (await uhidFault(path)) === undefined ? 'uhid' : 'stream';
}

/** Why this process can't create a HID device; undefined if it can. */
async function uhidFault(path: string): Promise<string | undefined> {
  try {
    await (await open(path, 'r+')).close();
    return undefined;
  } catch (error) {
    return uhidFaultText(error instanceof Error && 'code' in error ? String(error.code) : 'failed', path);
  }
}

/** `code`: of open(2). */
export function uhidFaultText(code: string, path: string): string {
  switch (code) {
    // ENODEV: the node is there, its module is not.
    case 'ENOENT':
    case 'ENODEV':
      return `this kernel has no ${path}, or its module uhid is not loaded`;
    case 'EACCES':
    case 'EPERM':
      return `this user may not open ${path}`;
    default:
      return `${path} can't be opened (${code})`;
  }
}
