import type { CardReader } from '../src/base/ports/card-reader.ts';
import type { Clock } from '../src/base/ports/clock.ts';
import type { AbsenceListener } from '../src/base/ports/device.ts';
import type { CodeScanner } from '../src/base/ports/code-scanner.ts';
import type { OctopusReader } from '../src/base/ports/octopus-reader.ts';
import type { PrintOptions, ReceiptPrinter, Sheet } from '../src/base/ports/receipt-printer.ts';
import { linePath, openHidReader, type ReaderDevice, type ReaderDriver } from './card-reader/open-reader.ts';

export interface SerialDevice {
  readonly path: string;
  readonly baudRate: number;
}

export interface ReaderListeners {
  readonly onFault?: AbsenceListener | undefined;
  /** Called once, if the system gives the reader's thread no priority over others. */
  readonly onNoPriority?: ((reason: string) => void) | undefined;
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
  Record<ReaderDriver, (device: ReaderDevice, clock: Clock, listeners?: ReaderListeners) => Promise<CardReader>>
> = {
  neo2: (...parameters) => openReader('neo2', ...parameters),
  mms: (...parameters) => openReader('mms', ...parameters),
};

/** A reader on a line works in a thread of its own. node-hid has threads of its own, and stays on this one. */
async function openReader(driver: ReaderDriver, device: ReaderDevice, clock: Clock, listeners: ReaderListeners = {}) {
  if (linePath(device) === undefined) return openHidReader(driver, device, { clock, onFault: listeners.onFault });
  const { threadedReader } = await import('./card-reader/thread/threaded-reader.ts');
  return threadedReader({ driver, device }, { clock, ...listeners });
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

const octopusReaders: Readonly<
  Record<'agent', (agent: OctopusAgent, clock: Clock, onFault?: AbsenceListener) => Promise<OctopusReader>>
> = {
  async agent({ path }, clock, onFault) {
    const { octopusAgentReader } = await import('./octopus/agent/reader.ts');
    return octopusAgentReader({ path, clock, ...(onFault ? { onFault } : {}) });
  },
};

/** The devices that belong to one payment method, by their names in the configuration. */
export interface MethodDevices {
  readonly octopus?: OctopusReader;
}

export type MethodDeviceKind = keyof MethodDevices;

export const methodDevices = { octopus: octopusReaders };
export const methodDeviceKinds = Object.keys(methodDevices) as readonly MethodDeviceKind[];
