import { hostModeNames, type HostModeName } from '../iso8583/mode.ts';
import { declines } from './respcd.ts';

/** What a scanned payment comes to at first: 0000, 1143 until the customer decides, 1145 for some enquiries, a refusal. */
export const customerNames = ['pays', 'password', 'processing', 'refuses'] as const;
export type CustomerName = (typeof customerNames)[number];

/** unknown: payments and refunds are carried out and answered 1298. unknownLost: they are answered 1298 and never were. */
export const outcomeNames = ['unknown', 'unknownLost'] as const;
export type OutcomeName = (typeof outcomeNames)[number];

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
  /** Every answer is signed with another key. */
  readonly badSignature?: boolean;
  /** Every answer names an amount that is one cent more. */
  readonly wrongAmount?: boolean;
}

export const lateDelayMs = 8000;
export const processingEnquiries = 2;
const delayMsMax = 600_000;
const processingEnquiriesMax = 1000;

/** Modes that do to some requests what they don't do to others. */
const selective: ReadonlySet<HostModeName> = new Set(['silent', 'late', 'garbage', 'closeAfterRequest']);

/** Throws RangeError with a sentence for whoever asked for this mode. */
export function checkMode(wanted: QfpayHostMode): void {
  const { mode, delayMs, customer, outcome } = wanted;
  if (!hostModeNames.includes(mode)) throw new RangeError(`mode is one of ${hostModeNames.join(', ')}`);
  checkWhole('delayMs', delayMs, delayMsMax);
  checkWhole('processingEnquiries', wanted.processingEnquiries, processingEnquiriesMax);
  for (const name of ['decline', 'declineRefunds'] as const) {
    const code = wanted[name];
    if (code !== undefined && !declines(code)) {
      throw new RangeError(`${name} is a respcd of four digits that says that no money moved`);
    }
  }
  if (customer !== undefined && !customerNames.includes(customer)) {
    throw new RangeError(`customer is one of ${customerNames.join(', ')}`);
  }
  if (outcome !== undefined && !outcomeNames.includes(outcome)) {
    throw new RangeError(`outcome is one of ${outcomeNames.join(', ')}`);
  }
  if (wanted.enquiries === true && !selective.has(mode)) {
    throw new RangeError(`enquiries goes with ${[...selective].join(', ')}`);
  }
}

function checkWhole(name: string, value: number | undefined, max: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= 0 && value <= max)) return;
  throw new RangeError(`${name} is a whole number from 0 to ${max}`);
}
