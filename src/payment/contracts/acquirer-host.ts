import type { Amount } from '../../base/domain/amount.ts';
import type { LineFault, LineReport } from '../../base/domain/line-security.ts';
import type { Account } from '../../base/domain/account.ts';
import type { ContradictedAmount } from '../../base/domain/contradicted-amount.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { DeclineReason } from '../../base/domain/decline-reason.ts';
import type { CardEntryMode } from '../../base/domain/payment-scheme.ts';
import type { AcquirerId, TraceNumbers } from '../../base/domain/identifiers.ts';
import type { Limits } from '../../base/domain/capability.ts';
import type {
  AdviceOperation,
  OnlineOperation,
  PresentedOperation,
  ReferringOperation,
} from '../../base/domain/transaction-kind.ts';
import type { EmvData } from '../../base/ports/card-reader.ts';
import type { EncryptedPin } from '../../base/ports/pin-pad.ts';

/** The card, as later messages may still refer to it: its number as the reader encrypted it, never its track. */
export interface CardReference {
  readonly entryMode: CardEntryMode;
  /** EPS: digits 3 and 4 of field 3. */
  readonly account?: Account;
  /** EPS: the part of the amount that the customer takes in cash, minor units. */
  readonly cashbackMinor?: bigint;
  /** Field 23, if the card has one: '01'. */
  readonly panSequenceNumber?: string;
  readonly ksn: Uint8Array;
  readonly encryptedPan: Uint8Array;
}

/** The card as it was just presented. */
export interface CardAtHand extends CardReference {
  readonly emv: EmvData;
  readonly encryptedTrack2: Uint8Array;
  /** Field 52, if the cardholder entered a PIN. */
  readonly pin?: EncryptedPin;
}

/** The host's data of an earlier transaction, which a later message repeats. */
export interface OriginalReference {
  readonly trace: TraceNumbers;
  /** Its kind. With its trace number it identifies an original whose number at the host is unknown. */
  readonly operation?: OnlineOperation | AdviceOperation;
  /** Its total before the message that refers to it. */
  readonly amount: Amount;
  /** Field 37; empty for a transaction that only the bank has confirmed. */
  readonly rrn: string;
  /** Field 38; empty if it had none. */
  readonly approvalCode: string;
  /** Fields 12 (hhmmss) and 13 (MMDD) of the host's answer. */
  readonly hostTime: string;
  readonly hostDate: string;
}

interface Message {
  /**
   * If the host has several sites: the site of the message, or for a reversal or an advice the site that its intent
   * names. An intent without a site was written before there were several, and belongs to the first.
   */
  readonly site?: string | undefined;
  readonly trace: TraceNumbers;
  readonly amount: Amount;
  /** The time when the payment began, the same in each message about it. Absent: the message has no time. */
  readonly at?: Date | undefined;
}

/** A request that the host decides online. */
export type OnlineOrder =
  | (Message & {
      readonly operation: PresentedOperation;
      readonly card: CardAtHand;
      /** Minor units, part of `amount`. */
      readonly tipMinor?: bigint;
    })
  | (Message & {
      readonly operation: ReferringOperation;
      readonly card: CardReference;
      readonly original: OriginalReference;
    });

/** A report of something that was decided offline; repeated until the host answers. */
export type AdviceOrder =
  | (Message & {
      readonly operation: 'offlineSale';
      readonly card: CardReference & { readonly emv: EmvData };
      readonly approvalCode: string;
      readonly tipMinor?: bigint;
      /** When it was decided. */
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

/** All data of its original that a reversal must repeat. Kept in the journal until it is acknowledged. */
export interface ReversalOrder extends Message {
  readonly operation: OnlineOperation;
  readonly card: CardReference;
  readonly reason?: ReversalReason;
  /** Field 37 of the answer to the request, if there was one. */
  readonly rrn?: string;
}

/**
 * Why a request is reversed. invalidAnswer: the answer could not be read, or its authentication code was wrong.
 * cardRefused: the card has refused after the host's approval.
 */
export const reversalReasons = ['noAnswer', 'invalidAnswer', 'cardRefused', 'other'] as const;
export type ReversalReason = (typeof reversalReasons)[number];

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
  /** The approved part of the amount in minor units; absent if the whole amount is approved. */
  readonly coveredMinor?: bigint;
}

/**
 * unknown: the request may have reached the host, so it must be reversed. notSent: not one byte left this terminal, so
 * no money can have moved.
 */
export type HostOutcome =
  | ApprovedByHost
  /** `issuerData`: objects 91, 71, 72 for the card, if the issuer sent any with the decline. */
  | {
      readonly kind: 'declined';
      readonly reason: DeclineReason;
      readonly responseCode: string;
      readonly rrn: string;
      readonly issuerData?: EmvData;
      /** The host could not decide, and may have posted it: it is reversed to be sure. */
      readonly undecided?: true;
      /** The host has no record of what the request refers to. */
      readonly noRecord?: true;
    }
  | {
      readonly kind: 'unknown';
      readonly reason: 'no-answer' | 'link-closed' | 'garbled-answer' | 'duplicate' | 'interrupted';
      /** Field 39, if the host gave one. */
      readonly responseCode?: string;
    }
  | {
      readonly kind: 'notSent';
      readonly reason:
        | 'host-down'
        | 'not-signed-on'
        | 'keys-unusable'
        | 'reversals-pending'
        | 'advices-pending'
        | 'unsendable';
    };

/**
 * noRecord: the host has not seen the original, which may still be on its way. refused: the host answered, but neither
 * acknowledged nor denied having the original; try again later. contradicted: the answer has another amount, so it
 * proves nothing about this original.
 */
export type ReversalOutcome =
  | { readonly kind: 'acknowledged'; readonly responseCode: string }
  | {
      readonly kind: 'noRecord';
      readonly responseCode: string;
      /** The answer is from another site than the original's, which may have a record of it. */
      readonly isElsewhere?: true;
    }
  | { readonly kind: 'refused'; readonly responseCode: string }
  | { readonly kind: 'contradicted'; readonly responseCode: string; readonly otherAmount: ContradictedAmount }
  | { readonly kind: 'unanswered' };

/** The host's data about an advice, from its answer. */
interface AdviceRecord extends Pick<OriginalReference, 'rrn' | 'hostTime' | 'hostDate'> {
  readonly responseCode: string;
}

/**
 * acknowledged: posted, or a repeat of an advice that the host already has (reason duplicate). rejected: the host will
 * not post it, and repeating would change nothing. refused: try again later; the host could not process it now
 * (hostTrouble), or it has this number although the advice was never sent before (duplicate). contradicted: the answer
 * has another amount, so only the bank knows what is posted; `accepts`: according to its code, the host has posted it.
 */
export type AdviceOutcome =
  | ({ readonly kind: 'acknowledged'; readonly reason?: 'duplicate' } & AdviceRecord)
  | ({
      readonly kind: 'contradicted';
      readonly accepts: boolean;
      readonly otherAmount: ContradictedAmount;
    } & AdviceRecord)
  | { readonly kind: 'rejected'; readonly reason: DeclineReason; readonly responseCode: string }
  | { readonly kind: 'refused'; readonly reason: 'hostTrouble' | 'duplicate'; readonly responseCode: string }
  | { readonly kind: 'unanswered' }
  /** Not a byte of it has left. */
  | { readonly kind: 'notSent' };

/** The sums of a batch in one currency, minor units. */
export interface BatchTotals {
  readonly currency: CurrencyCode;
  readonly sales: { readonly count: number; readonly minor: bigint };
  readonly refunds: { readonly count: number; readonly minor: bigint };
}

export interface SettlementOrder {
  /** If the host has several sites: the site of the batch. */
  readonly site?: string | undefined;
  readonly stan: number;
  readonly batch: number;
  readonly totals: BatchTotals;
  /** After a batch upload: processing code 960000 instead of 920000. */
  readonly trailer: boolean;
  /** The time when the batch was closed, or when the message is sent. */
  readonly at?: Date | undefined;
  /** It repeats an unanswered one with the same trace number and time. */
  readonly repeat?: boolean;
}

/** balanced: settled on both sides. mismatch: the host's books differ (95), and the batch must be uploaded. */
export type SettlementOutcome =
  | { readonly kind: 'balanced' }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'refused'; readonly responseCode: string }
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'notSent' };

/** One transaction of a batch upload, as it stands at the end of the batch. */
export interface UploadOrder {
  readonly site?: string | undefined;
  /** The trace number of this message. */
  readonly stan: number;
  readonly operation: 'sale' | 'refund' | 'offlineSale' | 'completion';
  readonly amount: Amount;
  readonly card: CardReference;
  readonly original: OriginalReference;
  /** Its number in the upload, from 1, and the number of transactions of the upload. */
  readonly place: { readonly number: number; readonly count: number };
  /** The time when the payment began. */
  readonly at?: Date | undefined;
}

/**
 * rejected: the host will never accept it, because it has no such transaction or has settled it already. refused: may
 * succeed later.
 */
export type UploadOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly responseCode: string }
  | { readonly kind: 'refused'; readonly responseCode: string }
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'notSent' };

export type LinkState = 'up' | 'down' | 'idle';

/** One site of a host with several. */
export interface SiteReport {
  /** 'host:port' */
  readonly site: string;
  /** Whether new payments go to this site. */
  readonly isInUse: boolean;
  /** Why the site can't be used. `since`: ISO 8601. */
  readonly fault?: { readonly reason: LineFault; readonly since: string } | undefined;
}

/** Unsettled transactions at one site of an acquirer; the site is absent if no intent names it. */
export interface Unsettled {
  readonly site?: string | undefined;
}

/** The sites of a host with several addresses. */
export interface HostSites {
  /** Whether what one site has posted can be reversed, advised and settled at any other. */
  readonly isShared: boolean;
  readonly inUse: string;
  readonly report: readonly SiteReport[];
  /** Whether this site is configured. */
  has(site: string): boolean;
  /**
   * The site for the next payment, connected if one can be. Without shared books it stays the site of the transactions
   * that `findUnsettled` finds. `connects`: false if nothing is to be sent now. Rejects only as `findUnsettled` does.
   */
  choose(findUnsettled: () => Promise<Unsettled | undefined>, connects?: boolean): Promise<string>;
}

/** No message of this host can be built from the order: another attempt changes nothing. */
export class UnsendableOrder extends RangeError {
  override readonly name = 'UnsendableOrder';
}

/**
 * An acquirer's host. Faults of the network or the host are outcomes, not rejections. An order that can't be encoded
 * rejects with UnsendableOrder, before a byte is sent.
 */
export interface AcquirerHost {
  readonly id: AcquirerId;
  /** Merchant identifier, field 42. */
  readonly mid: string;
  /** Terminal identifier, field 41. */
  readonly tid: string;
  /** The limits of its messages: an order beyond them is UnsendableOrder. */
  readonly limits: Limits;
  /** idle: nothing has been tried yet. */
  readonly link: LinkState;
  /** The protection of the connection, and its fault; absent if the host does not report it. */
  readonly line?: LineReport;
  /** Absent for a host with one address. */
  readonly sites?: HostSites;
  /**
   * The maximum sum of the sales, and of the refunds, of a batch in one currency: the settlement message has room for
   * no more.
   */
  readonly batchMax: { readonly count: number; readonly minor: bigint };
  /** Whether the message of this operation has a field for a PIN block, of this format or of any. Absent: always. */
  sendsPin?(operation: OnlineOrder['operation'], format?: EncryptedPin['format']): boolean;
  request(order: OnlineOrder): Promise<HostOutcome>;
  /** `repeat` marks the message as a repeat (0401). */
  reverse(order: ReversalOrder, repeat: boolean): Promise<ReversalOutcome>;
  /** `repeat` marks the message as a repeat (0221). */
  advise(order: AdviceOrder, repeat: boolean): Promise<AdviceOutcome>;
  /**
   * Whether an unanswered settlement is repeated with its trace number, and answered as before. Otherwise each attempt
   * is a new one.
   */
  readonly repeatsSettlements?: boolean;
  settle(order: SettlementOrder): Promise<SettlementOutcome>;
  /** `repeat` marks the message as a repeat (0321). */
  upload(order: UploadOrder, repeat: boolean): Promise<UploadOutcome>;
  close(): Promise<void>;
}
