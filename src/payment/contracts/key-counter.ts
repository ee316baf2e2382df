import type { KeyCounterFault } from '../../base/domain/line-security.ts';

/** The counter of keys that are used only once (DUKPT). */
export interface KeyCounter {
  /** Why no key can be used. Undefined if there is no fault, or if no key was taken yet. */
  readonly fault: KeyCounterFault | undefined;
  /** Makes the next counter available without a wait for the disk. Resolves to the fault if there is none. */
  prepare(): Promise<KeyCounterFault | undefined>;
  /**
   * The next counter. It is marked as used on stable storage before it is returned, so it is never taken again.
   * Undefined if there is none; `fault` has the reason. Calls are answered in order.
   */
  take(): number | undefined | Promise<number | undefined>;
}

/** The counters of this terminal. */
export interface KeyCounters {
  /**
   * The counter of one initial key. All acquirers with the same initial key get the same counter. `ksn`: the serial
   * number in hexadecimal; its counter counts as used. Rejects with JournalError.
   */
  open(ksn: string): Promise<KeyCounter>;
}
