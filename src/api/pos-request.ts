import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type Amount, type AmountRefusal, majorText, parseMajor } from '../domain/amount.ts';
import { type Instrument, instruments } from '../domain/capability.ts';
import { presentsCard, type TransactionKind, transactionTypes } from '../domain/transaction-kind.ts';
import { type CurrencyCode, exponent, isCurrencyCode } from '../domain/currency.ts';
import { preferredEntryModes } from '../domain/entry-mode.ts';
import type { ResponseResult } from '../domain/response-code.ts';
import { describedCodes } from '../method/descriptions.ts';
import { JsonNumber } from './json.ts';

/** One fault of a request: its place (RFC 6901 pointer) and a description. Never the value that was sent. */
export interface InputFault {
  readonly pointer: string;
  readonly message: string;
}

/**
 * The codes of SPEC §2.1 and of the terminal's additional methods. Read with the first request, when all are
 * registered.
 */
function instrumentCodes(): readonly Instrument[] {
  return [...new Set([...instruments, ...describedCodes().schemes])];
}

/** A key that may be repeated in an answer: it can't be a card number. */
export const harmless = /^[A-Za-z_]{1,64}$/;

export interface Refusal {
  readonly result: ResponseResult;
  readonly errors: readonly InputFault[];
  /** The transaction kinds that are possible instead. */
  readonly possible?: readonly TransactionKind[];
}

/** Message for an absent or mistyped field. It fits any field and repeats no value. */
function expectation(what: string) {
  return ({ input }: { readonly input?: unknown }) => (input === undefined ? 'is missing' : `must be ${what}`);
}

export function text(charactersMax: number) {
  return z
    .string({ error: expectation('a string') })
    .max(charactersMax, `must have at most ${charactersMax} characters`);
}

export function oneOf<const T extends readonly string[]>(values: T) {
  return z.enum(values, { error: expectation(`one of ${values.join(', ')}`) });
}

export const identifier = text(64)
  .min(1, 'must not be empty')
  .regex(/^[^\p{C}]*$/u, 'must have no control characters');
const number = z.instanceof(JsonNumber, { error: expectation('a number') });
export const jsonObject = { error: 'must be a JSON object' };

/** SPEC's sample requests carry empty strings for unused fields: empty and null mean absent. */
export function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional());
}

export const posRequest = z.strictObject(
  {
    posId: identifier,
    messageId: identifier,
    transactionType: oneOf(transactionTypes),
    originalTerminalTransactionId: optional(text(64)).describe(
      'the terminalTransactionId of the original: required for voids, tip adjust and completion',
    ),
    requestAmount: number.describe('the total in major units, including the tip: 30.00 HKD is 30'),
    currency: z.string({ error: expectation('a string') }).describe('ISO 4217 alpha-3'),
    preferredEntryMode: optional(oneOf(preferredEntryModes)).describe(
      'how the payment app starts; the merchant can still change it. With DEFAULT the merchant chooses',
    ),
    preferredInstrument: optional(z.lazy(() => oneOf(instrumentCodes()))).describe(
      'the instrument that the payment app starts with; the merchant can still change it. CARD: any card, QR: any wallet',
    ),
    forceAcquirer: optional(oneOf(['EDC', 'CUP', 'QR', 'EPS', 'OCTOPUS', 'CASH', 'DCC'])).describe(
      'the only acquirer that may take the payment: methods of other acquirers are not offered',
    ),
    tipAmount: optional(number).describe('the tip within requestAmount'),
    cashbackAmount: optional(number).describe('EPS: the cash that the customer takes, within requestAmount'),
    approvalCode: optional(
      text(6)
        .regex(/^[0-9A-Za-z]{6}$/, 'must be six letters and digits')
        .toUpperCase(),
    ).describe('offline sale: the code that the issuer gave by telephone'),
  },
  jsonObject,
);

/** A well-formed PosRequest (SPEC §2.1). Whether the terminal can do it is checked later. */
export type PosRequest = Omit<
  z.infer<typeof posRequest>,
  'requestAmount' | 'currency' | 'tipAmount' | 'cashbackAmount'
> & {
  readonly amount: Amount;
  /** The tip, part of the amount. */
  readonly tipMinor?: bigint;
  /** EPS: the cash within the amount. */
  readonly cashbackMinor?: bigint;
};

export function parsePosRequest(body: unknown): PosRequest | Refusal {
  const parsed = posRequest.safeParse(body);
  if (!parsed.success) return { result: 'INVALID_PARAMETER', errors: inputFaults(parsed.error) };
  const { requestAmount, currency, tipAmount, cashbackAmount, ...request } = parsed.data;
  if (!isCurrencyCode(currency)) {
    return refusal('INVALID_CURRENCY', '/currency', 'must be an ISO 4217 alpha-3 code of a payable currency');
  }
  const amount = parseMajor(requestAmount.source, currency);
  if (typeof amount === 'string') {
    return refusal('INVALID_PARAMETER', '/requestAmount', amountFault(amount, currency));
  }
  if (amount.minor === 0n) return refusal('INVALID_PARAMETER', '/requestAmount', 'must be greater than zero');
  const tip = parseMajor(tipAmount?.source ?? '0', currency);
  if (typeof tip === 'string') return refusal('INVALID_PARAMETER', '/tipAmount', amountFault(tip, currency));
  if (tip.minor >= amount.minor) return refusal('INVALID_PARAMETER', '/tipAmount', 'must be less than requestAmount');
  const cashback = parseMajor(cashbackAmount?.source ?? '0', currency);
  if (typeof cashback === 'string') {
    return refusal('INVALID_PARAMETER', '/cashbackAmount', amountFault(cashback, currency));
  }
  if (tip.minor + cashback.minor >= amount.minor) {
    return refusal('INVALID_PARAMETER', '/cashbackAmount', 'must be less than requestAmount, which includes it');
  }
  return (
    placementFault(request, tip.minor, cashback.minor) ?? {
      ...request,
      amount,
      ...(tip.minor === 0n ? {} : { tipMinor: tip.minor }),
      ...(cashback.minor === 0n ? {} : { cashbackMinor: cashback.minor }),
    }
  );
}

/** Checks the fields that this kind requires or excludes (SPEC §2.1 and §4, rule 3). */
function placementFault(
  request: Omit<z.infer<typeof posRequest>, 'requestAmount' | 'currency'>,
  tipMinor: bigint,
  cashbackMinor: bigint,
): Refusal | undefined {
  const { transactionType: type, originalTerminalTransactionId: original } = request;
  const no = (pointer: string, message: string) => refusal('INVALID_PARAMETER', pointer, message);
  const refers = !presentsCard(type);
  if (refers && original === undefined) {
    return no('/originalTerminalTransactionId', `is required for ${type}: the terminalTransactionId of the original`);
  }
  if (!refers && type !== 'REFUND' && original !== undefined) {
    return no('/originalTerminalTransactionId', `must be empty for ${type}`);
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

/** The body of enquiry and cancel. Additional fields are allowed, so the payment's own request can be sent. */
export const identitySchema = z.object({ posId: identifier, messageId: identifier }, jsonObject);

/** Parses the body of enquiry and cancel. */
export function parseIdentity(body: unknown): z.infer<typeof identitySchema> | Refusal {
  const parsed = identitySchema.safeParse(body);
  return parsed.success ? parsed.data : { result: 'INVALID_PARAMETER', errors: inputFaults(parsed.error) };
}

export function isRefusal(parsed: object): parsed is Refusal {
  return 'errors' in parsed;
}

export function refusal(result: ResponseResult, pointer: string, message: string): Refusal {
  return { result, errors: [{ pointer, message }] };
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
  ];
  return createHash('sha256').update(JSON.stringify(meaning)).digest('hex');
}

export function inputFaults(error: z.ZodError): InputFault[] {
  return error.issues
    .flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownField(issue.path, key))
        : [{ pointer: pointer(issue.path), message: issue.message }],
    )
    .slice(0, 20);
}

/** An unknown name may be a card number in the wrong place: only names of letters are repeated. */
function unknownField(path: readonly PropertyKey[], key: string): InputFault {
  return harmless.test(key)
    ? { pointer: pointer([...path, key]), message: 'is not a field of this request' }
    : { pointer: pointer(path), message: 'has a field that this request does not have' };
}

function pointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
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
