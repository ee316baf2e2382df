import type { Amount } from '../domain/amount.ts';

export interface PinRequest {
  readonly amount: Amount;
  readonly timeoutMs: number;
  /** The last PIN was wrong, and the pad shows it. */
  readonly again: boolean;
}

/** A PIN as it leaves the pad. No part of this terminal has its key. */
export interface EncryptedPin {
  /** Format of the encrypted PIN block: ISO 9564-1. */
  readonly format: 'ISO-0' | 'ISO-4';
  /** Key serial number of the PIN key: 10 bytes (TDES DUKPT) or 12 (AES DUKPT). */
  readonly ksn: Uint8Array;
  /** 8 bytes (ISO-0) or 16 (ISO-4). */
  readonly block: Uint8Array;
}

/** cancelled: by the customer's cancel key or by the signal. In both cases the pad accepts no digits any more. */
export type PinOutcome =
  | { readonly kind: 'pin'; readonly pin: EncryptedPin }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timeout' };

/** The secure part of a reader where the PIN is entered. Digits never leave it. */
export interface PinPad {
  /**
   * Asks for the PIN of the card that the reader has read last. Settles only once the pad accepts no digits any more.
   * Rejects with DeviceError.
   */
  enterPin(request: PinRequest, signal: AbortSignal): Promise<PinOutcome>;
}
