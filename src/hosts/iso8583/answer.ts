import type { ContradictedAmount, GivenAmount } from '../../base/domain/contradicted-amount.ts';
import { currencyOf, isCurrencyCode, numericCode } from '../../base/domain/currency.ts';
import type {
  AdviceOutcome,
  HostOutcome,
  OriginalReference,
  ReversalOutcome,
  SettlementOutcome,
  UploadOutcome,
} from '../../payment/contracts/acquirer-host.ts';
import type { OnlineOperation } from '../../base/domain/transaction-kind.ts';
import { type Dialect, type HostMessage, declineReason, knowsTerminal, operation as rowOf } from './dialect.ts';
import type { TerminalRecognition } from '../../payment/contracts/terminal-recognition.ts';
import { type IsPadding, isZero, parseTlv, TlvError } from '../../codecs/emv/tlv.ts';
import type { EmvData } from '../../base/ports/card-reader.ts';

/** Issuer authentication data and issuer scripts: all that a card may get from its host's field 55. */
const issuerTags: readonly string[] = ['91', '71', '72'];

/** The first bytes of the scripts' tags. */
const scripts: readonly number[] = [0x71, 0x72];

/**
 * Hosts fill field 55 with FF, too, which means as little as 00 does (ISO/IEC 7816-4:1995, Annex D; EMV has only 00).
 * FF also begins a private tag, whose second byte is below 80 in EMV (EMV 4.3 Book 3, Annex B1: at most two bytes);
 * none of these is read here, and a script behind FF is a script.
 */
const isPadding: IsPadding = (bytes, offset) => {
  if (isZero(bytes, offset)) return true;
  if (bytes[offset] !== 0xff) return false;
  const next = bytes[offset + 1] ?? 0;
  return next === 0 || next >= 0x80 || scripts.includes(next);
};

/**
 * What field 55 has for the card; undefined if it is no list of data objects. A second object of a kind is left out: it
 * does not affect the payment. So is an empty one, which tells the card nothing.
 */
function readIssuerData(chipData: Uint8Array = new Uint8Array(0)): EmvData | undefined {
  const data = new Map<string, Uint8Array>();
  try {
    for (const { tag, value } of parseTlv(chipData, isPadding)) {
      if (issuerTags.includes(tag) && value.length > 0 && !data.has(tag)) data.set(tag, Uint8Array.from(value));
    }
  } catch (error) {
    if (error instanceof TlvError) return undefined;
    throw error;
  }
  return data;
}

const garbled = { kind: 'unknown', reason: 'garbled-answer' } as const satisfies HostOutcome;
const unanswered = { kind: 'unanswered' } as const;

/** A request and the answer that matched it. */
export interface Answered {
  readonly request: HostMessage;
  readonly answer: HostMessage;
}

/**
 * Interprets a matching 0110 or 0210. Fail-safe: an answer that contradicts the request, or an approval without its
 * code, is neither approval nor decline; "duplicate" is neither as well. The transaction is then unknown, and gets
 * reversed. `approvesInPart`: this host may approve a part of a sale.
 */
export function hostOutcome(
  dialect: Dialect,
  operation: OnlineOperation,
  answered: Answered,
  approvesInPart = false,
): HostOutcome {
  const coveredMinor = approvesInPart && operation === 'sale' ? partIn(answered) : undefined;
  const code = coveredMinor === undefined ? responseCodeOf(answered) : partialCode;
  if (code === undefined) return garbled;
  const { 4: amount, 38: field38 = '', 55: chipData } = answered.answer.fields;
  const { rrn, ...hostTimes } = hostRecord(answered.answer);
  if (dialect.codes.duplicate.includes(code)) return { kind: 'unknown', reason: 'duplicate', responseCode: code };
  const issuerData = readIssuerData(chipData);
  if (!dialect.codes.approved.includes(code)) {
    // A decline is valid whatever its field 55 holds. Data that can't be read is not passed to the card.
    const doubt = {
      ...(dialect.codes.undecided.includes(code) ? { undecided: true as const } : {}),
      ...(dialect.codes.noRecord.includes(code) ? { noRecord: true as const } : {}),
    };
    const reason = declineReason(code, dialect.codes);
    return { kind: 'declined', reason, responseCode: code, rrn, ...doubt, ...(issuerData?.size ? { issuerData } : {}) };
  }
  const approvalCode = field38.trim() === '' ? '' : field38;
  // An approval must repeat the amount, unless it is partial.
  if (amount === undefined) return garbled;
  if (rowOf(dialect, operation).needs.some((number) => isBlank(answered.answer.fields[number]))) return garbled;
  if (!issuerData) return garbled;
  const part = coveredMinor === undefined ? {} : { coveredMinor };
  return { kind: 'approved', responseCode: code, approvalCode, rrn, ...hostTimes, issuerData, ...part };
}

/** Field 39 of an approval for a partial amount (ISO 8583:1987, response codes). */
const partialCode = '10';

/** The approved amount, if it is a part of the requested amount in the same currency. */
function partIn({ request, answer }: Answered): bigint | undefined {
  const { 4: amount = '', 39: code, 49: currency = '' } = answer.fields;
  if (code !== partialCode || !/^\d+$/.test(amount)) return undefined;
  if (currency.trim() !== '' && numericOf(currency) !== request.fields[49]) return undefined;
  const [part, whole] = [BigInt(amount), BigInt(request.fields[4] ?? '0')];
  return part > 0n && part < whole ? part : undefined;
}

function isBlank(value: string | Uint8Array = ''): boolean {
  return typeof value === 'string' ? value.trim() === '' : value.length === 0;
}

/** Whether the host approved, whatever the amount: enough for a late answer to require a reversal. */
export function approves({ codes }: Dialect, { fields: { 39: code = '' } }: HostMessage): boolean {
  return codes.approved.includes(code);
}

/**
 * Interprets a matching 0230. "Duplicate" as the answer to a repeat says that the host has this advice. As the answer
 * to a first message it proves nothing, so that advice is sent again. An advice that a host refuses because it does not
 * know the terminal is also sent again: the refusal says nothing about the transaction, for which the goods have gone.
 * If an answer matches by its numbers (link.ts) but has another amount, it is still the answer to this advice. Repeats
 * would get no other answer and would block the queue.
 */
export function adviceOutcome({ codes }: Dialect, answered: Answered, repeat: boolean): AdviceOutcome {
  const code = codeIn(answered.answer);
  if (code === undefined) return unanswered;
  const isDuplicate = codes.duplicate.includes(code);
  const otherAmount = contradictionIn(answered);
  if (otherAmount && !isLater(codes, code)) {
    const accepts = isDuplicate || codes.approved.includes(code);
    return { kind: 'contradicted', accepts, otherAmount, responseCode: code, ...hostRecord(answered.answer) };
  }
  if (codes.approved.includes(code) || (isDuplicate && repeat)) {
    const duplicate = isDuplicate ? { reason: 'duplicate' as const } : {};
    return { kind: 'acknowledged', ...duplicate, responseCode: code, ...hostRecord(answered.answer) };
  }
  if (isDuplicate) return { kind: 'refused', reason: 'duplicate', responseCode: code };
  if (isLater(codes, code)) return { kind: 'refused', reason: 'hostTrouble', responseCode: code };
  return { kind: 'rejected', reason: declineReason(code, codes), responseCode: code };
}

/** Interprets a matching 0410. One with another amount is no proof, whatever its code, and is reported as it is. */
export function reversalOutcome({ codes }: Dialect, answered: Answered): ReversalOutcome {
  const code = codeIn(answered.answer);
  if (code === undefined) return unanswered;
  const otherAmount = contradictionIn(answered);
  if (otherAmount) return { kind: 'contradicted', responseCode: code, otherAmount };
  if (codes.reversed.includes(code)) return { kind: 'acknowledged', responseCode: code };
  return { kind: codes.noRecord.includes(code) ? 'noRecord' : 'refused', responseCode: code };
}

/** Interprets a matching 0510. */
export function settlementOutcome({ codes }: Dialect, answered: Answered): SettlementOutcome {
  const code = responseCodeOf(answered);
  if (code === undefined) return unanswered;
  if (codes.balanced.includes(code)) return { kind: 'balanced' };
  if (codes.mismatch.includes(code)) return { kind: 'mismatch' };
  return { kind: 'refused', responseCode: code };
}

/**
 * Interprets a matching 0330. A host that does not know the terminal says nothing about the transaction, which must
 * stay in the batch.
 */
export function uploadOutcome({ codes }: Dialect, answered: Answered): UploadOutcome {
  const code = responseCodeOf(answered);
  if (code === undefined) return unanswered;
  if (codes.uploaded.includes(code)) return { kind: 'accepted' };
  const isRefused = isLater(codes, code) && !codes.unreadable.includes(code);
  return { kind: isRefused ? 'refused' : 'rejected', responseCode: code };
}

/** Whether the host may accept the same message later. */
function isLater({ tryAgain, terminalUnknown }: Dialect['codes'], code: string): boolean {
  return tryAgain.includes(code) || terminalUnknown.includes(code);
}

/** Whether the host knows this terminal; undefined if the answer does not tell. */
export function recognitionIn(
  { codes }: Dialect,
  answered: Answered,
): Omit<TerminalRecognition, 'acquirerId'> | undefined {
  const hostCode = responseCodeOf(answered);
  const isKnown = hostCode === undefined ? undefined : knowsTerminal(codes, hostCode);
  return hostCode === undefined || isKnown === undefined ? undefined : { hostCode, isKnown };
}

/** Field 39; undefined if it is malformed, or if the answer is about another amount or currency. */
function responseCodeOf(answered: Answered): string | undefined {
  return sameMoney(answered) ? codeIn(answered.answer) : undefined;
}

function codeIn({ fields: { 39: code = '' } }: HostMessage): string | undefined {
  return /^[\dA-Za-z]{2,3}$/.test(code) ? code : undefined;
}

/** Whether fields 4 and 49 say what the request says, where the answer has them. */
function sameMoney({ request, answer }: Answered): boolean {
  const { 4: amount, 49: currency = '' } = answer.fields;
  if (amount !== undefined && amount !== request.fields[4]) return false;
  return currency.trim() === '' || numericOf(currency) === request.fields[49];
}

/**
 * The amounts of a request and of its answer, if they differ. A field that the answer lacks is taken from the request.
 */
function contradictionIn(answered: Answered): ContradictedAmount | undefined {
  if (sameMoney(answered)) return undefined;
  const { request, answer } = answered;
  const stated = answer.fields[49]?.trim() ?? '';
  const currency = stated === '' ? request.fields[49] : numericOf(stated);
  return {
    sent: readAmount(request.fields[4], request.fields[49]),
    answered: readAmount(answer.fields[4] ?? request.fields[4], currency),
  };
}

function readAmount(amount = '', currency = ''): GivenAmount {
  return {
    amountMinor: /^\d+$/.test(amount) ? BigInt(amount).toString() : '0',
    currency: currencyOf(currency) ?? currency.replaceAll(/[^\dA-Za-z]/g, '?'),
  };
}

/** Field 49 is a 3 or n 3 (ISO 8583:1987): a host may answer with the letters of a currency that was sent as digits. */
function numericOf(currency: string): string {
  return isCurrencyCode(currency) ? numericCode(currency) : currency;
}

/**
 * The host's identifiers of the transaction; empty where the answer has none. A time or date that is not all digits is
 * none: later messages only repeat it.
 */
function hostRecord({ fields }: HostMessage): Pick<OriginalReference, 'rrn' | 'hostTime' | 'hostDate'> {
  const { 12: time = '', 13: date = '', 37: rrn = '' } = fields;
  return { rrn: rrn.trim() === '' ? '' : rrn, hostTime: digitsOrNothing(time), hostDate: digitsOrNothing(date) };
}

function digitsOrNothing(text: string): string {
  return /^\d+$/.test(text) ? text : '';
}
