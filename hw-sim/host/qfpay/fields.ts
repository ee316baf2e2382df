import type { Form } from './form.ts';
import { isTime } from './time.ts';
import type { Verdict } from './verdict.ts';

export type Call = 'payment' | 'query' | 'refund' | 'reversal' | 'close';

export const calls: ReadonlyMap<string, Call> = new Map<string, Call>([
  ['/trade/v1/payment', 'payment'],
  ['/trade/v1/query', 'query'],
  ['/trade/v1/refund', 'refund'],
  ['/trade/v1/reversal', 'reversal'],
  ['/trade/v1/close', 'close'],
]);

type Check = (value: string) => boolean;

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    pattern.test(value);
const listOf =
  (item: Check): Check =>
  (value) =>
    value.length <= listCharactersMax && value.split(',').every((part) => item(part));
const listCharactersMax = 4096;

/** Without commas: they separate numbers in the list of an enquiry. */
const tradeNo = matches(/^[\x21-\x2b\x2d-\x7e]{1,128}$/);
const syssn = matches(/^\d{1,40}$/);
const payType = matches(/^\d{6}$/);
const respcd = matches(/^\d{4}$/);

/** Int(11), cents. */
const amount = matches(/^[1-9]\d{0,10}$/);
const wholeNumber = (min: number, max: number): Check => {
  return (value) => /^[1-9]\d{0,5}$/.test(value) && Number(value) >= min && Number(value) <= max;
};

/**
 * The fields of one call (QFPay, request format, MPM, CPM, enquiry, refund and reversal guides) and what they may
 * hold.
 */
interface Fields {
  readonly required: Readonly<Record<string, Check>>;
  readonly optional: Readonly<Record<string, Check>>;
  readonly oneOf?: readonly string[];
}

const common = {
  mchid: matches(/^[\x21-\x7e]{1,16}$/),
  udid: matches(/^[\x20-\x7e]{1,40}$/),
};
const money = { txamt: amount, txdtm: isTime };
const currency = matches(/^[A-Z]{3}$/);

/** The tables do not have the currency, a published example of the reversal does. */
const takeBack: Fields = {
  required: money,
  optional: { ...common, syssn, out_trade_no: tradeNo, txcurrcd: currency },
  oneOf: ['syssn', 'out_trade_no'],
};

const fields: Readonly<Record<Call, Fields>> = {
  payment: {
    required: { ...money, txcurrcd: currency, pay_type: payType, out_trade_no: tradeNo },
    optional: {
      ...common,
      auth_code: matches(/^[\x21-\x7e]{1,128}$/),
      expired_time: wholeNumber(5, 120),
      // At most 20 letters and digits, nothing special; UTF-8 where Chinese.
      goods_name: matches(/^[\p{L}\p{N} ]{1,20}$/u),
      notify_url: matches(/^https?:\/\/[\x21-\x7e]{1,248}$/),
      pay_tag: matches(/^[A-Z\d]{1,16}$/),
      limit_pay: matches(/^no_credit$/),
    },
  },
  query: {
    required: {},
    optional: {
      ...common,
      syssn: listOf(syssn),
      out_trade_no: listOf(tradeNo),
      pay_type: listOf(payType),
      respcd,
      start_time: isTime,
      end_time: isTime,
      page: wholeNumber(1, 999_999),
      page_size: wholeNumber(1, 100),
    },
  },
  refund: {
    required: { ...money, syssn, out_trade_no: tradeNo },
    optional: { ...common, txcurrcd: currency },
  },
  reversal: takeBack,
  close: takeBack,
};

/** Checks that the call has all required fields and no unknown ones. `mchid`: the merchant's, if one was assigned. */
export function checkFields(call: Call, form: Form, mchid: string | undefined): Verdict | undefined {
  const { required, optional, oneOf } = fields[call];
  for (const name of Object.keys(required)) if (!form.has(name)) return wrong(`${call} without ${name}`);
  if (oneOf && !oneOf.some((name) => form.has(name))) return wrong(`${call} without ${oneOf.join(' and ')}`);
  for (const [name, value] of form) {
    const check = own(required, name) ?? own(optional, name);
    if (!check) return wrong(`${call} with a field that it does not know`);
    if (!check(value)) return wrong(`${call} with a malformed ${name}`);
  }
  // QFPay, request format: mandatory where it was assigned, not to be included where it was not.
  return form.get('mchid') === mchid ? undefined : wrong(`${call} with another mchid than the merchant's`);
}

function own(checks: Readonly<Record<string, Check>>, name: string): Check | undefined {
  return Object.hasOwn(checks, name) ? checks[name] : undefined;
}

/** 1104: request parameter error. */
export function wrong(finding: string): Verdict {
  return { respcd: '1104', finding };
}

/** A field whose presence was checked. */
export function fieldOf(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new Error(`the form has no ${name}`);
  return value;
}
