import { Line } from './line.ts';
import { type SerialOptions, serialWire } from './serial.ts';
import type { Transport } from './transport.ts';
import { usbPrinterWire } from './usb-printer.ts';
import { isUsbPrinter } from './usb-printer-file.ts';

/**
 * The line of a printer: a serial one, or a printer of the USB class. Every opening checks which of the two is at the
 * path: a stable link such as /dev/poid/printer may lead to either.
 */
export function openPrinterLine(options: SerialOptions): Transport {
  const [serial, usb] = [serialWire(options), usbPrinterWire(options)];
  return new Line(options, {
    open: (ends) => (isUsbPrinter(options.path) ? usb : serial).open(ends),
    wireMs: (bytes) => serial.wireMs(bytes),
  });
}
