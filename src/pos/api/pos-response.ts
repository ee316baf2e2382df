import { type Amount, majorNumber } from '../../base/domain/amount.ts';
import { posDetailsOf } from '../../base/domain/pos-details.ts';
import type { ReceiptStatus } from '../../base/domain/receipt-status.ts';
import { responseCode, type FinancialImpact } from '../../base/domain/response-code.ts';
import type { Present, PresentAmounts } from '../../payment/records/present.ts';
import type { MethodDetails } from '../../payment/method/description.ts';
import { detailsOf } from '../../payment/method/descriptions.ts';
import { optionFields } from '../../payment/options/descriptions.ts';
import { optionsSum, type AnsweredOption } from '../../payment/records/answered-option.ts';
import { cardIntentOf, meansOf } from '../../payment/records/payment.ts';
import { financialImpact, presentImpact } from '../../payment/records/impact.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import type { ReceiptCopy, Reprints } from './reprints.ts';
import { customerMatterFields } from './customer-matters.ts';
import { extraPayments, lateMessage } from './extra-payments.ts';
import { isCompletion, tipMinor } from '../../payment/records/transaction-status.ts';
import { conclusionForEnquiry, presentConclusion } from '../../payment/records/present-conclusion.ts';
import type { Reason } from '../../base/domain/reason.ts';
import type { TransactionKind } from '../../base/domain/transaction-kind.ts';
import { toldReason } from './envelope.ts';

/** The kinds whose failure leaves an earlier transaction as it was, in words for the cashier. */
const changes: readonly (readonly [RegExp, en: string, zhHant: string])[] = [
  [/^VOID_/, 'void', '撤銷交易'],
  [/^REFUND$/, 'refund', '退款'],
  [/^TIP_ADJUST$/, 'tip', '小費調整'],
  [/^AUTH_COMP$/, 'completion', '預先授權完成'],
];

/** With these the reason's own words fit every kind. */
const confirmed: readonly Reason[] = ['confirmedPosted', 'confirmedReturned'];

/**
 * The reason of a transaction that ended without SUCCESS. The words of most reasons speak of a payment: for a void, a
 * refund, a tip or a completion the cashier is told whether it was carried out, so that nobody gives goods or money back
 * twice.
 */
export function whyOf(kind: TransactionKind, reason: Reason, impact: FinancialImpact) {
  const why = toldReason(reason, impact);
  const [, en, zhHant] = changes.find(([kinds]) => kinds.test(kind)) ?? [];
  if (en === undefined || why.retryable === 'CALL_OPERATOR' || confirmed.includes(reason)) return why;
  const text =
    why.retryable === 'ENQUIRE'
      ? {
          en: `It is not certain yet whether the ${en} was carried out. Ask again, and do nothing meanwhile.`,
          'zh-Hant': `尚未確定${zhHant}是否完成。請稍後再查詢，期間請勿處理。`,
        }
      : {
          en: `The ${en} was not carried out: the earlier transaction stands.`,
          'zh-Hant': `${zhHant}未能完成：原交易維持不變。`,
        };
  return { ...why, text };
}

/** What an answer with print data is made from. */
export interface PrintParts {
  readonly shop: Shop;
  readonly reprints: Pick<Reprints, 'slip' | 'fault'>;
}

export interface Shop {
  readonly name: string;
  readonly address: string;
  readonly phone: string;
  readonly email: string;
  /** A data: URL; empty for none. */
  readonly logo: string;
}

/**
 * The PosResponse of a transaction that ended (SPEC §2.2), in the shape of its acceptance. `now`: with a status for an
 * enquiry, which tells the present state; otherwise the answer is as it was told first, with the amounts of now.
 */
export function posResponse(
  record: TransactionRecord,
  parts: PrintParts,
  now: Partial<Present> = {},
): Record<string, unknown> {
  const { request, id } = record;
  const present = { ...now, status: now.status ?? endStatus(record) };
  const conclusion = now.status ? conclusionForEnquiry(record) : presentConclusion(record);
  const impact = now.status ? presentImpact(record) : financialImpact(record);
  const common = {
    messageId: request.messageId,
    posId: request.posId,
    responseResult: conclusion.result,
    terminalTransactionId: id,
    ...posDetailsOf(request),
    ...toldReceipt(record, parts),
    ...(request.clockDoubt === undefined ? {} : { clockDoubt: request.clockDoubt }),
    ...extraPayments(record),
    ...customerMatterFields(record),
  };
  const trouble =
    conclusion.result === 'SUCCESS'
      ? lateMessage(record)
      : {
          message: conclusion.message,
          financialImpact: impact,
          ...whyOf(isCompletion(record) ? 'AUTH_COMP' : request.type, conclusion.reason ?? 'unspecified', impact),
          ...(hostCode(record) === '' ? {} : { hostCode: hostCode(record) }),
        };
  return request.shape === 'B'
    ? { ...common, ...trouble, transactionPrintData: transactionPrintData(record, parts, present) }
    : {
        ...common,
        responseCode: conclusion.result === 'SUCCESS' ? responseCode('SUCCESS') : conclusion.code,
        ...trouble,
        transactionResult: transactionResult(record, present),
      };
}

function toldReceipt({ receipt }: TransactionRecord, { reprints }: PrintParts) {
  const receiptStatus: ReceiptStatus = receipt === undefined ? 'NOT_PRINTED' : receipts[receipt];
  const fault = receiptStatus === 'WAITING' ? reprints.fault : undefined;
  return { receiptStatus, ...(fault === undefined ? {} : { receiptFault: fault }) };
}

const receipts = { queued: 'WAITING', printed: 'PRINTED' } as const satisfies Record<string, ReceiptStatus>;

/** SPEC §2.3. Fields that the transaction did not reach are empty strings; trace numbers are 0. */
function transactionResult(record: TransactionRecord, present: Present): Record<string, unknown> {
  const { request, intent, amount, id } = record;
  const means = intent && meansOf(intent);
  const details = detailsOf(record);
  return {
    acquirerId: intent?.acquirerId ?? '',
    acquirerMid: intent?.mid ?? '',
    acquirerTid: intent?.tid ?? '',
    appName: details.cardData?.appName ?? '',
    approvalCode: approvalCode(record),
    batch: intent?.trace.batch ?? 0,
    createTime: timestamp(record.createdAt),
    currency: amount.currency,
    entryMode: means?.entryMode ?? '',
    hostCode: hostCode(record),
    invoice: intent?.trace.invoice ?? 0,
    maskedPan: means?.maskedNumber ?? '',
    originalTerminalTransactionId: request.originalId ?? '',
    paymentMethod: means?.scheme ?? '',
    poiReferenceId: id,
    posReferenceId: request.messageId,
    rrn: rrn(record),
    tipAmount: majorNumber(tip(record)),
    totalAmount: majorNumber(amount),
    ...laterAmounts(present),
    trace: intent?.trace.stan ?? 0,
    ...methodDetails(record, details),
    tranStatus: present.status,
    tranType: request.type,
  };
}

/** SPEC §2.4. */
export function transactionPrintData(
  record: TransactionRecord,
  { shop, reprints }: PrintParts,
  present: Present = { status: endStatus(record) },
): Record<string, unknown> {
  const { request, intent, amount, id } = record;
  const means = intent && meansOf(intent);
  const details = detailsOf(record);
  const { cardData: card } = details;
  // Only what was sent for authorization has a slip.
  const slip = (copy: ReceiptCopy) => (intent && record.conclusion ? reprints.slip(record, copy) : []);
  return {
    acquirerId: intent?.acquirerId ?? '',
    acquirerMid: intent?.mid ?? '',
    acquirerTid: intent?.tid ?? '',
    approvalCode: approvalCode(record),
    authenticationMethod: card?.authenticationMethod ?? 'UNKNOWN_METHOD',
    batch: intent?.trace.batch ?? 0,
    baseAmount: majorNumber({ ...amount, minor: amount.minor - tip(record).minor - optionsSum(record) }),
    cardData: {
      aid: card?.aid ?? '',
      appName: card?.appName ?? '',
      atc: card?.atc ?? '',
      // The reader encrypts name and expiry date with the track, so this side has neither.
      cardholderName: '',
      maskedExpiry: card ? '**/**' : '',
      maskedPan: means?.maskedNumber ?? '',
      tc: card?.tc ?? '',
      tsi: card?.tsi ?? '',
      tvr: card?.tvr ?? '',
    },
    currency: amount.currency,
    customerSlip: slip('CUSTOMER'),
    dateTime: timestamp(record.createdAt),
    entryMode: means?.entryMode ?? '',
    hostCode: hostCode(record),
    invoice: intent?.trace.invoice ?? 0,
    merchantSlip: slip('MERCHANT'),
    originalTerminalTransactionId: request.originalId ?? '',
    paymentBrand: means?.scheme ?? '',
    paymentInstrumentType: means?.instrumentType ?? 'CARD',
    posReferenceId: request.messageId,
    rrn: rrn(record),
    shopAddress: shop.address,
    shopEmail: shop.email,
    shopLogo: shop.logo,
    shopName: shop.name,
    shopPhone: shop.phone,
    tipAmount: majorNumber(tip(record)),
    totalAmount: majorNumber(amount),
    ...laterAmounts(present),
    trace: intent?.trace.stan ?? 0,
    ...methodDetails(record, details),
    transactionId: id,
    transactionStatus: present.status,
    transactionType: request.type,
  };
}

/** What later transactions have changed of its amount; absent where there is none. */
function laterAmounts({ refunded, final }: PresentAmounts): Record<string, unknown> {
  return {
    ...(final ? { finalAmount: majorNumber(final) } : {}),
    ...(refunded ? { refundedAmount: majorNumber(refunded) } : {}),
  };
}

/** Fields of the method, besides those of SPEC §2.3 and §2.4. */
function methodDetails(
  { amount, request, givenBack, options = [] }: TransactionRecord,
  { answer }: MethodDetails,
): Record<string, unknown> {
  const { cashbackMinor } = request;
  const cashback = cashbackMinor === undefined ? undefined : { ...amount, minor: BigInt(cashbackMinor) };
  return {
    ...(cashback ? { cashbackAmount: majorNumber(cashback) } : {}),
    ...(options.length === 0 ? {} : { options: options.map((each) => optionEntry(each, amount)) }),
    ...(givenBack?.refundRrn ? { refundRrn: givenBack.refundRrn } : {}),
    ...answer,
  };
}

/** The answer to the question of a sale option. */
function optionEntry(answered: AnsweredOption, { currency }: Amount): Record<string, unknown> {
  const { name, addedMinor: minor } = answered;
  return { ...optionFields(answered), name, amount: majorNumber({ minor, currency }) };
}

function endStatus(record: TransactionRecord): 'APPROVED' | 'DECLINED' | 'ERROR' {
  switch (presentConclusion(record).outcome) {
    case 'approved':
      return 'APPROVED';
    case 'declined':
      return 'DECLINED';
    default:
      return 'ERROR';
  }
}

function tip(record: TransactionRecord): Amount {
  return { ...record.amount, minor: tipMinor(record) };
}

function approvalCode({ hostOutcome }: TransactionRecord): string {
  return hostOutcome && 'approvalCode' in hostOutcome ? hostOutcome.approvalCode : '';
}

/** The host's own code, as it came; empty without an answer of a host. */
function hostCode({ hostOutcome, adviceAnswer, intent, conclusion }: TransactionRecord): string {
  if (adviceAnswer) return adviceAnswer.responseCode;
  // Others than hosts of cards have no code for an approval.
  if (hostOutcome?.kind === 'approved') return cardIntentOf(intent) ? hostOutcome.responseCode : '';
  const told = hostOutcome && 'responseCode' in hostOutcome ? hostOutcome.responseCode : undefined;
  return told ?? conclusion?.hostCode ?? '';
}

/** For an advice, the host tells its number later; for what a wallet's host did not answer, when it is given back. */
function rrn({ hostOutcome, adviceAnswer, givenBack }: TransactionRecord): string {
  return hostOutcome && 'rrn' in hostOutcome ? hostOutcome.rrn : (adviceAnswer?.rrn ?? givenBack?.rrn ?? '');
}

/** yyyy-MM-ddTHH:mm:ss and a numeric offset without colon (SPEC §2.3), always in UTC: '2026-11-21T09:30:00+0000'. */
function timestamp(at: Date): string {
  return `${at.toISOString().slice(0, 19)}+0000`;
}
