import type { Reason } from '../../base/domain/reason.ts';
import { encodePairs, type Pairs } from './form-pairs.ts';

type ErrorCondition =
  | 'Aborted'
  | 'Busy'
  | 'Cancel'
  | 'DeviceOut'
  | 'InProgress'
  | 'InvalidCard'
  | 'MessageFormat'
  | 'NotAllowed'
  | 'NotFound'
  | 'PaymentRestriction'
  | 'Refusal'
  | 'UnavailableDevice'
  | 'UnavailableService'
  | 'UnreachableHost'
  | 'WrongPIN';

/** The element Response of every answer. */
export interface NexoResponse {
  readonly Result: 'Success' | 'Partial' | 'Failure';
  readonly ErrorCondition?: ErrorCondition;
  readonly AdditionalResponse?: string;
}

/** Reports an answer of the terminal's calls; the fields are absent where they have no meaning. */
export interface PosBody {
  readonly responseResult?: string;
  readonly reason?: string;
  readonly financialImpact?: string;
  readonly retryable?: string;
  readonly hostCode?: string;
  readonly message?: string;
  readonly text?: { readonly en?: string };
  readonly terminalTransactionId?: string;
  readonly [name: string]: unknown;
}

/** A reason that stands here is the same in every call; any other follows from the result. */
const conditions: Readonly<Partial<Record<Reason, ErrorCondition>>> = {
  cancelledByPos: 'Aborted',
  cancelledByMerchant: 'Cancel',
  cancelledByCustomer: 'Cancel',
  customerTimeout: 'Cancel',
  codeNotPaid: 'Cancel',
  withdrawn: 'Cancel',
  busy: 'Busy',
  settlementRunning: 'Busy',
  tooManyCalls: 'Busy',
  printQueueFull: 'Busy',
  printerBusy: 'Busy',
  transactionRunning: 'InProgress',
  wrongPin: 'WrongPIN',
  pinTriesExceeded: 'WrongPIN',
  cardNotSupported: 'InvalidCard',
  invalidCardNumber: 'InvalidCard',
  cardUnusable: 'InvalidCard',
  notCardOfOriginal: 'InvalidCard',
  currencyNotTaken: 'PaymentRestriction',
  currencyUnknown: 'PaymentRestriction',
  currencyOfOriginal: 'PaymentRestriction',
  amountNotPossible: 'PaymentRestriction',
  amountInvalid: 'PaymentRestriction',
  hostDown: 'UnreachableHost',
  noAnswer: 'UnreachableHost',
  linkClosed: 'UnreachableHost',
  garbledAnswer: 'UnreachableHost',
  notSignedOn: 'UnreachableHost',
  undecidedAtHost: 'UnreachableHost',
  codeNotClosed: 'UnreachableHost',
  reversalsPending: 'UnreachableHost',
  advicesPending: 'UnreachableHost',
  cardReaderAbsent: 'UnavailableDevice',
  scannerAbsent: 'UnavailableDevice',
  octopusReaderAbsent: 'UnavailableDevice',
  deviceAbsent: 'UnavailableDevice',
  cardReaderFailed: 'UnavailableDevice',
  pinPadFailed: 'UnavailableDevice',
  scannerFailed: 'UnavailableDevice',
  octopusReaderFailed: 'UnavailableDevice',
  deviceFailed: 'UnavailableDevice',
  printerAbsent: 'UnavailableDevice',
  printerNotConfigured: 'UnavailableDevice',
  printerError: 'UnavailableDevice',
  printerCoverOpen: 'DeviceOut',
  printerPaperOut: 'DeviceOut',
  transactionUnknown: 'NotFound',
  originalUnknown: 'NotFound',
  beforeJournal: 'NotFound',
  notPaired: 'NotAllowed',
  otherPosId: 'NotAllowed',
  posIdReserved: 'NotAllowed',
  messageIdReused: 'NotAllowed',
};

/** Calls that are refused before anything starts. */
const refusedStatus = 422;

/** Tills look for these numbers before the text of `message`. */
const numbers: Readonly<Partial<Record<ErrorCondition, string>>> = { Aborted: '104 ', Cancel: '108 ' };

export const success: NexoResponse = { Result: 'Success' };

export function failure(condition: ErrorCondition, message: string, more: Pairs = {}): NexoResponse {
  const AdditionalResponse = encodePairs({ message: (numbers[condition] ?? '') + message, ...more });
  return { Result: 'Failure', ErrorCondition: condition, AdditionalResponse };
}

/** The response for a call that ended without SUCCESS. `status`: of HTTP, as the call has it. */
export function failureOf(status: number, body: PosBody, more: Pairs = {}): NexoResponse {
  const { reason, financialImpact, retryable, hostCode, message = '', text } = body;
  const condition = conditionOf(status, body);
  const refusalReason = condition === 'Refusal' ? [hostCode, reason].filter(Boolean).join(' ') : undefined;
  const words = text?.en ?? message;
  return failure(condition, words, { refusalReason, financialImpact, reason, retryable, ...more });
}

function conditionOf(status: number, { responseResult, reason = '' }: PosBody): ErrorCondition {
  const known = Object.hasOwn(conditions, reason) ? conditions[reason as Reason] : undefined;
  if (known) return known;
  if (responseResult === 'DECLINED') return 'Refusal';
  if (responseResult === 'NOT_FOUND') return 'NotFound';
  if (status === 400) return 'MessageFormat';
  return status === refusedStatus ? 'NotAllowed' : 'UnavailableService';
}

/**
 * Whether the outcome is open. The standard has no value for it, so such an answer is never passed on: a till would
 * take any failure as "not paid".
 */
export function isOpen({ responseResult, financialImpact }: PosBody): boolean {
  return responseResult !== 'SUCCESS' && financialImpact === 'UNKNOWN';
}
