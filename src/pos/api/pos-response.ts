import type { PosAnswer } from '../contracts/pos-calls.ts';
import { type Amount, majorNumber } from '../../base/domain/amount.ts';
import { partText } from '../../base/domain/contradicted-amount.ts';
import { posDetailsOf, type TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { ReceiptStatus } from '../../base/domain/receipt-status.ts';
import {
  responseCode,
  type FinancialImpact,
  type Reason,
  reasons,
  type Refusal,
  type ResponseResult,
} from '../../base/domain/reason.ts';
import {
  batchOf,
  type Present,
  type PresentAmounts,
  conclusionForEnquiry,
  presentConclusion,
} from '../../payment/records/present.ts';
import type { MethodDetails } from '../../payment/method/description.ts';
import { detailsOf } from '../../payment/method/descriptions.ts';
import { optionFields } from '../../payment/options/descriptions.ts';
import { optionsSum, type AnsweredOption } from '../../payment/records/answered-option.ts';
import { cardIntentOf, instrumentOf } from '../../payment/records/payment.ts';
import { financialImpact, presentImpact } from '../../payment/records/impact.ts';
import { type TransactionRecord, transactionRecord } from '../../payment/records/record.ts';
import { headerOf, type MerchantHeaders } from '../../payment/terminal/merchant-header.ts';
import type { ReceiptCopy, Reprints } from './reprints.ts';
import { isCompletion, tipMinor } from '../../payment/records/transaction-status.ts';
import type { TransactionKind } from '../../base/domain/transaction-kind.ts';
import type { InputFault } from './input.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { ExtraPaymentEvent, CustomerMatterEvent } from '../../payment/contracts/terminal-events.ts';
import {
  type ExtraPayment,
  type ExtraState,
  extraPaymentOf,
  extraPaymentsOf,
  extraText,
} from '../../payment/records/extra-payments.ts';
import { mattersText } from '../../payment/records/customer-matters.ts';
import { buildTree, readMatters } from '../../payment/records/record-tree.ts';
import type { CustomerMatter, MatterKind } from '../../payment/events/customer-matter.ts';

/** A matter to be settled with the customer, in answers and events. */
export const matterNames = {
  refundOfReversed: 'REFUND_OF_REVERSED',
  countedLate: 'COUNTED_LATE',
  reversedLate: 'REVERSED_LATE',
  reversedAfterSettlement: 'REVERSED_AFTER_SETTLEMENT',
  cashNotGiven: 'CASH_NOT_GIVEN',
} as const satisfies Readonly<Record<MatterKind, string>>;

export const matterStates = { open: 'OPEN', settled: 'SETTLED' } as const;

/** The field `customerMatters` of an answer; absent if the transaction has none. */
function customerMatterFields({ matters = [] }: Pick<TransactionRecord, 'matters'>) {
  return matters.length === 0 ? {} : { customerMatters: matters.map(fieldsOf) };
}

/**
 * The events for the present matters of a transaction and of its refunds: each for the POS of the transaction that it
 * is about. Empty if there is none. Rejects with JournalError, or UnreadableRecord.
 */
export async function customerMatterEvents(
  id: TerminalTransactionId,
  journal: Pick<Journal, 'read' | 'later'>,
): Promise<readonly CustomerMatterEvent[]> {
  const events: CustomerMatterEvent[] = [];
  for (const matter of await readMatters(id, journal)) {
    const { posId, messageId } = transactionRecord(matter.id, await journal.read(matter.id)).request;
    events.push({ posId, messageId, terminalTransactionId: matter.id, customerMatter: fieldsOf(matter) });
  }
  return events;
}

function fieldsOf({ id, kind, type, scheme, amount, state }: CustomerMatter): CustomerMatterEvent['customerMatter'] {
  return {
    kind: matterNames[kind],
    transactionType: type,
    paymentMethod: scheme,
    amount: majorNumber(amount),
    currency: amount.currency,
    state: matterStates[state],
    terminalTransactionId: id,
  };
}

/** The state of an extra payment, as answers and events name it. */
export const extraStates = {
  toBeReturned: 'TO_BE_RETURNED',
  beingReturned: 'BEING_RETURNED',
  returned: 'RETURNED',
} as const satisfies Readonly<Record<ExtraState, string>>;

/** The field `extraPayments` of an answer; empty if the transaction has none. */
function extraPayments(record: Pick<TransactionRecord, 'unmatched'>) {
  const extra = extraPaymentsOf(record).map(extraFields);
  return extra.length === 0 ? {} : { extraPayments: extra };
}

/**
 * The message of a success whose customer has also paid by a code that was shown before, or with whom something is to
 * be settled.
 */
function lateMessage(record: Pick<TransactionRecord, 'unmatched' | 'matters'>): { readonly message?: string } {
  const extra = extraPaymentsOf(record);
  const twice = extra.length === 0 ? '' : `paid twice: ${extraText(extra)}`;
  const message = [twice, mattersText(record.matters)].filter(Boolean).join('; ');
  return message === '' ? {} : { message };
}

/**
 * The events for the present states of the extra payments of a transaction, or for the extra payment that this
 * transaction of the terminal itself is. Empty if there is none. Rejects with JournalError, or UnreadableRecord.
 */
export async function extraPaymentEvents(
  id: TerminalTransactionId,
  journal: Pick<Journal, 'read' | 'later'>,
): Promise<readonly ExtraPaymentEvent[]> {
  const record = await recordOf(id, journal);
  const own = record && extraPaymentOf(record);
  const sale = own ? await recordOf(record.request.originalId ?? id, journal) : record;
  if (!sale) return [];
  const { posId, messageId } = sale.request;
  return (own ? [own] : extraPaymentsOf(sale)).map((payment) => ({
    posId,
    messageId,
    terminalTransactionId: sale.id,
    extraPayment: extraFields(payment),
  }));
}

async function recordOf(id: TerminalTransactionId, journal: Pick<Journal, 'read' | 'later'>) {
  return (await buildTree(id, journal))?.record;
}

function extraFields({ id, scheme, amount, state }: ExtraPayment): ExtraPaymentEvent['extraPayment'] {
  return {
    paymentMethod: scheme,
    amount: majorNumber(amount),
    currency: amount.currency,
    state: extraStates[state],
    terminalTransactionId: id,
  };
}

/** An HTTP answer before serialization. */
export type Answer = PosAnswer;

export interface ErrorDetail {
  readonly posId?: string;
  readonly messageId?: string;
  readonly financialImpact?: FinancialImpact;
  readonly errors?: readonly InputFault[];
  /** The owner of the running transaction, if the terminal is busy. */
  readonly running?: { readonly posId: string; readonly messageId: string };
  readonly state?: string;
  /** The step of that state: 'presentingCard'. */
  readonly step?: string;
  /** The outcome of the transaction that can no longer be cancelled. */
  readonly transaction?: Readonly<Record<string, unknown>>;
  /** The transaction kinds that are possible instead. */
  readonly possible?: readonly string[];
}

/** The body as sent; undefined if there is none. */
export function bodyOf(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

export const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** The envelope of all answers other than a transaction's outcome. It never repeats a value of the request. */
export function errorAnswer(
  status: number,
  result: ResponseResult,
  { reason, message }: Refusal,
  detail: ErrorDetail = {},
): Answer {
  return {
    status,
    body: {
      responseResult: result,
      responseCode: responseCode(result),
      message,
      ...reportedReason(reason, detail.financialImpact),
      ...detail,
    },
  };
}

/**
 * The fields with the reason of every answer that is not SUCCESS. A newer version may have recorded a reason that is
 * unknown here. While money may have moved, no request may be repeated, for any reason: the POS enquires.
 */
export function reportedReason(recorded: Reason, impact: FinancialImpact = 'NONE') {
  const reason = Object.hasOwn(reasons, recorded) ? recorded : 'unspecified';
  const { retryable, text } = reasons[reason];
  const isOpen = impact === 'UNKNOWN' || impact === 'REVERSAL_PENDING';
  if (!isOpen || retryable === 'CALL_OPERATOR' || retryable === 'ENQUIRE') return { reason, retryable, text };
  return { reason, retryable: 'ENQUIRE' as const, text: openTexts[impact] };
}

/** Replace a text that asks for another payment, while the money of this one is not where it was. */
const openTexts = {
  UNKNOWN: reasons.outcomeUnknown.text,
  REVERSAL_PENDING: {
    en: 'The payment failed and is being reversed. Ask again in a minute, and do not charge again yet.',
    'zh-Hant': '付款失敗，正在取消。請於一分鐘後再查詢，請勿立即重新收款。',
  },
} as const;

/** The kinds whose failure leaves an earlier transaction as it was, in words for the cashier. */
const changes: readonly (readonly [RegExp, en: string, zhHant: string])[] = [
  [/^VOID_/, 'void', '撤銷交易'],
  [/^REFUND$/, 'refund', '退款'],
  [/^TIP_ADJUST$/, 'tip', '小費調整'],
  [/^AUTH_COMP$/, 'completion', '預先授權完成'],
];

/** Reasons whose text fits every kind. */
const confirmed: readonly Reason[] = ['confirmedPosted', 'confirmedReturned'];

/** Reasons that the earlier transaction does not stand, or not as it was, when the request arrived. */
const originalIsOver: readonly Reason[] = [
  'originalNotApproved',
  'originalRejected',
  'originalVoided',
  'originalReleased',
  'originalCompleted',
  'originalRefunded',
];

/**
 * The reason of a transaction that ended without SUCCESS. The texts of most reasons are about a payment. For a void, a
 * refund, a tip or a completion the text states whether it was carried out, so that goods or money are not returned
 * twice. `originalStands`: undefined if that is not known, or if it refers to nothing.
 */
export function whyOf(
  kind: TransactionKind,
  reason: Reason,
  impact: FinancialImpact,
  originalStands?: boolean,
): ReturnType<typeof reportedReason> {
  const why = reportedReason(reason, impact);
  const [, en, zhHant] = changes.find(([kinds]) => kinds.test(kind)) ?? [];
  if (en === undefined || why.retryable === 'CALL_OPERATOR' || confirmed.includes(reason)) return why;
  if (why.retryable === 'ENQUIRE') {
    const text = {
      en: `It is not certain yet whether the ${en} was carried out. Ask again, and do nothing meanwhile.`,
      'zh-Hant': `尚未確定${zhHant}是否完成。請稍後再查詢，期間請勿處理。`,
    };
    return { ...why, text };
  }
  const [also, alsoZhHant] = aboutOriginal(reason, originalStands);
  const text = { en: `The ${en} was not carried out${also}`, 'zh-Hant': `${zhHant}未能完成${alsoZhHant}` };
  return { ...why, text };
}

/** What became of the earlier transaction: the end of a text. */
function aboutOriginal(reason: Reason, stands: boolean | undefined): readonly [en: string, zhHant: string] {
  if (originalIsOver.includes(reason)) {
    const { text } = reasons[reason];
    return [`. ${text.en}`, `。${text['zh-Hant']}`];
  }
  if (stands === undefined) return ['.', '。'];
  return stands
    ? [': the earlier transaction stands.', '：原交易維持不變。']
    : ['. The earlier transaction does not stand any more.', '。原交易亦不再有效。'];
}

/** If the card covers only a part, the text has that amount as soon as nothing is charged. */
function partWords({ hostOutcome }: TransactionRecord, reason: Reason | undefined, impact: FinancialImpact) {
  const covered = hostOutcome?.kind === 'unknown' ? hostOutcome.covered : undefined;
  if (!covered || reason !== 'cardCoversOnly' || (impact !== 'NONE' && impact !== 'REVERSED')) return {};
  const amount = partText(covered);
  const en = `The card covers only ${amount}. Pay another way.`;
  return { text: { en, 'zh-Hant': `此卡只可支付 ${amount}。請用其他方式付款。` } };
}

/** The sources of an answer with print data. */
export interface PrintParts {
  readonly shop: Shop;
  /** The headers of merchants by their ids. Their receipts have these instead of the shop's. */
  readonly merchantHeaders?: MerchantHeaders;
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
 * enquiry, which reports the present state. Otherwise the answer is the first one, with the present amounts.
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
    ...(request.merchantId === undefined ? {} : { merchantId: request.merchantId }),
    ...(request.splitOf === undefined ? {} : { splitOf: request.splitOf }),
    ...posDetailsOf(request),
    ...reportedReceipt(record, parts),
    ...(request.clockDoubt === undefined ? {} : { clockDoubt: request.clockDoubt }),
    ...extraPayments(record),
    ...customerMatterFields(record),
  };
  const refusal =
    conclusion.result === 'SUCCESS'
      ? lateMessage(record)
      : {
          message: conclusion.message,
          financialImpact: impact,
          ...whyOf(
            isCompletion(record) ? 'AUTH_COMP' : request.type,
            conclusion.reason ?? 'unspecified',
            impact,
            record.originalStands,
          ),
          ...partWords(record, conclusion.reason, impact),
          ...(hostCode(record) === '' ? {} : { hostCode: hostCode(record) }),
        };
  return request.shape === 'B'
    ? { ...common, ...refusal, transactionPrintData: transactionPrintData(record, parts, present) }
    : {
        ...common,
        responseCode: conclusion.result === 'SUCCESS' ? responseCode('SUCCESS') : conclusion.code,
        ...refusal,
        transactionResult: transactionResult(record, present),
      };
}

function reportedReceipt({ receipt }: TransactionRecord, { reprints }: PrintParts) {
  const receiptStatus: ReceiptStatus = receipt === undefined ? 'NOT_PRINTED' : receipts[receipt];
  const fault = receiptStatus === 'WAITING' ? reprints.fault : undefined;
  return { receiptStatus, ...(fault === undefined ? {} : { receiptFault: fault }) };
}

const receipts = { queued: 'WAITING', printed: 'PRINTED' } as const satisfies Record<string, ReceiptStatus>;

/** SPEC §2.3. Fields that the transaction did not reach are empty strings; trace numbers are 0. */
function transactionResult(record: TransactionRecord, present: Present): Record<string, unknown> {
  const { request, intent, amount, id } = record;
  const instrument = intent && instrumentOf(intent);
  const details = detailsOf(record);
  return {
    acquirerId: intent?.acquirerId ?? '',
    acquirerMid: intent?.mid ?? '',
    acquirerTid: intent?.tid ?? '',
    appName: details.cardData?.appName ?? '',
    approvalCode: approvalCode(record),
    batch: batchOf(record),
    createTime: timestamp(record.createdAt),
    currency: amount.currency,
    entryMode: instrument?.entryMode ?? '',
    hostCode: hostCode(record),
    invoice: intent?.trace.invoice ?? 0,
    maskedPan: instrument?.maskedNumber ?? '',
    originalTerminalTransactionId: request.originalId ?? '',
    paymentMethod: instrument?.scheme ?? '',
    poiReferenceId: id,
    posReferenceId: request.messageId,
    rrn: rrn(record),
    tipAmount: majorNumber(tip(record)),
    totalAmount: majorNumber(amount),
    ...partialAmounts(record),
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
  { reprints, ...parts }: PrintParts,
  present: Present = { status: endStatus(record) },
): Record<string, unknown> {
  const { request, intent, amount, id } = record;
  const shop = headerOf(request.merchantId, parts.shop, parts.merchantHeaders);
  const instrument = intent && instrumentOf(intent);
  const details = detailsOf(record);
  const { cardData: card } = details;
  // Only a transaction that was sent for authorization has a slip.
  const slip = (copy: ReceiptCopy) => (intent && record.conclusion ? reprints.slip(record, copy) : []);
  return {
    acquirerId: intent?.acquirerId ?? '',
    acquirerMid: intent?.mid ?? '',
    acquirerTid: intent?.tid ?? '',
    approvalCode: approvalCode(record),
    authenticationMethod: card?.authenticationMethod ?? 'UNKNOWN_METHOD',
    batch: batchOf(record),
    baseAmount: majorNumber({ ...amount, minor: amount.minor - tip(record).minor - optionsSum(record) }),
    cardData: {
      aid: card?.aid ?? '',
      appName: card?.appName ?? '',
      atc: card?.atc ?? '',
      // The reader encrypts name and expiry date with the track, so this side has neither.
      cardholderName: '',
      maskedExpiry: card ? '**/**' : '',
      maskedPan: instrument?.maskedNumber ?? '',
      tc: card?.tc ?? '',
      tsi: card?.tsi ?? '',
      tvr: card?.tvr ?? '',
    },
    currency: amount.currency,
    customerSlip: slip('CUSTOMER'),
    dateTime: timestamp(record.createdAt),
    entryMode: instrument?.entryMode ?? '',
    hostCode: hostCode(record),
    invoice: intent?.trace.invoice ?? 0,
    merchantSlip: slip('MERCHANT'),
    originalTerminalTransactionId: request.originalId ?? '',
    paymentBrand: instrument?.scheme ?? '',
    paymentInstrumentType: instrument?.instrumentType ?? 'CARD',
    posReferenceId: request.messageId,
    rrn: rrn(record),
    shopAddress: shop.address,
    shopEmail: shop.email,
    shopLogo: shop.logo,
    shopName: shop.name,
    shopPhone: shop.phone,
    tipAmount: majorNumber(tip(record)),
    totalAmount: majorNumber(amount),
    ...partialAmounts(record),
    ...laterAmounts(present),
    trace: intent?.trace.stan ?? 0,
    ...methodDetails(record, details),
    transactionId: id,
    transactionStatus: present.status,
    transactionType: request.type,
  };
}

/** The requested and the remaining amount, if the host has approved a part. */
function partialAmounts({ requested, amount }: TransactionRecord): Record<string, unknown> {
  if (!requested) return {};
  const remaining = { ...amount, minor: requested.minor - amount.minor };
  return { requestedAmount: majorNumber(requested), remainingAmount: majorNumber(remaining) };
}

/** The changes of its amount by later transactions; absent if there are none. */
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
  const answered = hostOutcome && 'responseCode' in hostOutcome ? hostOutcome.responseCode : undefined;
  return answered ?? conclusion?.hostCode ?? '';
}

/**
 * For an advice, the host reports its number later; for an unanswered request to a wallet's host, when the payment is
 * returned.
 */
function rrn({ hostOutcome, adviceAnswer, givenBack }: TransactionRecord): string {
  return hostOutcome && 'rrn' in hostOutcome ? hostOutcome.rrn : (adviceAnswer?.rrn ?? givenBack?.rrn ?? '');
}

/** yyyy-MM-ddTHH:mm:ss and a numeric offset without colon (SPEC §2.3), always in UTC: '2026-11-21T09:30:00+0000'. */
function timestamp(at: Date): string {
  return `${at.toISOString().slice(0, 19)}+0000`;
}
