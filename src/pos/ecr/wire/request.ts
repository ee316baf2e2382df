import { type EcrChannel, ecrChannels } from '../../../config/ecr-settings.ts';
import { exponent, type CurrencyCode } from '../../../base/domain/currency.ts';
import { harmless } from '../../../base/domain/json-keys.ts';
import { minorMax } from '../../../base/domain/amount.ts';
import type { EcrContent, EcrValue } from './content.ts';

/** The six calls, by the end of their paths (QFPay/docs@3943715, docs/pos/ecr.md, 7), with their func_type (4). */
export const ecrCalls = {
  trade: '1001',
  cancel: '1002',
  print_receipt: '3001',
  transaction_info: '3002',
  query_transaction: '4001',
  cancel_request: '5001',
} as const;
export type EcrCall = keyof typeof ecrCalls;

export type EntryMode = 'QR_PRESENT' | 'QR_SCAN';

export interface TradeRequest {
  readonly call: 'trade';
  readonly minor: bigint;
  readonly channel: EcrChannel;
  readonly outTradeNo?: string;
  readonly collectS?: number;
  readonly entryMode?: EntryMode;
}

export interface RefundRequest {
  readonly call: 'cancel';
  readonly orderId: string;
  /** All that is left if absent. */
  readonly minor?: bigint;
}

export type EcrRequest =
  | TradeRequest
  | RefundRequest
  | { readonly call: 'print_receipt'; readonly orderId: string }
  | { readonly call: 'transaction_info' }
  | ({ readonly call: 'query_transaction' } & ({ readonly orderId: string } | { readonly outTradeNo: string }))
  | { readonly call: 'cancel_request' };

/** A field that is wrong, and what is wrong with it. Never the value. */
export interface FieldFault {
  readonly fault: string;
}

/** The fields of each call. Any other asks for something that ECR does not have. */
const fieldsOf: Readonly<Record<EcrCall, readonly string[]>> = {
  trade: [
    'amt',
    'channel',
    'out_trade_no',
    'camera_id',
    'wait_card_timeout',
    'payment_timeout',
    'scan_type',
    'moveToBack',
  ],
  cancel: ['orderId', 'refund_amount', 'allow_modify_flag', 'moveToBack'],
  print_receipt: ['orderId'],
  transaction_info: [],
  query_transaction: ['orderId', 'out_trade_no'],
  cancel_request: [],
};

/** Reads the fields of a call. Throws nothing: what is wrong is returned. */
export function parseRequest(call: EcrCall, content: EcrContent, currency: CurrencyCode): EcrRequest | FieldFault {
  const fields = new Fields(content);
  const known = [...fieldsOf[call], 'func_type'];
  const unknown = [...content.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const named = harmless.test(unknown) ? `: ${unknown}` : '';
    return { fault: `${call} has a field that ECR does not have here${named}` };
  }
  if (fields.text('func_type') !== ecrCalls[call]) return { fault: `func_type of ${call} must be ${ecrCalls[call]}` };
  try {
    return requestOf(call, fields, currency);
  } catch (error) {
    if (error instanceof FieldError) return { fault: error.message };
    throw error;
  }
}

function requestOf(call: EcrCall, fields: Fields, currency: CurrencyCode): EcrRequest {
  switch (call) {
    case 'trade':
      return tradeOf(fields, currency);
    case 'cancel': {
      // The first permits another amount at the terminal, which never asks for one.
      for (const name of ['allow_modify_flag', 'moveToBack'] as const) fields.flag(name);
      const minor = fields.amount('refund_amount', currency);
      return { call, orderId: fields.demand('orderId'), ...(minor === undefined ? {} : { minor }) };
    }
    case 'print_receipt':
      return { call, orderId: fields.demand('orderId') };
    case 'query_transaction': {
      const orderId = fields.line('orderId');
      return orderId === undefined ? { call, outTradeNo: fields.demand('out_trade_no') } : { call, orderId };
    }
    default:
      return { call };
  }
}

function tradeOf(fields: Fields, currency: CurrencyCode): TradeRequest {
  const minor = fields.amount('amt', currency);
  if (minor === undefined) throw new FieldError('amt', 'is missing');
  const channel = ecrChannels.find((each) => each === fields.demand('channel'));
  if (!channel) throw new FieldError('channel', `must be one of ${ecrChannels.join(', ')}`);
  const outTradeNo = fields.line('out_trade_no');
  const [card, wallet] = [fields.seconds('wait_card_timeout'), fields.seconds('payment_timeout')];
  const collectS = channel.includes('card') ? (card ?? wallet) : (wallet ?? card);
  const entryMode = entryModeOf(fields.text('scan_type'));
  // Which camera, and which app is in front: the terminal has one of each.
  for (const name of ['camera_id', 'moveToBack'] as const) fields.flag(name);
  return {
    call: 'trade',
    minor,
    channel,
    ...(outTradeNo === undefined ? {} : { outTradeNo }),
    ...(collectS === undefined ? {} : { collectS }),
    ...(entryMode === undefined ? {} : { entryMode }),
  };
}

/** QRCODE_PAY: the terminal shows a code. SCAN_PAY: it reads that of the customer. */
function entryModeOf(scanType: string | undefined): EntryMode | undefined {
  if (scanType === undefined) return undefined;
  if (scanType === 'QRCODE_PAY') return 'QR_PRESENT';
  if (scanType === 'SCAN_PAY') return 'QR_SCAN';
  throw new FieldError('scan_type', 'must be QRCODE_PAY or SCAN_PAY');
}

class FieldError extends Error {
  constructor(name: string, message: string) {
    super(`${name} ${message}`);
  }
}

/** Text on one line, as it is stored and printed. */
const oneLine = /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u;
const secondsMax = 86_400;

/** The fields of a request. An empty text is an absent one (QFPay/docs, ecr.md, "Generate signature"). */
class Fields {
  readonly #content: EcrContent;

  constructor(content: EcrContent) {
    this.#content = content;
  }

  /** Numbers are accepted as texts, too: the document calls func_type a text and shows a number. */
  text(name: string): string | undefined {
    const value: EcrValue | undefined = this.#content.get(name);
    return value === undefined || value.text === '' ? undefined : value.text;
  }

  line(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || (oneLine.test(text) && text.trim() !== '')) return text;
    throw new FieldError(name, 'must be a text of 1 to 64 characters on one line');
  }

  demand(name: string): string {
    const text = this.line(name);
    if (text === undefined) throw new FieldError(name, 'is missing');
    return text;
  }

  flag(name: string): 0 | 1 | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (text === '0') return 0;
    if (text === '1') return 1;
    throw new FieldError(name, 'must be 0 or 1');
  }

  seconds(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= secondsMax) return Number(text);
    throw new FieldError(name, 'must be a whole number of seconds');
  }

  amount(name: string, currency: CurrencyCode): bigint | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const minor = minorOf(text, exponent(currency));
    if (minor !== undefined && minor > 0n && minor <= minorMax) return minor;
    throw new FieldError(name, `must be an amount in ${currency} that can be paid`);
  }
}

const decimal = /^(\d{1,12})(?:\.(\d{1,30}))?$/;
/** Digits of the fraction beyond the currency's that may be the rounding of a float: 0.000001 major units. */
const exactDigits = 6;

/**
 * An amount in major units as minor units. A till that computes with floats sends 88.30000000000001: digits are dropped
 * if they are within a millionth of the amount that was meant, and any other fraction is refused. Undefined if it is no
 * such amount.
 */
export function minorOf(text: string, decimals: number): bigint | undefined {
  const [, whole, fraction = ''] = decimal.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = fraction.padEnd(Math.max(exactDigits, decimals), '0');
  const minor = BigInt(whole + digits.slice(0, decimals));
  const [near, beyond] = [digits.slice(decimals, exactDigits), digits.slice(exactDigits)];
  if (/^0*$/.test(near)) return minor;
  return /^9+$/.test(near) && beyond !== '' ? minor + 1n : undefined;
}
