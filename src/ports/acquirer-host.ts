import type { Amount } from '../domain/amount.ts';
import type { Account } from '../domain/account.ts';
import type { CurrencyCode } from '../domain/currency.ts';
import type { DeclineReason } from '../domain/decline-reason.ts';
import type { CardEntryMode } from '../domain/entry-mode.ts';
import type { AcquirerId } from '../domain/identifiers.ts';
import type { Limits } from '../domain/limits.ts';
import type { OnlineOperation } from '../domain/host-operation.ts';
import type { TraceNumbers } from '../domain/trace-numbers.ts';
import type { EmvData } from './card-reader.ts';
import type { EncryptedPin } from './pin-pad.ts';

/** The card as later messages may still name it: its number as the reader encrypted it, never its track. */
export interface CardReference {
  readonly entryMode: CardEntryMode;
  /** EPS: digits 3 and 4 of field 3. */
  readonly account?: Account;
  /** EPS: the part of the amount that the customer takes in cash, minor units. */
  readonly cashbackMinor?: bigint;
  /** Field 23, when the card has one: '01'. */
  readonly panSequenceNumber?: string;
  readonly ksn: Uint8Array;
  readonly encryptedPan: Uint8Array;
}

/** The card as it was just presented. */
export interface CardAtHand extends CardReference {
  readonly emv: EmvData;
  readonly encryptedTrack2: Uint8Array;
  /** Field 52, where the cardholder entered a PIN. */
  readonly pin?: EncryptedPin;
}

/** What the host said of an earlier transaction: a later one that refers to it repeats it. */
export interface OriginalReference {
  readonly trace: TraceNumbers;
  /** Its total before the message that refers to it. */
  readonly amount: Amount;
  /** Field 37. */
  readonly rrn: string;
  /** Field 38; empty when it had none. */
  readonly approvalCode: string;
  /** Fields 12 (hhmmss) and 13 (MMDD) of the host's answer. */
  readonly hostTime: string;
  readonly hostDate: string;
}

interface Message {
  readonly trace: TraceNumbers;
  readonly amount: Amount;
}

/** A request that the host decides on while everybody waits. */
export type OnlineOrder =
  | (Message & {
      readonly operation: 'sale' | 'auth' | 'refund';
      readonly card: CardAtHand;
      /** Minor units, part of `amount`. */
      readonly tipMinor?: bigint;
    })
  | (Message & {
      readonly operation: 'void' | 'voidRefund';
      readonly card: CardReference;
      readonly original: OriginalReference;
    });

/** Something that has happened already and that the host must hear of: repeated until it answers. */
export type AdviceOrder =
  | (Message & {
      readonly operation: 'offlineSale';
      readonly card: CardReference & { readonly emv: EmvData };
      readonly approvalCode: string;
      readonly tipMinor?: bigint;
      /** When it happened. */
      readonly at: Date;
    })
  | (Message & {
      readonly operation: 'completion';
      readonly card: CardReference;
      readonly original: OriginalReference;
    })
  | (Message & {
      readonly operation: 'tipAdjust';
      readonly card: CardReference;
      readonly original: OriginalReference;
      /** The whole tip; `amount` is the new total. */
      readonly tipMinor: bigint;
    });

/** Everything that a reversal must repeat of its original. It lives in the journal until acknowledged. */
export interface ReversalOrder extends Message {
  readonly operation: OnlineOperation;
  readonly card: CardReference;
}

export interface ApprovedByHost {
  readonly kind: 'approved';
  readonly responseCode: string;
  /** Field 38, six characters; empty where the dialect lets it be absent (void, refund). */
  readonly approvalCode: string;
  /** Retrieval reference number, field 37. */
  readonly rrn: string;
  /** Fields 12 and 13. */
  readonly hostTime: string;
  readonly hostDate: string;
  /** Issuer data for the card: 91, 71, 72 out of field 55. */
  readonly issuerData: EmvData;
}

/**
 * unknown: the request may have reached the host, so it must be reversed.
 * notSent: not one byte left this terminal, so nothing can have happened.
 */
export type HostOutcome =
  | ApprovedByHost
  /** `issuerData`: what the issuer tells its card all the same, where it does: 91, 71, 72. */
  | {
      readonly kind: 'declined';
      readonly reason: DeclineReason;
      readonly responseCode: string;
      readonly rrn: string;
      readonly issuerData?: EmvData;
      /** It could not be decided, and may be posted all the same: it is reversed to be sure. */
      readonly undecided?: true;
    }
  | {
      readonly kind: 'unknown';
      readonly reason: 'no-answer' | 'link-closed' | 'garbled-answer' | 'duplicate' | 'interrupted';
    }
  | { readonly kind: 'notSent'; readonly reason: 'host-down' | 'reversals-pending' | 'unsendable' };

/**
 * noRecord: the host has never seen the original. It may be on its way still.
 * refused: the host answered, but neither acknowledged nor denied having the original; try again later.
 */
export type ReversalOutcome =
  | { readonly kind: 'acknowledged'; readonly responseCode: string }
  | { readonly kind: 'noRecord'; readonly responseCode: string }
  | { readonly kind: 'refused'; readonly responseCode: string }
  | { readonly kind: 'unanswered' };

/**
 * acknowledged: posted, or a repeat of what the host has already (reason duplicate). rejected: the host answered that it will not post
 * it; repeating would change nothing. refused: it could not process it now (hostTrouble), or it has this number and this advice had
 * never been sent before (duplicate): try again later.
 */
export type AdviceOutcome =
  | {
      readonly kind: 'acknowledged';
      readonly reason?: 'duplicate';
      readonly responseCode: string;
      readonly rrn: string;
      readonly hostTime: string;
      readonly hostDate: string;
    }
  | { readonly kind: 'rejected'; readonly reason: DeclineReason; readonly responseCode: string }
  | { readonly kind: 'refused'; readonly reason: 'hostTrouble' | 'duplicate'; readonly responseCode: string }
  | { readonly kind: 'unanswered' };

/** What a batch sums up to in one currency, minor units. */
export interface BatchTotals {
  readonly currency: CurrencyCode;
  readonly sales: { readonly count: number; readonly minor: bigint };
  readonly refunds: { readonly count: number; readonly minor: bigint };
}

export interface SettlementOrder {
  readonly stan: number;
  readonly batch: number;
  readonly totals: BatchTotals;
  /** After a batch upload: processing code 960000 instead of 920000. */
  readonly trailer: boolean;
}

/** balanced: settled on both sides. mismatch: the host's books say otherwise (95), it wants the batch uploaded. */
export type SettlementOutcome =
  | { readonly kind: 'balanced' }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'refused'; readonly responseCode: string }
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'notSent' };

/** One transaction of a batch upload, as it stands at the end of the batch. */
export interface UploadOrder {
  /** Of this message. */
  readonly stan: number;
  readonly operation: 'sale' | 'refund' | 'offlineSale' | 'completion';
  readonly amount: Amount;
  readonly card: CardReference;
  readonly original: OriginalReference;
  /** Another one follows. */
  readonly more: boolean;
}

/** rejected: the host will never take it; it has no such transaction, or has settled it already. refused: that may pass. */
export type UploadOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly responseCode: string }
  | { readonly kind: 'refused'; readonly responseCode: string }
  | { readonly kind: 'unanswered' };

export type LinkState = 'up' | 'down' | 'idle';

/** An order that can't be put into a message of this host: trying again changes nothing. */
export class UnsendableOrder extends RangeError {
  override readonly name = 'UnsendableOrder';
}

/**
 * Nothing here ever rejects for anything that the network or the host can do: that is an outcome. What makes no message rejects with
 * UnsendableOrder, before a byte of it has left.
 */
export interface AcquirerHost {
  readonly id: AcquirerId;
  /** Merchant identifier, field 42. */
  readonly mid: string;
  /** Terminal identifier, field 41. */
  readonly tid: string;
  /** What its messages can express: an order beyond that is UnsendableOrder. */
  readonly limits: Limits;
  /** idle: nothing has been tried yet. */
  readonly link: LinkState;
  /** What the sales, or the refunds, of a batch may come to in one currency: its settlement carries no more. */
  readonly batchMax: { readonly count: number; readonly minor: bigint };
  request(order: OnlineOrder): Promise<HostOutcome>;
  /** `repeat` marks the message as a repeat (0401). */
  reverse(order: ReversalOrder, repeat: boolean): Promise<ReversalOutcome>;
  /** `repeat` marks the message as a repeat (0221). */
  advise(order: AdviceOrder, repeat: boolean): Promise<AdviceOutcome>;
  settle(order: SettlementOrder): Promise<SettlementOutcome>;
  upload(order: UploadOrder): Promise<UploadOutcome>;
  close(): Promise<void>;
}
