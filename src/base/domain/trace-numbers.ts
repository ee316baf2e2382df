/** The numbers that identify one message to the host. The journal assigns them, never twice in a batch. */
export interface TraceNumbers {
  /** Systems trace audit number, 1 to 999999: ISO 8583 field 11. */
  readonly stan: number;
  /** Invoice number, 1 to 999999: field 62. A void and a tip adjustment keep their original's. */
  readonly invoice: number;
  /** Batch number, 1 to 999999. */
  readonly batch: number;
}

/** One of them as n6, as a bank writes it; undefined where there is none. */
export function sixDigits(value: number): string;
export function sixDigits(value: number | undefined): string | undefined;
export function sixDigits(value: number | undefined): string | undefined {
  return value?.toString().padStart(6, '0');
}
