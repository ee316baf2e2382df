import { hostModeNames, type HostModeName } from '../iso8583/mode.ts';
import { declines } from './respcd.ts';
import type { SignType } from './signature.ts';

/** First answer to a scanned payment: 0000, 1143 until the customer decides, 1145 for some enquiries, a refusal. */
export const customerNames = ['pays', 'password', 'processing', 'refuses'] as const;
export type CustomerName = (typeof customerNames)[number];

/** unknown: payments and refunds are carried out and answered 1298. unknownLost: answered 1298 and not carried out. */
export const outcomeNames = ['unknown', 'unknownLost'] as const;
export type OutcomeName = (typeof outcomeNames)[number];

/**
 * The input of an answer's X-QF-SIGN. data: its fields, sorted, and the key (QFPay, response format, "Signature
 * Verification"). body: its text and the key, as notifications have it. none: no signature, which the page allows.
 * unpublished: as data, but the list of an enquiry in an undocumented way.
 */
export const answerSignatureNames = ['body', 'data', 'none', 'unpublished'] as const;
export type AnswerSignatureName = (typeof answerSignatureNames)[number];

/** The time of an order that an enquiry's window means: the host's, or the terminal's. */
export const queryTimeNames = ['sysdtm', 'txdtm'] as const;
export type QueryTimeName = (typeof queryTimeNames)[number];

/** Both are published for it: "does not exist or is not operational" and "does not exist". */
export const unknownOrderCodes = ['1136', '1268'] as const;
export type UnknownOrderCode = (typeof unknownOrderCodes)[number];

export const signTypes = ['MD5', 'SHA256'] as const satisfies readonly SignType[];

/**
 * How the host treats the next requests. `mode` is as for the ISO 8583 host: up, down, silent (carries out, never
 * answers), late, garbage, duplicate (every answer twice), closeAfterRequest (carries out, closes without an answer).
 * Without further fields it applies to payments and refunds.
 */
export interface QfpayHostMode {
  readonly mode: HostModeName;
  /**
   * Only the n-th payment or refund from now, with `enquiries` the n-th of these and enquiries, meets the mode and the
   * faults; every other call is answered as by a host without them.
   */
  readonly atMessage?: number;
  /** With up: delay of every answer. With late: delay of the late answers, 8000 by default. At most 600000. */
  readonly delayMs?: number;
  /** `respcd` of every payment and refund that would otherwise be accepted; for a waiting payment, its final code. */
  readonly decline?: string;
  /** `respcd` of every refund that would otherwise be accepted. */
  readonly declineRefunds?: string;
  /** With silent and late: reversals and closes are carried out, but not answered either. */
  readonly reversals?: boolean;
  /** With silent, late, garbage and closeAfterRequest: the mode applies to enquiries too. */
  readonly enquiries?: boolean;
  /** `pays` by default. */
  readonly customer?: CustomerName;
  /**
   * With the customer `processing`: how many enquiries are answered 1145 before the payment is decided; 2 by default.
   */
  readonly processingEnquiries?: number;
  readonly outcome?: OutcomeName;
  /** false: closes and reversals are answered 1296 and do nothing. */
  readonly close?: boolean;
  /** Codes to be shown have a wrong CRC; those of Alipay and WeChat have none. */
  readonly badCode?: boolean;
  /** How much later than in the books orders, payments and refunds show in enquiries. */
  readonly queryLagMs?: number;
  /** `sysdtm` by default. */
  readonly queryTime?: QueryTimeName;
  /** How far the host's clock is ahead of the true time (negative: behind). sysdtm, windows and days use it. */
  readonly clockOffsetMs?: number;
  /** The host's time zone, minutes east of UTC; 480, Hong Kong's, by default. */
  readonly utcOffsetMinutes?: number;
  /** `body` by default. */
  readonly answerSignature?: AnswerSignatureName;
  /** By default the request's own type. */
  readonly answerSignType?: SignType;
  /** `respcd` of a reversal or close of an order that the host does not know; 1136 by default. */
  readonly unknownOrder?: UnknownOrderCode;
  /**
   * `respcd` of a refund that exceeds the rest of its sale, instead of 1125 and 1272. The rest is checked before the number: a
   * repeat of a refund that was carried out also gets this code.
   */
  readonly excessRefunds?: string;
  /** Every answer is signed with another key. */
  readonly badSignature?: boolean;
  /** Every answer has an amount that is one cent too high. */
  readonly wrongAmount?: boolean;
}

export const lateDelayMs = 8000;
export const processingEnquiries = 2;
const delayMsMax = 600_000;
const messagesMax = 1000;
const processingEnquiriesMax = 1000;
const queryLagMsMax = 86_400_000;
/** More than a clock without a battery goes back. */
const clockOffsetMsMax = 60 * 366 * 86_400_000;

/** Modes that apply only to some requests. */
const selective: ReadonlySet<HostModeName> = new Set(['silent', 'late', 'garbage', 'closeAfterRequest']);

/** Throws RangeError with a sentence for the caller. */
export function checkMode(wanted: QfpayHostMode): void {
  const { mode, delayMs, customer, outcome } = wanted;
  if (!hostModeNames.includes(mode)) throw new RangeError(`mode is one of ${hostModeNames.join(', ')}`);
  checkWhole('delayMs', delayMs, delayMsMax);
  checkWhole('atMessage', wanted.atMessage, messagesMax, 1);
  if (wanted.atMessage !== undefined && (mode === 'down' || wanted.reversals === true || wanted.close === false)) {
    throw new RangeError('atMessage goes with what happens to one payment, refund or enquiry');
  }
  checkWhole('processingEnquiries', wanted.processingEnquiries, processingEnquiriesMax);
  for (const name of ['decline', 'declineRefunds', 'excessRefunds'] as const) {
    const code = wanted[name];
    if (code !== undefined && !declines(code)) {
      throw new RangeError(`${name} is a respcd of four digits that says that no money moved`);
    }
  }
  checkWhole('queryLagMs', wanted.queryLagMs, queryLagMsMax);
  checkWhole('clockOffsetMs', wanted.clockOffsetMs, clockOffsetMsMax, -clockOffsetMsMax);
  checkWhole('utcOffsetMinutes', wanted.utcOffsetMinutes, 14 * 60, -12 * 60);
  checkOneOf('customer', customer, customerNames);
  checkOneOf('outcome', outcome, outcomeNames);
  checkOneOf('queryTime', wanted.queryTime, queryTimeNames);
  checkOneOf('answerSignature', wanted.answerSignature, answerSignatureNames);
  checkOneOf('answerSignType', wanted.answerSignType, signTypes);
  checkOneOf('unknownOrder', wanted.unknownOrder, unknownOrderCodes);
  if (wanted.enquiries === true && !selective.has(mode)) {
    throw new RangeError(`enquiries goes with ${[...selective].join(', ')}`);
  }
}

function checkWhole(name: string, value: number | undefined, max: number, min = 0): void {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return;
  throw new RangeError(`${name} is a whole number from ${min} to ${max}`);
}

function checkOneOf(name: string, value: string | undefined, values: readonly string[]): void {
  if (value !== undefined && !values.includes(value)) throw new RangeError(`${name} is one of ${values.join(', ')}`);
}
