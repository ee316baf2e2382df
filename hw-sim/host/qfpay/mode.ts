import { hostModeNames, type HostModeName } from '../iso8583/mode.ts';
import { declines } from './respcd.ts';
import type { SignType } from './signature.ts';

/** What a scanned payment comes to at first: 0000, 1143 until the customer decides, 1145 for some enquiries, a refusal. */
export const customerNames = ['pays', 'password', 'processing', 'refuses'] as const;
export type CustomerName = (typeof customerNames)[number];

/** unknown: payments and refunds are carried out and answered 1298. unknownLost: they are answered 1298 and never were. */
export const outcomeNames = ['unknown', 'unknownLost'] as const;
export type OutcomeName = (typeof outcomeNames)[number];

/**
 * What an answer's X-QF-SIGN is made over. data: its fields, sorted, and the key (QFPay, response format, "Signature
 * Verification"). body: its text and the key, as notifications have it. none: no signature, which the page allows.
 */
export const answerSignatureNames = ['body', 'data', 'none'] as const;
export type AnswerSignatureName = (typeof answerSignatureNames)[number];

/** The time of an order that an enquiry's window means: the host's, or the terminal's. */
export const queryTimeNames = ['sysdtm', 'txdtm'] as const;
export type QueryTimeName = (typeof queryTimeNames)[number];

/** Both are published for it: "does not exist or is not operational" and "does not exist". */
export const unknownOrderCodes = ['1136', '1268'] as const;
export type UnknownOrderCode = (typeof unknownOrderCodes)[number];

export const signTypes = ['MD5', 'SHA256'] as const satisfies readonly SignType[];

/**
 * How the host treats the next requests. `mode` is as with the ISO 8583 host: up, down, silent (carries out, never answers),
 * late, garbage, duplicate (every answer twice), closeAfterRequest (carries out, closes without an answer). Without
 * further fields it is meant for payments and refunds.
 */
export interface QfpayHostMode {
  readonly mode: HostModeName;
  /** With up: every answer waits so long. With late: the answer that is late does, 8000 when not given. At most 600000. */
  readonly delayMs?: number;
  /** `respcd` of every payment and refund that would otherwise be accepted; of one that waits, what it ends with. */
  readonly decline?: string;
  /** `respcd` of every refund that would otherwise be accepted. */
  readonly declineRefunds?: string;
  /** With silent and late: reversals and closes are carried out, but not answered either. */
  readonly reversals?: boolean;
  /** With silent, late, garbage and closeAfterRequest: the mode applies to enquiries too. */
  readonly enquiries?: boolean;
  /** `pays` when not given. */
  readonly customer?: CustomerName;
  /** With the customer `processing`: how many enquiries are answered 1145 before the payment is decided; 2 when not given. */
  readonly processingEnquiries?: number;
  readonly outcome?: OutcomeName;
  /** false: closes and reversals are answered 1296 and do nothing. */
  readonly close?: boolean;
  /** Codes to be shown have a wrong CRC; those of Alipay and WeChat have none. */
  readonly badCode?: boolean;
  /** Orders, payments and refunds are in the books at once, and in what enquiries are answered from so much later. */
  readonly queryLagMs?: number;
  /** `sysdtm` when not given. */
  readonly queryTime?: QueryTimeName;
  /** The host's clock is so far ahead of the true time, or behind where it is negative: sysdtm, windows and days go by it. */
  readonly clockOffsetMs?: number;
  /** The host's time zone, minutes east of UTC; 480, Hong Kong's, when not given. */
  readonly utcOffsetMinutes?: number;
  /** `body` when not given. */
  readonly answerSignature?: AnswerSignatureName;
  /** As the request is signed when not given. */
  readonly answerSignType?: SignType;
  /** `respcd` of a reversal or close of an order that the host does not know; 1136 when not given. */
  readonly unknownOrder?: UnknownOrderCode;
  /**
   * `respcd` of a refund of more than is left of its sale, in place of 1125 and 1272. What is left is looked at before the number:
   * a refund that was carried out is answered so when it comes again.
   */
  readonly excessRefunds?: string;
  /** Every answer is signed with another key. */
  readonly badSignature?: boolean;
  /** Every answer names an amount that is one cent more. */
  readonly wrongAmount?: boolean;
}

export const lateDelayMs = 8000;
export const processingEnquiries = 2;
const delayMsMax = 600_000;
const processingEnquiriesMax = 1000;
const queryLagMsMax = 86_400_000;
/** Further than a clock without a battery goes back. */
const clockOffsetMsMax = 60 * 366 * 86_400_000;

/** Modes that do to some requests what they don't do to others. */
const selective: ReadonlySet<HostModeName> = new Set(['silent', 'late', 'garbage', 'closeAfterRequest']);

/** Throws RangeError with a sentence for whoever asked for this mode. */
export function checkMode(wanted: QfpayHostMode): void {
  const { mode, delayMs, customer, outcome } = wanted;
  if (!hostModeNames.includes(mode)) throw new RangeError(`mode is one of ${hostModeNames.join(', ')}`);
  checkWhole('delayMs', delayMs, delayMsMax);
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
