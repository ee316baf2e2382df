import { parseMajor } from '../../base/domain/amount.ts';
import { isCurrencyCode } from '../../base/domain/currency.ts';
import type { PosAnswer } from '../contracts/pos-calls.ts';
import { type EcrAnswer, failure, respcd, wrongParameters } from './wire/answer.ts';

/** What an answer of the terminal says of a transaction. Only `success` means that money has moved for good. */
export type Outcome =
  | { readonly kind: 'success'; readonly transaction: Transaction }
  /** It is not known yet whether money has moved. */
  | { readonly kind: 'open'; readonly message: string }
  /** It has ended, or was refused, and no money has moved. */
  | {
      readonly kind: 'ended';
      readonly answer: EcrAnswer;
      /** Refused before anything started. */
      readonly isRefused: boolean;
    }
  /** The terminal has no such transaction. */
  | { readonly kind: 'unknown'; readonly message: string };

/** A transaction as ECR reports it. Texts are empty where it has none. */
export interface Transaction {
  readonly id: string;
  /** `posReference` of the request: out_trade_no of a trade. */
  readonly reference: string;
  readonly type: string;
  readonly status: string;
  readonly originalId: string;
  /** In minor units. */
  readonly minor: bigint;
  readonly finalMinor: bigint;
  readonly refundedMinor: bigint;
  readonly currency: string;
  readonly createdAt: string;
  readonly method: string;
  readonly entryMode: string;
  readonly maskedPan: string;
  readonly approvalCode: string;
  readonly rrn: string;
  readonly batch: string;
  readonly trace: string;
  readonly mid: string;
  readonly tid: string;
}

type Json = Readonly<Record<string, unknown>>;

/** What the customer or the till has ended: no dialog of an error is wanted. */
const cancelledReasons: readonly unknown[] = [
  'cancelledByPos',
  'cancelledByMerchant',
  'cancelledByCustomer',
  'customerTimeout',
];
/** Another payment runs, or the answer would be the same for any fields. */
const refusedOtherwise: readonly unknown[] = ['busy', 'transactionRunning'];

/** The outcome of a payment, from the answer to it or to an enquiry. */
export function outcomeOf({ status, body }: PosAnswer): Outcome {
  const json = jsonOf(body);
  const { responseResult: result, financialImpact: impact, reason } = json;
  const message = messageOf(json);
  if (result === 'SUCCESS') return { kind: 'success', transaction: transactionOf(json) };
  if (result === 'NOT_FOUND' && status === 404) return { kind: 'unknown', message };
  if (result === 'PROCESSING' || impact === 'UNKNOWN' || impact === 'REVERSAL_PENDING')
    return { kind: 'open', message };
  const isRefused = status !== 200;
  if (cancelledReasons.includes(reason)) {
    return { kind: 'ended', isRefused, answer: { respcd: respcd.cancelled, message } };
  }
  const isWrong = (status === 400 || status === 422 || status === 409) && !refusedOtherwise.includes(reason);
  return { kind: 'ended', isRefused, answer: isWrong ? wrongParameters(message) : failure(message) };
}

/** The sentence for the cashier; of a request that is not possible also why. */
export function messageOf(body: unknown): string {
  const { text, message } = jsonOf(body);
  const { en } = jsonOf(text);
  const sentences = [en, typeof en === 'string' ? undefined : message].filter((each) => typeof each === 'string');
  return sentences.join(' ') || 'the terminal gives no reason';
}

function transactionOf(body: Json): Transaction {
  const result = jsonOf(body['transactionResult']);
  const text = (name: string) => textOf(result[name]);
  const currency = text('currency');
  const minor = minorOf(result['totalAmount'], currency) ?? 0n;
  return {
    id: textOf(body['terminalTransactionId']),
    reference: textOf(body['posReference']),
    type: text('tranType'),
    status: text('tranStatus'),
    originalId: text('originalTerminalTransactionId'),
    minor,
    finalMinor: minorOf(result['finalAmount'], currency) ?? minor,
    refundedMinor: minorOf(result['refundedAmount'], currency) ?? 0n,
    currency,
    createdAt: text('createTime'),
    method: text('paymentMethod'),
    entryMode: text('entryMode'),
    maskedPan: text('maskedPan'),
    approvalCode: text('approvalCode'),
    rrn: text('rrn'),
    batch: text('batch'),
    trace: text('trace'),
    mid: text('acquirerMid'),
    tid: text('acquirerTid'),
  };
}

/** Amounts of an answer are numbers in major units, with at most 15 digits: their text is exact. */
function minorOf(value: unknown, currency: string): bigint | undefined {
  if (typeof value !== 'number' || !isCurrencyCode(currency)) return undefined;
  const amount = parseMajor(String(value), currency);
  return typeof amount === 'string' ? undefined : amount.minor;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function jsonOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
