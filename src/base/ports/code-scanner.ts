import type { Device } from './device.ts';

/** tryAgain: the scanner read something that is not a code (too long, not text). cancelled: the signal was aborted. */
export type ScanOutcome =
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'tryAgain' }
  | { readonly kind: 'cancelled' };

export interface CodeScanner extends Device {
  /**
   * Waits for one code. A code that was read before, or that is read after the signal, is dropped: it was meant for
   * another payment. Rejects with DeviceError 'absent' or 'vanished'.
   */
  scan(signal: AbortSignal): Promise<ScanOutcome>;
}
