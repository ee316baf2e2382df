import { parseMajor } from '../../src/base/domain/amount.ts';
import type { CurrencyCode } from '../../src/base/domain/currency.ts';
import type { TransactionKind } from '../../src/base/domain/transaction-kind.ts';
import type { TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { Wanted } from './pos-call.ts';

/** The fields of a PosResponse (SPEC §2.2) that concern money. */
export interface PosAnswer {
  readonly id: TerminalTransactionId;
  readonly messageId: string;
  /** Empty on a terminal without merchants. */
  readonly merchantId: string;
  readonly result: string;
  /** Only without success. */
  readonly impact: string;
  readonly type: TransactionKind;
  readonly method: string;
  readonly message: string;
  readonly totalMinor: bigint;
  /** The requested and the remaining amount of a sale that was approved in part. */
  readonly requestedMinor?: bigint;
  readonly remainingMinor?: bigint;
  /** Within the total. */
  readonly tipMinor: bigint;
  readonly status: string;
  readonly refundedMinor: bigint;
  /** Further payments of the customer that must be given back. */
  readonly extra: readonly Extra[];
  /** What is to be settled with the customer: kind and transaction. */
  readonly matters: readonly string[];
}

interface Extra {
  readonly method: string;
  readonly minor: bigint;
  readonly currency: string;
}

function extraOf(extraPayments: unknown): Extra[] {
  const all = (extraPayments ?? []) as readonly {
    readonly paymentMethod: string;
    readonly amount: number;
    readonly currency: CurrencyCode;
    readonly state: string;
  }[];
  return all
    .filter(({ state }) => state === 'TO_BE_RETURNED')
    .map(({ paymentMethod: method, amount, currency }) => ({ method, minor: minorOf(amount, currency), currency }));
}

function mattersOf(customerMatters: unknown): string[] {
  const all = (customerMatters ?? []) as readonly {
    readonly kind: string;
    readonly state: string;
    readonly terminalTransactionId: string;
  }[];
  return all.filter(({ state }) => state === 'OPEN').map(({ kind, terminalTransactionId: id }) => `${kind} ${id}`);
}

/** The amount of a request, with the tip for which its customer was asked. */
export function totalOf(request: Pick<Wanted, 'amount' | 'askTip'>, answer: PosAnswer | undefined): bigint {
  return askedOf(request, answer) - (answer?.remainingMinor ?? 0n);
}

/** The requested amount with the customer's tip. */
export function askedOf(request: Pick<Wanted, 'amount' | 'askTip'>, answer: PosAnswer | undefined): bigint {
  return request.amount.minor + (request.askTip === true ? (answer?.tipMinor ?? 0n) : 0n);
}

function minorOf(major: number, currency: CurrencyCode): bigint {
  const amount = parseMajor(String(major), currency);
  if (typeof amount === 'string') throw new Error(`an answer with the amount ${major}`);
  return amount.minor;
}

/** A text field of an answer; empty if it is missing. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The transaction in an answer; undefined if it has none. */
export function posAnswerOf(body: Readonly<Record<string, unknown>>): PosAnswer | undefined {
  const {
    terminalTransactionId,
    responseResult,
    financialImpact = '',
    transactionResult,
    messageId,
    merchantId,
    message = '',
    extraPayments,
    customerMatters,
  } = body;
  if (typeof terminalTransactionId !== 'string' || typeof transactionResult !== 'object') return undefined;
  const {
    tranType,
    tranStatus,
    paymentMethod,
    totalAmount,
    tipAmount,
    refundedAmount,
    requestedAmount,
    remainingAmount,
    currency,
  } = transactionResult as {
    readonly tranStatus: string;
    readonly refundedAmount?: number;
    readonly requestedAmount?: number;
    readonly remainingAmount?: number;
    readonly tranType: string;
    readonly totalAmount: number;
    readonly tipAmount: number;
    readonly currency: CurrencyCode;
    readonly paymentMethod: string;
  };
  return {
    id: terminalTransactionId as TerminalTransactionId,
    messageId: wordOf(messageId),
    merchantId: wordOf(merchantId),
    result: wordOf(responseResult),
    impact: wordOf(financialImpact),
    type: tranType as TransactionKind,
    method: paymentMethod,
    message: wordOf(message),
    totalMinor: minorOf(totalAmount, currency),
    tipMinor: minorOf(tipAmount, currency),
    ...(requestedAmount === undefined ? {} : { requestedMinor: minorOf(requestedAmount, currency) }),
    ...(remainingAmount === undefined ? {} : { remainingMinor: minorOf(remainingAmount, currency) }),
    status: tranStatus,
    refundedMinor: minorOf(refundedAmount ?? 0, currency),
    extra: extraOf(extraPayments),
    matters: mattersOf(customerMatters),
  };
}

/**
 * Whether every refund is reported as one to be settled with the customer: a host may reverse the whole payment after
 * the bank had confirmed it.
 */
export function listsRefunds(
  { matters }: PosAnswer,
  later: readonly { readonly answer: Pick<PosAnswer, 'id' | 'type'> }[],
  hasMinor: bigint,
): boolean {
  const refunds = later.filter(({ answer }) => answer.type === 'REFUND');
  return hasMinor === 0n && refunds.every(({ answer }) => matters.includes(`REFUND_OF_REVERSED ${answer.id}`));
}

/**
 * The faults of the last enquiry about the refunds of a payment, made when nothing runs any more; `hasMinor`: the
 * host's amount of it.
 */
export function refundFaults(
  { result, status, refundedMinor }: PosAnswer,
  refunded: bigint,
  hasMinor: bigint,
): string[] {
  if (result !== 'SUCCESS') return [];
  if (refunded !== refundedMinor)
    return [`I6: ${refundedMinor} is reported as refunded, and refunds of ${refunded} stand`];
  const due = refunded === hasMinor ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
  return refunded === 0n || status === due
    ? []
    : [`I6: it is reported as ${status}, and ${refunded} of ${hasMinor} is refunded`];
}
