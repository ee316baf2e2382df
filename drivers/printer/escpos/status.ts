import type { PaperState, PrinterStatus } from '../../../src/base/ports/receipt-printer.ts';

/**
 * n of DLE EOT n: 1 printer, 2 offline cause, 4 paper. (3, the error cause, shows no fault that the others do not.)
 */
export type StatusRequest = 1 | 2 | 4;

/** DLE EOT n, transmit real-time status: executed on arrival, even when the printer is offline (TM-U220 p.54). */
export function statusRequest(n: StatusRequest): Uint8Array {
  return Uint8Array.of(0x10, 0x04, n);
}

/**
 * Whether a byte is an answer to DLE EOT: 0xx1xx10. No byte of an automatic status (0xx1xx00, then three with bit 4
 * clear) and neither XON nor XOFF (11, 13) has this form, so answers can be recognized without counting bytes.
 */
export function isStatusAnswer(byte: number): boolean {
  return (byte & 0x93) === 0x12;
}

/** Bits of the answers (TM-U220 p.54). */
const printer = { offline: 0x08, waitingForRecovery: 0x20 } as const;
const offlineCause = { coverOpen: 0x04, paperEnd: 0x20, error: 0x40 } as const;
const paper = { nearEnd: 0x0c, end: 0x60 } as const;

export interface StatusAnswers {
  readonly printer: number;
  readonly offlineCause: number;
  readonly paper: number;
}

/**
 * The status from three answers; each must be a status answer. An open cover comes first, because nothing else can be
 * repaired while it is open. Fails safe: one bit of a pair is enough, and offline without a named cause is an error.
 */
export function printerStatus(answers: StatusAnswers): PrinterStatus {
  const paperNearEnd = (answers.paper & (paper.nearEnd | paper.end)) !== 0;
  if ((answers.offlineCause & offlineCause.coverOpen) !== 0) return { fault: 'cover-open', paperNearEnd };
  if ((answers.offlineCause & offlineCause.paperEnd) !== 0 || (answers.paper & paper.end) !== 0) {
    return { fault: 'paper-out', paperNearEnd: true };
  }
  const stopped =
    (answers.offlineCause & offlineCause.error) !== 0 ||
    (answers.printer & (printer.offline | printer.waitingForRecovery)) !== 0;
  return stopped ? { fault: 'error', paperNearEnd } : { paperNearEnd };
}

/**
 * Whether the answers name no cause for being offline. They are of three moments, and the printer may have been
 * repaired in between.
 */
export function lacksCause(answers: StatusAnswers): boolean {
  const { coverOpen, paperEnd, error } = offlineCause;
  const isNamed = (answers.offlineCause & (coverOpen | paperEnd | error)) !== 0 || (answers.paper & paper.end) !== 0;
  return !isNamed && (answers.printer & (printer.offline | printer.waitingForRecovery)) !== 0;
}

export function paperStateOf({ fault, paperNearEnd, untold }: PrinterStatus): PaperState {
  if (untold) return 'unknown';
  if (fault === 'paper-out') return 'out';
  return paperNearEnd ? 'low' : 'ok';
}
