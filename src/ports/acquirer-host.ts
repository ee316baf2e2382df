import type { Amount } from '../domain/amount.ts';
import type { AcquirerId } from '../domain/identifiers.ts';
import type { CardEntryMode } from '../domain/entry-mode.ts';
import type { EmvData } from './card-reader.ts';

/** What identifies one message of this terminal to its host. Given out by the journal, never twice in a batch. */
export interface TraceNumbers {
  /** Systems trace audit number, 1 to 999999: ISO 8583 field 11. */
  readonly stan: number;
  /** Invoice number, 1 to 999999: field 62. */
  readonly invoice: number;
  /** Batch number, 1 to 999999. */
  readonly batch: number;
}

export interface SaleOrder {
  readonly trace: TraceNumbers;
  readonly amount: Amount;
  readonly entryMode: CardEntryMode;
  /** Field 23, when the card has one: '01'. */
  readonly panSequenceNumber?: string;
  readonly emv: EmvData;
  readonly ksn: Uint8Array;
  readonly encryptedTrack2: Uint8Array;
}

/** Everything that a reversal must repeat of its original. No track data: it lives in the journal until acknowledged. */
export interface ReversalOrder {
  readonly trace: TraceNumbers;
  readonly amount: Amount;
  readonly entryMode: CardEntryMode;
  readonly panSequenceNumber?: string;
  readonly ksn: Uint8Array;
  readonly encryptedPan: Uint8Array;
}

/**
 * unknown: the request may have reached the host, so it must be reversed.
 * notSent: not one byte left this terminal, so nothing can have happened.
 */
export type HostOutcome =
  | {
      readonly kind: 'approved';
      readonly responseCode: string;
      /** Field 38, six characters. */
      readonly approvalCode: string;
      /** Retrieval reference number, field 37. */
      readonly rrn: string;
      /** Issuer data for the card: 91, 71, 72 out of field 55. */
      readonly issuerData: EmvData;
    }
  | { readonly kind: 'declined'; readonly responseCode: string; readonly rrn: string }
  | { readonly kind: 'unknown'; readonly reason: 'no-answer' | 'link-closed' | 'garbled-answer' | 'interrupted' }
  | { readonly kind: 'notSent'; readonly reason: 'host-down' | 'reversals-pending' };

/** refused: the host answered, but neither acknowledged nor denied having the original; try again later. */
export type ReversalOutcome =
  | { readonly kind: 'acknowledged'; readonly responseCode: string }
  | { readonly kind: 'refused'; readonly responseCode: string }
  | { readonly kind: 'unanswered' };

export type LinkState = 'up' | 'down' | 'idle';

export interface AcquirerHost {
  readonly id: AcquirerId;
  /** Merchant identifier, field 42. */
  readonly mid: string;
  /** Terminal identifier, field 41. */
  readonly tid: string;
  /** idle: nothing has been tried yet. */
  readonly link: LinkState;
  /** Never rejects for anything that the network or the host can do: that is a HostOutcome. */
  sale(order: SaleOrder): Promise<HostOutcome>;
  /** `repeat` marks the message as a repeat (0401). Never rejects for anything that the network or the host can do. */
  reverse(order: ReversalOrder, repeat: boolean): Promise<ReversalOutcome>;
  close(): Promise<void>;
}
