import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type Amount, type AmountRefusal, majorText, parseMajor } from '../../base/domain/amount.ts';
import { type Instrument, instruments } from '../../base/domain/capability.ts';
import { presentsCard, transactionTypes, completesAuth } from '../../base/domain/transaction-kind.ts';
import { type CurrencyCode, exponent, isCurrencyCode } from '../../base/domain/currency.ts';
import { preferredEntryModes } from '../../base/domain/payment-scheme.ts';
import { posDetailsOf, type TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Reason } from '../../base/domain/reason.ts';
import { describedCodes } from '../../payment/method/descriptions.ts';
import {
  expectation,
  identifier,
  inputFaults,
  jsonObject,
  oneOf,
  oneOfNow,
  optional,
  printableText,
  type InputRefusal,
  refusal,
  text,
} from './input.ts';
import { JsonNumber } from '../contracts/pos-calls.ts';
import { type RecordTree, transactionStatus } from '../../payment/records/transaction-status.ts';
import type { Terminal } from '../../payment/terminal/terminal.ts';

/** How long a customer may take to present a card or a code, milliseconds. */
export interface CollectTimes {
  /** The default. */
  readonly usualMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

const pointer = '/collectTimeoutSeconds';

/** Why a request can't have the collecting time that it asks for; undefined if it can. */
export function collectTimeFault(
  { collectMs, transactionType, originalTerminalTransactionId: original }: PosRequest,
  { leastMs, mostMs }: CollectTimes,
): InputRefusal | undefined {
  if (collectMs === undefined) return undefined;
  if (!presentsCard(transactionType) || completesAuth(transactionType, original)) {
    const message = `can't be given for ${transactionType}: nothing is presented`;
    return refusal('INVALID_PARAMETER', 'collectTimeNotPossible', pointer, message);
  }
  if (collectMs >= leastMs && collectMs <= mostMs) return undefined;
  const message = `must be from ${leastMs / 1_000} to ${mostMs / 1_000}`;
  return refusal('INVALID_PARAMETER', 'collectTimeNotPossible', pointer, message);
}

/** Its part of GET /sp/v1/capabilities. */
export function collectTimeReport({ usualMs, leastMs, mostMs }: CollectTimes) {
  return { default: usualMs / 1_000, min: leastMs / 1_000, max: mostMs / 1_000 };
}

/**
 * The codes of SPEC §2.1 and of the terminal's additional methods. Read with the first request, when all are
 * registered.
 */
function instrumentCodes(): readonly Instrument[] {
  return [...new Set([...instruments, ...describedCodes().schemes])];
}

/** The plan checks whether this terminal has it. */
const acquirerName = z
  .string({ error: expectation('the id of an acquirer') })
  .regex(/^[A-Z][A-Z0-9_]{0,15}$/, 'must be the id of an acquirer, such as EDC');

const number = z.instanceof(JsonNumber, { error: expectation('a number') });
export const posRequest = z.strictObject(
  {
    posId: identifier,
    messageId: identifier,
    transactionType: oneOf(transactionTypes),
    originalTerminalTransactionId: optional(text(64)).describe(
      'the terminalTransactionId of the original: required for voids, tip adjust and completion; of an OFFLINE_SALE, the authorization that it completes',
    ),
    requestAmount: number.describe(
      'the total in major units, including the tip: 30.00 HKD is 30. A void may leave out amount and currency',
    ),
    currency: z.string({ error: expectation('a string') }).describe('ISO 4217 alpha-3'),
    preferredEntryMode: optional(oneOf(preferredEntryModes)).describe(
      'how the payment app starts; the merchant can still change it. With DEFAULT the merchant chooses',
    ),
    preferredInstrument: optional(oneOfNow(instrumentCodes)).describe(
      'the instrument that the payment app starts with; the merchant can still change it. CARD: any card, QR: any wallet',
    ),
    forceAcquirer: optional(acquirerName).describe(
      'the only acquirer that may take the payment: methods of other acquirers are not offered. EDC, CUP, QR, EPS, OCTOPUS, CASH, DCC, or the id of another acquirer of this terminal',
    ),
    tipAmount: optional(number).describe('the tip within requestAmount'),
    askTip: optional(z.boolean({ error: expectation('true or false') })).describe(
      'SALE, OFFLINE_SALE: the customer is asked for a tip on the screen first, and it is added to requestAmount',
    ),
    allowPartial: optional(z.boolean({ error: expectation('true or false') })).describe(
      'SALE: true accepts an approval for a part of requestAmount; totalAmount of the answer is that part, and remainingAmount the rest',
    ),
    splitOf: optional(text(64)).describe(
      'SALE: the terminalTransactionId of the payment that was approved in part, and whose rest this one pays',
    ),
    cashbackAmount: optional(number).describe('EPS: the cash that the customer takes, within requestAmount'),
    approvalCode: optional(
      text(6)
        .regex(/^[0-9A-Za-z]{6}$/, 'must be six letters and digits')
        .toUpperCase(),
    ).describe('offline sale: the code that the issuer gave by telephone'),
    collectTimeoutSeconds: optional(
      number
        .refine(({ source }) => Number.isSafeInteger(Number(source)), 'must be a whole number of seconds')
        .meta({ multipleOf: 1 }),
    ).describe('how long the customer may take to present a card or a code; within the limits that capabilities tell'),
    merchantId: optional(text(32)).describe(
      'the merchant that is paid, by its id in capabilities; the first if absent. Of a void, refund, tip or completion, that of its original',
    ),
    cashierId: optional(printableText(32)).describe('who took the payment: kept, printed and answered'),
    shiftId: optional(printableText(32)).describe('the shift of the cashier: kept, printed and answered'),
    posReference: optional(printableText(64)).describe(
      'the number of the order, table or invoice at the POS: kept, printed and answered',
    ),
  },
  jsonObject,
);

/** A well-formed PosRequest (SPEC §2.1). Whether the terminal can do it is checked later. */
export type PosRequest = Omit<
  z.infer<typeof posRequest>,
  'requestAmount' | 'currency' | 'tipAmount' | 'cashbackAmount' | 'collectTimeoutSeconds'
> & {
  readonly amount: Amount;
  /** The tip, part of the amount. */
  readonly tipMinor?: bigint;
  /** EPS: the cash within the amount. */
  readonly cashbackMinor?: bigint;
  readonly collectMs?: number;
};

export function parsePosRequest(body: unknown): PosRequest | InputRefusal {
  const parsed = posRequest.safeParse(body);
  if (!parsed.success)
    return { result: 'INVALID_PARAMETER', errors: inputFaults(parsed.error, Object.keys(posRequest.shape)) };
  const { requestAmount, currency, tipAmount, cashbackAmount, collectTimeoutSeconds, ...request } = parsed.data;
  if (!isCurrencyCode(currency)) {
    return refusal(
      'INVALID_CURRENCY',
      'currencyUnknown',
      '/currency',
      'must be an ISO 4217 alpha-3 code of a payable currency',
    );
  }
  const amount = parseMajor(requestAmount.source, currency);
  if (typeof amount === 'string') {
    return refusal('INVALID_PARAMETER', 'amountInvalid', '/requestAmount', amountFault(amount, currency));
  }
  if (amount.minor === 0n)
    return refusal('INVALID_PARAMETER', 'amountInvalid', '/requestAmount', 'must be greater than zero');
  const tip = parseMajor(tipAmount?.source ?? '0', currency);
  if (typeof tip === 'string')
    return refusal('INVALID_PARAMETER', 'amountInvalid', '/tipAmount', amountFault(tip, currency));
  if (tip.minor >= amount.minor)
    return refusal('INVALID_PARAMETER', 'amountInvalid', '/tipAmount', 'must be less than requestAmount');
  const cashback = parseMajor(cashbackAmount?.source ?? '0', currency);
  if (typeof cashback === 'string') {
    return refusal('INVALID_PARAMETER', 'amountInvalid', '/cashbackAmount', amountFault(cashback, currency));
  }
  if (tip.minor + cashback.minor >= amount.minor) {
    return refusal(
      'INVALID_PARAMETER',
      'amountInvalid',
      '/cashbackAmount',
      'must be less than requestAmount, which includes it',
    );
  }
  return (
    placementFault(request, tip.minor, cashback.minor) ?? {
      ...request,
      amount,
      ...(tip.minor === 0n ? {} : { tipMinor: tip.minor }),
      ...(cashback.minor === 0n ? {} : { cashbackMinor: cashback.minor }),
      ...(collectTimeoutSeconds === undefined ? {} : { collectMs: Number(collectTimeoutSeconds.source) * 1_000 }),
    }
  );
}

/** Checks the fields that this kind requires or excludes (SPEC §2.1 and §4, rule 3). */
function placementFault(
  request: Pick<
    PosRequest,
    'transactionType' | 'originalTerminalTransactionId' | 'approvalCode' | 'askTip' | 'allowPartial' | 'splitOf'
  >,
  tipMinor: bigint,
  cashbackMinor: bigint,
): InputRefusal | undefined {
  const { transactionType: type, originalTerminalTransactionId: original } = request;
  const no = (pointer: string, message: string, reason: Reason = 'fieldMisplaced') =>
    refusal('INVALID_PARAMETER', reason, pointer, message);
  const refers = !presentsCard(type);
  if (refers && original === undefined) {
    return no(
      '/originalTerminalTransactionId',
      `is required for ${type}: the terminalTransactionId of the original`,
      'originalRequired',
    );
  }
  if (!refers && type !== 'REFUND' && type !== 'OFFLINE_SALE' && original !== undefined) {
    return no('/originalTerminalTransactionId', `must be empty for ${type}`);
  }
  if (type === 'OFFLINE_SALE' && original !== undefined) {
    const { approvalCode, askTip } = request;
    const [misplaced] = [
      ...(tipMinor > 0n ? ['/tipAmount'] : []),
      ...(askTip === true ? ['/askTip'] : []),
      ...(approvalCode === undefined ? [] : ['/approvalCode']),
    ];
    if (misplaced !== undefined) return no(misplaced, "can't be given for the completion of an authorization");
  }
  if (request.askTip === true) {
    if (type !== 'SALE' && type !== 'OFFLINE_SALE') return no('/askTip', `can't be given for ${type}`);
    if (tipMinor > 0n) return no('/askTip', "can't be given with tipAmount: either the POS knows the tip, or it asks");
    if (cashbackMinor > 0n) return no('/askTip', "can't be given with cashbackAmount: EPS takes no tip");
  }
  const { allowPartial, splitOf } = request;
  if (splitOf !== undefined && type !== 'SALE') return no('/splitOf', `can't be given for ${type}`);
  if (allowPartial === true) {
    if (type !== 'SALE') return no('/allowPartial', `can't be given for ${type}`);
    const fixed = tipMinor > 0n ? 'tipAmount' : cashbackMinor > 0n ? 'cashbackAmount' : request.askTip && 'askTip';
    if (fixed) return no('/allowPartial', `can't be given with ${fixed}, which must not be left unpaid`);
  }
  if (tipMinor > 0n && !['SALE', 'OFFLINE_SALE', 'TIP_ADJUST'].includes(type)) {
    return no('/tipAmount', `can't be given for ${type}`);
  }
  if (cashbackMinor > 0n && type !== 'SALE') return no('/cashbackAmount', `can't be given for ${type}`);
  if (request.approvalCode !== undefined && type !== 'OFFLINE_SALE') {
    return no('/approvalCode', `can't be given for ${type}`);
  }
  return undefined;
}

/** The body of cancel. Additional fields are allowed, so the payment's own request can be sent. */
export const identitySchema = z.object({ posId: identifier, messageId: identifier }, jsonObject);

/** The body of enquiry: the identity, or the transaction's own id. As with cancel, additional fields are allowed. */
export const enquirySchema = z.object(
  {
    posId: optional(identifier),
    messageId: optional(identifier),
    terminalTransactionId: optional(text(64)).describe('of a payment or a settlement, in place of posId and messageId'),
  },
  jsonObject,
);

/** Parses the body of cancel. */
export function parseIdentity(body: unknown): z.infer<typeof identitySchema> | InputRefusal {
  const parsed = identitySchema.safeParse(body);
  return parsed.success ? parsed.data : { result: 'INVALID_PARAMETER', errors: inputFaults(parsed.error) };
}

/** Digest of a request's meaning, so that 30 and 30.00 are the same amount. Equal digests are the same request. */
export function requestDigest(request: PosRequest): string {
  const meaning = [
    request.transactionType,
    request.originalTerminalTransactionId ?? '',
    majorText(request.amount),
    request.amount.currency,
    request.preferredEntryMode ?? 'DEFAULT',
    request.preferredInstrument ?? '',
    request.forceAcquirer ?? '',
    request.tipMinor?.toString() ?? '',
    request.approvalCode ?? '',
    request.cashbackMinor?.toString() ?? '',
    // Only where there are some, so that the digests of an older version's requests stay the same.
    ...Object.entries(posDetailsOf(request)).flat(),
    ...(request.merchantId === undefined ? [] : ['merchantId', request.merchantId]),
    ...(request.allowPartial === true ? ['allowPartial'] : []),
    ...(request.splitOf === undefined ? [] : ['splitOf', request.splitOf]),
    ...(request.collectMs === undefined ? [] : ['collectMs', request.collectMs]),
    ...(request.askTip === true ? ['askTip'] : []),
  ];
  return createHash('sha256').update(JSON.stringify(meaning)).digest('hex');
}

function amountFault(fault: AmountRefusal, currency: CurrencyCode): string {
  switch (fault) {
    case 'not-a-number':
      return 'must be a plain decimal number';
    case 'negative':
      return 'must be greater than zero';
    case 'too-many-decimals':
      return `must have at most ${exponent(currency)} decimals in this currency`;
    case 'too-large':
      return 'must have at most 12 digits in minor units';
    default:
      return fault satisfies never;
  }
}

/**
 * A void is for the whole amount, so it may leave out amount and currency: the request with those of its original, as
 * it stands now. The terminal checks them again once it is claimed. Any other request is returned as it is. Undefined
 * if the terminal does not know the original.
 */
export async function withWholeAmount(body: unknown, terminal: Pick<Terminal, 'recall'>): Promise<unknown> {
  if (typeof body !== 'object' || body === null) return body;
  const { transactionType: type, originalTerminalTransactionId: id, requestAmount } = body as Partial<Written>;
  if (
    typeof type !== 'string' ||
    !/^VOID(_|$)/.test(type) ||
    typeof id !== 'string' ||
    id.length > 64 ||
    !isAbsent(requestAmount)
  ) {
    return body;
  }
  const tree = await terminal.recall(id as TerminalTransactionId);
  return tree ? { ...body, ...wholeAmount(tree, (body as Partial<Written>).currency) } : undefined;
}

type Written = Readonly<
  Record<'transactionType' | 'originalTerminalTransactionId' | 'requestAmount' | 'currency', unknown>
>;

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function wholeAmount(tree: RecordTree, currency: unknown) {
  const { total } = transactionStatus(tree);
  return {
    requestAmount: new JsonNumber(majorText(total)),
    ...(isAbsent(currency) ? { currency: total.currency } : {}),
  };
}
