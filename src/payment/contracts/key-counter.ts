import type { KeyCounterFault } from '../../base/domain/line-security.ts';

/** The counter of keys that are used only once (DUKPT). */
export interface KeyCounter {
  /** Why no key can be used; undefined if the last one could, or if none was taken yet. */
  readonly fault: KeyCounterFault | undefined;
  /** Whether another counter can be taken, without a wait for the disk. Resolves to the reason if not. */
  prepare(): Promise<KeyCounterFault | undefined>;
  /**
   * The next counter. Once it is known, it is on stable storage that it is used: it is never taken again. Undefined:
   * `fault` has the reason. Calls are answered in their order.
   */
  take(): number | undefined | Promise<number | undefined>;
}

/** The counters of this terminal. */
export interface KeyCounters {
  /**
   * The counter of one initial key, always the same one for the same key, whichever acquirers use it. `ksn`: its serial
   * number in hexadecimal; a counter in it counts as used. Rejects with JournalError.
   */
  open(ksn: string): Promise<KeyCounter>;
}
