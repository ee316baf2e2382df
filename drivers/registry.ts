import type { CardReader } from '../src/ports/card-reader.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { ReceiptPrinter } from '../src/ports/receipt-printer.ts';

export interface SerialDevice {
  readonly path: string;
  readonly baudRate: number;
}

/**
 * Every driver by its name in the configuration. Loaded only when it is named: a terminal without a device never loads its
 * libraries.
 */
export const cardReaders: Readonly<Record<'neo2', (device: SerialDevice, clock: Clock) => Promise<CardReader>>> = {
  async neo2(device, clock) {
    const [{ openSerial }, { neo2Reader }] = await Promise.all([
      import('./transport/serial.ts'),
      import('./card-reader/neo2/reader.ts'),
    ]);
    return neo2Reader(openSerial({ ...device, clock }), { clock });
  },
};

export const receiptPrinters: Readonly<
  Record<'escpos', (device: SerialDevice, clock: Clock) => Promise<ReceiptPrinter>>
> = {
  async escpos(device, clock) {
    const [{ openSerial }, { escposPrinter }] = await Promise.all([
      import('./transport/serial.ts'),
      import('./printer/escpos/printer.ts'),
    ]);
    return escposPrinter(openSerial({ ...device, clock }), { clock });
  },
};
