import type { Amount } from '../domain/amount.ts';
import type { CardEntryMode } from '../domain/payment-scheme.ts';
import type { Device } from './device.ts';
import type { PinPad } from './pin-pad.ts';

/**
 * Card data as the reader encrypted it. Only the reader and the host have the keys; the terminal passes the data on.
 */
export interface EncryptedCard {
  readonly scheme: 'TDES-DUKPT' | 'AES-DUKPT';
  /** Key serial number: 10 bytes (TDES) or 12 (AES). */
  readonly ksn: Uint8Array;
  /** Ciphertext of the track 2 equivalent data (EMV tag 57). May be kept only until the host has answered. */
  readonly track2: Uint8Array;
  /** Ciphertext of the card number (EMV tag 5A), which a stored reversal needs. */
  readonly pan: Uint8Array;
}

/** EMV data objects in the clear, by upper-case hex tag ('9F26'). Never 57, 5A, 56, 5F20, 9F1F, 9F20 or a PIN item. */
export type EmvData = ReadonlyMap<string, Uint8Array>;

export type CardInterface = 'contactless' | 'chip' | 'magstripe';

export interface PresentedCard {
  readonly entryMode: CardEntryMode;
  /** Application identifier, upper-case hex: 'A0000000031010'. Empty for a magstripe. */
  readonly aid: string;
  /** Application preferred name or label, for the receipt: 'VISA CREDIT'. */
  readonly appName: string;
  /** First six, asterisks, last four: '476173******0119'. */
  readonly maskedPan: string;
  readonly emv: EmvData;
  readonly encrypted: EncryptedCard;
  /**
   * Contact chip: the card waits in its slot for the host's decision, and `complete` must follow. If absent, the host
   * alone decides, and the card may be removed.
   */
  readonly awaitsDecision?: true | undefined;
  /**
   * The card has left the field and only the host decides, but the reader shows the payment until `show` gives the
   * outcome.
   */
  readonly awaitsOutcome?: true | undefined;
}

export interface CollectRequest {
  readonly amount: Amount;
  readonly type: 'purchase' | 'refund';
  readonly timeoutMs: number;
  /** The interfaces to arm; contactless only if absent. */
  readonly interfaces?: readonly CardInterface[];
}

/** The decision for the second GENERATE AC of a contact chip. unreachable: no host could be asked, response code Z3. */
export type CardDecision =
  | { readonly kind: 'approved' | 'declined'; readonly responseCode: string; readonly issuerData: EmvData }
  | { readonly kind: 'unreachable' };

/**
 * The result of the second GENERATE AC. agreed: the card gave its certificate (TC). refused: it declined (AAC), as the
 * host did or although the host approved. lost: it was removed or stopped answering. `emv`: its last data objects 9F26,
 * 9F27, 95, 9B.
 */
export type CardCompletion = { readonly kind: 'agreed' | 'refused'; readonly emv: EmvData } | { readonly kind: 'lost' };

/**
 * tryAgain: the same collect may be repeated at once (collision, card moved too early). refused: this card can't pay
 * here; another may. cancelled: the signal was aborted, and the reader has confirmed that it does not wait for a card
 * any more.
 */
export type CollectOutcome =
  | { readonly kind: 'card'; readonly card: PresentedCard }
  | {
      readonly kind: 'tryAgain';
      readonly reason: 'collision' | 'card-lost' | 'read-error' | 'use-chip' | 'use-magstripe';
    }
  | { readonly kind: 'refused'; readonly reason: 'unsupported' | 'expired' | 'blocked' | 'over-limit' | 'declined' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'cancelled' };

/** Why the reader asks for another try. */
export type RetryReason = Extract<CollectOutcome, { kind: 'tryAgain' }>['reason'];

export interface CardReader extends Device {
  /**
   * Arms the reader and waits for one card. Settles only once the reader is disarmed again; after an abort, once the
   * cancel handshake is done. Card data that arrives after the abort is dropped. Rejects with DeviceError.
   *
   * `onRetry`: the caller would repeat the collect after each `tryAgain`. A reader may then arm itself again at once,
   * and reports the reason here instead.
   */
  collect(
    request: CollectRequest,
    signal: AbortSignal,
    onRetry?: (reason: RetryReason) => void,
  ): Promise<CollectOutcome>;
  /** The reader's interfaces; contactless only if absent. */
  readonly interfaces?: readonly CardInterface[];
  /** Second stage of a contact chip: once, after a card that `awaitsDecision`. Rejects with DeviceError. */
  complete?(decision: CardDecision): Promise<CardCompletion>;
  /**
   * Shows the outcome of a card that `awaitsOutcome` on the reader's display; nothing else depends on it. Rejects with
   * DeviceError.
   */
  show?(decision: CardDecision): Promise<void>;
  /** The reader's own PIN pad, if it has one. */
  readonly pinPad?: PinPad;
  /** How often it was armed since it was opened; may be some seconds old. */
  readonly turns?: number;
}
