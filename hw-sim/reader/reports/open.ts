import { access, constants } from 'node:fs/promises';
import { openPty } from '../../pty.ts';
import type { Carrier, HidIdentity, ReportPort } from './port.ts';
import { StreamReports } from './stream.ts';
import { openUhid, UhidReports } from './uhid.ts';

const uhidPath = '/dev/uhid';

export interface ReportOptions {
  readonly identity: HidIdentity;
  /** Link of the stream, if one is used. */
  readonly link: string;
  /** Default: uhid if this machine has it, otherwise a stream. */
  readonly carrier?: Carrier;
}

/** Opens a virtual HID device if the kernel supports it and this process may create one, otherwise a stream. */
export async function openReports({ identity, link, carrier }: ReportOptions): Promise<ReportPort> {
  const chosen = carrier ?? (await carrierHere());
  switch (chosen) {
    case 'stream':
      return new StreamReports(await openPty(link));
    case 'uhid': {
      const port = new UhidReports(identity, () => openUhid(uhidPath));
      await port.plug();
      return port;
    }
    default:
      return chosen satisfies never;
  }
}

/** `path` is /dev/uhid. */
export async function carrierHere(path: string = uhidPath): Promise<Carrier> {
  return access(path, constants.R_OK | constants.W_OK).then(
    () => 'uhid' as const,
    () => 'stream' as const,
  );
}
