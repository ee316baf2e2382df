import type { CardReader } from '../../src/base/ports/card-reader.ts';
import type { Clock } from '../../src/base/ports/clock.ts';
import type { AbsenceListener } from '../../src/base/ports/device.ts';
import type { ReportTransport } from '../transport/reports.ts';
import type { Transport } from '../transport/transport.ts';

export type ReaderDriver = 'neo2' | 'mms';

/** A reader on a serial line or on HID: exactly one of `path` and `hid` is set. */
export interface ReaderDevice {
  /** NEO2: the serial device. MMS: a stream that carries HID reports back to back. */
  readonly path?: string | undefined;
  readonly baudRate: number;
  /** A hidraw node; vendor and product id, four hexadecimal digits each; or a stream of reports back to back. */
  readonly hid?:
    | {
        readonly path?: string | undefined;
        readonly vendorId?: string | undefined;
        readonly productId?: string | undefined;
        readonly stream?: string | undefined;
      }
    | undefined;
  /** Which of several equal readers; see Identity. */
  readonly serial?: string | undefined;
  /** NEO2: the reader completes a chip itself, before the host has answered (quick chip). */
  readonly quickChip?: boolean | undefined;
}

interface ReaderMeans {
  readonly clock: Clock;
  readonly onFault?: AbsenceListener | undefined;
}

/** The path of the reader's line; undefined of a reader that the kernel offers as a HID device. */
export function linePath({ path, hid }: ReaderDevice): string | undefined {
  return hid ? hid.stream : path;
}

/** A reader on its line, which it owns from now on. */
export async function openLineReader(
  driver: ReaderDriver,
  { hid, quickChip = false }: ReaderDevice,
  line: Transport,
  clock: Clock,
): Promise<CardReader> {
  if (driver === 'neo2' && !hid) {
    const { neo2Reader } = await import('./neo2/reader.ts');
    return neo2Reader(line, { clock, quickChip });
  }
  const { reportStream } = await import('../transport/report-stream.ts');
  return onReports(driver, reportStream(line, { clock }), quickChip, clock);
}

/** A reader that the kernel offers as a HID device. */
export async function openHidReader(
  driver: ReaderDriver,
  { hid = {}, serial, quickChip = false }: ReaderDevice,
  { clock, onFault }: ReaderMeans,
): Promise<CardReader> {
  const { path, vendorId = '', productId = '' } = hid;
  const { openHid } = await import('../transport/hid.ts');
  const numbers = { vendorId: Number.parseInt(vendorId, 16), productId: Number.parseInt(productId, 16) };
  const address = path === undefined ? numbers : { path };
  const reportId = driver === 'neo2' ? 'first' : 'none';
  return onReports(driver, openHid({ address, identity: { serial }, reportId, clock, onFault }), quickChip, clock);
}

async function onReports(driver: ReaderDriver, reports: ReportTransport, quickChip: boolean, clock: Clock) {
  if (driver === 'mms') {
    const { mmsReader } = await import('./mms/reader.ts');
    return mmsReader(reports, { clock });
  }
  const [{ neo2Reader }, { hidFrames }] = await Promise.all([
    import('./neo2/reader.ts'),
    import('./neo2/hid-frames.ts'),
  ]);
  return neo2Reader(hidFrames(reports), { clock, quickChip });
}
