import type { Device } from './device.ts';

/** tryAgain: something was read that is no code (too long, not text). cancelled: the signal was aborted. */
export type ScanOutcome =
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'tryAgain' }
  | { readonly kind: 'cancelled' };

export interface CodeScanner extends Device {
  /**
   * Waits for one code. A code that was read before, or is read after the signal, is dropped: it was held there for
   * another payment. Rejects with DeviceError 'absent' or 'vanished'.
   */
  scan(signal: AbortSignal): Promise<ScanOutcome>;
}
