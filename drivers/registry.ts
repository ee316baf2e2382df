import type { CardReader } from '../src/ports/card-reader.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { AbsenceListener } from '../src/ports/device.ts';
import type { CodeScanner } from '../src/ports/code-scanner.ts';
import type { OctopusReader } from '../src/ports/octopus-reader.ts';
import type { PrintOptions, ReceiptPrinter, Sheet } from '../src/ports/receipt-printer.ts';
import type { ReportTransport } from './transport/reports.ts';

export interface SerialDevice {
  readonly path: string;
  readonly baudRate: number;
}

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

/** `path`: a serial line, or a printer of the USB class (/dev/usb/lp0), which has no baud rate. */
export interface PrinterDevice extends SerialDevice {
  /** Pin of the drawer's connector; 2 by default. */
  readonly drawerPin?: 2 | 5 | undefined;
  /** Printing time of one line of paper. Without it the driver's own default counts. */
  readonly lineTimeMs?: number | undefined;
}

/** Layout and character set of receipts. */
export interface TypeOptions {
  /** Cells of font A in a line. */
  readonly columns: number;
  /** How to print characters that code page 437 lacks. */
  readonly charset: 'bitmap' | 'big5' | 'gb18030';
  /** Printed at the top of each sheet: path or data: URL of a PNG. Empty: no logo. */
  readonly logo: string;
  readonly onFailure: (error: unknown) => void;
}

export interface ScannerDevice extends SerialDevice {
  /** Bytes that start and stop the scanner, as hexadecimal. */
  readonly trigger?: { readonly on: string; readonly off: string } | undefined;
}

export interface OctopusAgent {
  /** Path of the agent's Unix socket. */
  readonly path: string;
}

/**
 * Every driver by its name in the configuration. A driver is loaded only when the configuration names it: a terminal
 * without a device never loads its libraries.
 */
export const cardReaders: Readonly<
  Record<'neo2' | 'mms', (device: ReaderDevice, clock: Clock, onFault?: AbsenceListener) => Promise<CardReader>>
> = {
  async neo2({ hid, path = '', baudRate, serial, quickChip = false }, clock, onFault) {
    const { neo2Reader } = await import('./card-reader/neo2/reader.ts');
    if (hid) {
      const { hidFrames } = await import('./card-reader/neo2/hid-frames.ts');
      return neo2Reader(hidFrames(await openReports({ ...hid, baudRate, serial }, 'first', { clock, onFault })), {
        clock,
        quickChip,
      });
    }
    const { openSerial } = await import('./transport/serial.ts');
    return neo2Reader(openSerial({ path, baudRate, identity: { serial }, clock, onFault }), { clock, quickChip });
  },
  async mms({ hid, path = '', baudRate, serial }, clock, onFault) {
    const { mmsReader } = await import('./card-reader/mms/reader.ts');
    return mmsReader(
      await openReports({ ...(hid ?? { stream: path }), baudRate, serial }, 'none', { clock, onFault }),
      {
        clock,
      },
    );
  },
};

async function openReports(
  {
    path,
    vendorId = '',
    productId = '',
    stream,
    baudRate,
    serial,
  }: NonNullable<ReaderDevice['hid']> & Pick<ReaderDevice, 'baudRate' | 'serial'>,
  reportId: 'none' | 'first',
  { clock, onFault }: { readonly clock: Clock; readonly onFault: AbsenceListener | undefined },
): Promise<ReportTransport> {
  if (stream !== undefined) {
    const [{ openSerial }, { reportStream }] = await Promise.all([
      import('./transport/serial.ts'),
      import('./transport/report-stream.ts'),
    ]);
    return reportStream(openSerial({ path: stream, baudRate, identity: { serial }, clock, onFault }), { clock });
  }
  const { openHid } = await import('./transport/hid.ts');
  const numbers = { vendorId: Number.parseInt(vendorId, 16), productId: Number.parseInt(productId, 16) };
  const address = path === undefined ? numbers : { path };
  return openHid({ address, identity: { serial }, reportId, clock, onFault });
}

export const receiptPrinters: Readonly<
  Record<
    'escpos',
    (device: PrinterDevice, type: TypeOptions, clock: Clock, onFault?: AbsenceListener) => Promise<ReceiptPrinter>
  >
> = {
  async escpos({ drawerPin = 2, lineTimeMs, ...device }, { columns, ...type }, clock, onFault) {
    const [{ openPrinterLine }, { escposPrinter }, { sheetsJob }] = await Promise.all([
      import('./transport/printer-line.ts'),
      import('./printer/escpos/printer.ts'),
      import('./printer/escpos/receipt-job.ts'),
    ]);
    const render = (sheets: readonly Sheet[], { withoutLogo }: PrintOptions = {}) =>
      sheetsJob(sheets, columns, withoutLogo ? { ...type, logo: '' } : type);
    const options = { clock, render, drawerPin, ...(lineTimeMs === undefined ? {} : { lineTimeMs }) };
    return escposPrinter(openPrinterLine({ ...device, clock, onFault }), options);
  },
};

export const codeScanners: Readonly<
  Record<'line', (device: ScannerDevice, clock: Clock, onFault?: AbsenceListener) => Promise<CodeScanner>>
> = {
  async line({ trigger, ...device }, clock, onFault) {
    const [{ openSerial }, { lineScanner }, { triggerBytes }] = await Promise.all([
      import('./transport/serial.ts'),
      import('./scanner/line/scanner.ts'),
      import('./scanner/line/trigger.ts'),
    ]);
    const bytes = trigger && triggerBytes(trigger);
    return lineScanner(openSerial({ ...device, clock, onFault }), { clock, trigger: bytes });
  },
};

export const octopusReaders: Readonly<
  Record<'agent', (agent: OctopusAgent, clock: Clock, onFault?: AbsenceListener) => Promise<OctopusReader>>
> = {
  async agent({ path }, clock, onFault) {
    const { octopusAgentReader } = await import('./octopus/agent/reader.ts');
    return octopusAgentReader({ path, clock, ...(onFault ? { onFault } : {}) });
  },
};
