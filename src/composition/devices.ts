import { cardReaders, codeScanners, octopusReaders, receiptPrinters } from '../../drivers/registry.ts';
import type { Configuration } from '../config/configuration.ts';
import type { CardReader } from '../ports/card-reader.ts';
import type { Clock } from '../ports/clock.ts';
import type { CodeScanner } from '../ports/code-scanner.ts';
import type { OctopusReader } from '../ports/octopus-reader.ts';
import type { ReceiptPrinter } from '../ports/receipt-printer.ts';

/** The devices of this terminal. A driver is loaded only if the configuration names it. */
export interface Devices {
  readonly reader: CardReader;
  readonly printer?: ReceiptPrinter;
  readonly scanner?: CodeScanner;
  readonly octopus?: OctopusReader;
}

export async function openDevices(
  { reader, printer, scanner, octopus, receipt, shop }: Configuration,
  clock: Clock,
  onPaperFailure: (error: unknown) => void,
  opened: <Device extends { close(): Promise<void> }>(device: Device) => Device,
): Promise<Devices> {
  const type = { charset: receipt.charset, logo: shop.logo, onFailure: onPaperFailure };
  return {
    reader: opened(await cardReaders[reader.driver](reader, clock)),
    ...(printer
      ? {
          printer: opened(await receiptPrinters[printer.driver](printer, { columns: printer.columns, ...type }, clock)),
        }
      : {}),
    ...(scanner ? { scanner: opened(await codeScanners[scanner.driver](scanner, clock)) } : {}),
    ...(octopus ? { octopus: opened(await octopusReaders[octopus.driver](octopus, clock)) } : {}),
  };
}
