import type { Refusal } from '../../base/domain/reason.ts';
import type { PrinterFault } from '../../base/ports/receipt-printer.ts';

/** Why the printer can't be used now. */
export const printerRefusals: Readonly<Record<PrinterFault, Refusal>> = {
  absent: { reason: 'printerAbsent', message: 'the printer is not connected' },
  'paper-out': { reason: 'printerPaperOut', message: 'the printer has no paper' },
  'cover-open': { reason: 'printerCoverOpen', message: 'the printer is open' },
  error: { reason: 'printerError', message: 'the printer has a fault' },
};

export const noPrinter: Refusal = { reason: 'printerNotConfigured', message: 'this terminal has no printer' };
