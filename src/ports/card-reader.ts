import type { Amount } from '../domain/amount.ts';
import type { CardEntryMode } from '../domain/entry-mode.ts';
import type { Device } from './device.ts';
import type { PinPad } from './pin-pad.ts';

/** Card data as the reader encrypted it. The keys are in the reader and at the host; this side only carries it. */
export interface EncryptedCard {
  readonly scheme: 'TDES-DUKPT' | 'AES-DUKPT';
  /** Key serial number: 10 bytes (TDES) or 12 (AES). */
  readonly ksn: Uint8Array;
  /** Ciphertext of the track 2 equivalent data (EMV tag 57). May be kept only until the host has answered. */
  readonly track2: Uint8Array;
  /** Ciphertext of the card number (EMV tag 5A): what a stored reversal needs. */
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
   * Contact chip: the card waits in its slot for the host's decision, and `complete` must follow. Without it the host alone
   * decides, and the card may be taken out.
   */
  readonly awaitsDecision?: true | undefined;
  /** The card is gone and the host alone decides, but its reader shows the payment until `show` has said what came of it. */
  readonly awaitsOutcome?: true | undefined;
}

export interface CollectRequest {
  readonly amount: Amount;
  readonly type: 'purchase' | 'refund';
  readonly timeoutMs: number;
  /** Which of the reader's interfaces are armed; contactless alone where none is named. */
  readonly interfaces?: readonly CardInterface[];
}

/** What a contact chip is told for its second GENERATE AC. unreachable: nobody could be asked, response code Z3. */
export type CardDecision =
  | { readonly kind: 'approved' | 'declined'; readonly responseCode: string; readonly issuerData: EmvData }
  | { readonly kind: 'unreachable' };

/**
 * The card's last word. agreed: it gave its certificate (TC); refused: it declined although the host approved (AAC), or as the
 * host did; lost: it was taken out or stopped answering. `emv` are its last data objects: 9F26, 9F27, 95, 9B.
 */
export type CardCompletion = { readonly kind: 'agreed' | 'refused'; readonly emv: EmvData } | { readonly kind: 'lost' };

/**
 * tryAgain: the same collect may be repeated at once (collision, card moved too early).
 * refused: this card can't pay here; another may.
 * cancelled: the signal was aborted and the reader has confirmed that it no longer waits for a card.
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

export interface CardReader extends Device {
  /**
   * Arms the reader and waits for one card. Settles only once the reader is disarmed again: when `signal` aborts, after
   * the cancel handshake. Card data that the reader sends after the abort is dropped. Rejects with DeviceError.
   */
  collect(request: CollectRequest, signal: AbortSignal): Promise<CollectOutcome>;
  /** The interfaces that this reader has. Contactless alone where it says nothing. */
  readonly interfaces?: readonly CardInterface[];
  /** Second stage of a contact chip: once, after a card that `awaitsDecision`. Rejects with DeviceError. */
  complete?(decision: CardDecision): Promise<CardCompletion>;
  /** What came of a card that `awaitsOutcome`, for the reader's own display: nothing depends on it. Rejects with DeviceError. */
  show?(decision: CardDecision): Promise<void>;
  /** A PIN pad of the reader's own. */
  readonly pinPad?: PinPad;
}
