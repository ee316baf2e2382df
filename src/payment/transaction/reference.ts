import { type Amount, majorText, percentOf } from '../../base/domain/amount.ts';
import {
  originalKinds,
  type TransactionKind,
  voidOf,
  type TransactionType,
} from '../../base/domain/transaction-kind.ts';
import type { Reason, Refusal, ResponseResult } from '../../base/domain/reason.ts';
import { cardIntentOf } from '../records/payment.ts';
import { hostNumberOf, type TransactionRecord } from '../records/record.ts';
import { optionsSum } from '../records/answered-option.ts';
import {
  type RecordTree,
  type TransactionStatus,
  transactionStatus,
  stands,
  isCompletion,
} from '../records/transaction-status.ts';

/** The merchant's own limits, in addition to those of the schemes. */
export interface ReferenceRules {
  /** By how much a completion may exceed its auth. */
  readonly completionTolerancePercent: number;
  /** The maximum tip, as a share of the sale. */
  readonly tipPercentMax: number;
  /** A tip may be adjusted only if the customer signed. */
  readonly tipNeedsSignature: boolean;
}

/** A request that names an earlier transaction. */
export interface Reference {
  readonly type: TransactionType;
  readonly amount: Amount;
  readonly tipMinor?: bigint;
}

export interface ReferenceRefusal extends Refusal {
  readonly result: ResponseResult;
  /** The field of the request, RFC 6901. */
  readonly pointer: string;
}

/** The kind that a request resolves to, and its tip. */
export interface Resolved {
  readonly kind: TransactionKind;
  readonly tipMinor: bigint;
}

/** The possible actions with an earlier payment. */
export interface KindsAfter {
  /** The kinds that the acquirers offer for its scheme. */
  readonly offered: readonly TransactionKind[];
  /** The kinds that its scheme does not have at all: FPS has no refunds. */
  readonly lacking: readonly TransactionKind[];
}

export const noOriginal = no('NOT_FOUND', 'originalUnknown', 'names no transaction of this terminal');

/**
 * Whether a request may void, adjust, complete or refund an earlier transaction (I6): once, not above its total, and
 * not after its settlement (a refund may come later). `settled`: its batch is closed.
 */
export function checkReference(
  request: Reference,
  original: RecordTree | undefined,
  settled: boolean,
  possible: KindsAfter,
  rules: ReferenceRules,
): Resolved | ReferenceRefusal {
  if (!original) return noOriginal;
  const { record } = original;
  if (!stands(record)) return failed(record);
  const kind = request.type === 'VOID' ? voidOf(record.request.type) : request.type;
  if (!kind || !originalKinds(kind).includes(record.request.type)) {
    return status('originalOfOtherKind', `names a ${record.request.type}, which a ${request.type} can't refer to`);
  }
  if (possible.lacking.includes(kind)) {
    return {
      result: 'INVALID_PARAMETER',
      pointer: '/transactionType',
      message: `${kind} is not possible: the wallet gives nothing back; pay the customer by another way`,
      reason: 'walletGivesNothingBack',
    };
  }
  if (!possible.offered.includes(kind)) {
    return {
      result: 'INVALID_PARAMETER',
      pointer: '/transactionType',
      message: `${kind} is not possible for this method`,
      reason: kind === 'REFUND' ? 'originalNotRefundable' : 'kindNotPossible',
    };
  }
  if (request.amount.currency !== record.amount.currency) {
    return {
      result: 'INVALID_CURRENCY',
      pointer: '/currency',
      message: 'must be the currency of the original',
      reason: 'currencyOfOriginal',
    };
  }
  if (record.cashReturns) return status('originalRefunded', 'names a payment that was given back in cash');
  const now = transactionStatus(original);
  if (now.voided) return over(record);
  const resolved = checkRules(kind, request, original, now, settled, rules);
  if (isReferenceRefusal(resolved) || kind === 'REFUND') return resolved;
  if (isUnnumbered(record) && !kind.startsWith('VOID_')) {
    return status(
      'originalWithoutNumber',
      'names a transaction whose number at its host is not known, because only the bank has confirmed it: void it, and take the payment again',
    );
  }
  if (hasCardNumber(record)) return resolved;
  return status('originalTooOld', 'names an authorization whose card number is not kept any more');
}

/**
 * A card payment that only the bank has confirmed, by telephone. A void names it by its trace number; the message of a
 * completion or of a tip has no place for that, and its host would reject it after the POS has had its answer.
 */
function isUnnumbered(record: TransactionRecord): boolean {
  return cardIntentOf(record.intent) !== undefined && record.position === 'posted' && hostNumberOf(record) === '';
}

/** A message about a card contains the number as the reader encrypted it. A refund reads the card again. */
function hasCardNumber({ intent }: TransactionRecord): boolean {
  return cardIntentOf(intent)?.encryptedPan !== '';
}

export function isReferenceRefusal(answer: object): answer is ReferenceRefusal {
  return 'pointer' in answer;
}

function checkRules(
  kind: TransactionKind,
  request: Reference,
  original: RecordTree,
  now: TransactionStatus,
  settled: boolean,
  rules: ReferenceRules,
): Resolved | ReferenceRefusal {
  switch (kind) {
    case 'AUTH_COMP':
    case 'OFFLINE_SALE':
      return checkCompletion(kind, request.amount, now, rules);
    case 'TIP_ADJUST':
      if (isCompletion(original.record)) {
        return status('originalOfOtherKind', 'names the completion of an authorization, which takes no tip');
      }
      return settled
        ? status('originalSettled', 'names a settled transaction')
        : checkTip(request, original, now, rules);
    case 'REFUND':
      return checkRefund(request.amount, now);
    default:
      // An auth is in no settlement, so it may be voided after one.
      if (settled && kind !== 'VOID_AUTH') return status('originalSettled', 'names a settled transaction');
      return checkVoid(kind, request.amount, now);
  }
}

function checkVoid(kind: TransactionKind, amount: Amount, now: TransactionStatus): Resolved | ReferenceRefusal {
  if (now.completed) return status('originalCompleted', 'names an auth that is completed: void the completion');
  if (now.refundedMinor > 0n) return status('originalRefunded', 'names a transaction that was refunded');
  if (amount.minor !== now.total.minor)
    return amountFault('notWholeAmount', `must be the whole amount, ${majorText(now.total)}`);
  return { kind, tipMinor: now.tipMinor };
}

function checkCompletion(
  kind: TransactionKind,
  amount: Amount,
  now: TransactionStatus,
  rules: ReferenceRules,
): Resolved | ReferenceRefusal {
  if (now.completed) return status('originalCompleted', 'names an auth that is completed');
  const most = now.total.minor + percentOf(now.total.minor, rules.completionTolerancePercent);
  if (amount.minor > most)
    return amountFault('aboveCompletion', `must be at most ${majorText({ ...now.total, minor: most })}`);
  return { kind, tipMinor: 0n };
}

function checkRefund(amount: Amount, now: TransactionStatus): Resolved | ReferenceRefusal {
  const left = now.total.minor - now.refundedMinor;
  if (amount.minor > left) {
    return amountFault(
      'aboveOriginal',
      `must be at most ${majorText({ ...now.total, minor: left })}, the rest of the original`,
    );
  }
  return { kind: 'REFUND', tipMinor: 0n };
}

/** The amount of a tip adjustment is the new total (SPEC §2.1: requestAmount is the total amount). */
function checkTip(
  request: Reference,
  original: RecordTree,
  now: TransactionStatus,
  rules: ReferenceRules,
): Resolved | ReferenceRefusal {
  if (now.adjusted) return status('originalAdjusted', 'names a sale whose tip was adjusted before');
  if (now.refundedMinor > 0n) return status('originalRefunded', 'names a sale that was refunded');
  const method = cardIntentOf(original.record.intent)?.card.authenticationMethod ?? '';
  if (rules.tipNeedsSignature && !method.includes('SIGNATURE')) {
    return status('originalNotSigned', 'names a sale that the customer did not sign for');
  }
  const base = now.total.minor - now.tipMinor;
  const amount = request.amount.minor - base;
  if (amount <= 0n) {
    return amountFault(
      'tipNotAbove',
      `must be the new total: more than ${majorText({ ...now.total, minor: base })}, the sale without tip`,
    );
  }
  if (request.tipMinor !== undefined && request.tipMinor !== amount) {
    return amountFault('tipNotTheDifference', 'must be the new total: the sale without tip, plus tipAmount');
  }
  if (amount > percentOf(base - optionsSum(original.record), rules.tipPercentMax)) {
    return amountFault('tipTooHigh', `must be a total with at most ${rules.tipPercentMax} % tip`);
  }
  return { kind: 'TIP_ADJUST', tipMinor: amount };
}

function failed({ advice, adviceAnswer }: TransactionRecord): ReferenceRefusal {
  if (advice !== 'rejected') return status('originalNotApproved', 'names a transaction that was not approved');
  const code = adviceAnswer ? ` (code ${adviceAnswer.responseCode})` : '';
  return status('originalRejected', `names a transaction that the host rejected${code}`);
}

function over({ request }: TransactionRecord): ReferenceRefusal {
  const result = 'TRANSACTION_ALREADY_CANCEL';
  return request.type === 'AUTH'
    ? no(result, 'originalReleased', 'names an authorization that was released (voided)')
    : no(result, 'originalVoided', 'names a transaction that was voided');
}

function no(result: ResponseResult, reason: Reason, message: string): ReferenceRefusal {
  return { result, pointer: '/originalTerminalTransactionId', message, reason };
}

function status(reason: Reason, message: string): ReferenceRefusal {
  return no('INVALID_TRANSACTION_STATUS', reason, message);
}

function amountFault(reason: Reason, message: string): ReferenceRefusal {
  return { result: 'INVALID_PARAMETER', pointer: '/requestAmount', message, reason };
}
