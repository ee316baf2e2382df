import type { Decode, Field } from '../frame.ts';
import { amountText, field, named, secretField, unreadable } from './field.ts';
import { jsonFields } from './json.ts';

/** The codes of the wallets' host (QFPay, PROTOCOLS). */
const respcds: Readonly<Record<string, string>> = {
  '0000': 'success',
  '1102': 'duplicate',
  '1103': 'format error',
  '1108': 'wrong signature',
  '1136': 'no such order',
  '1142': 'closed',
  '1143': 'the customer is entering a password',
  '1145': 'processing',
  '1181': 'expired',
  '1201': 'insufficient balance',
  '1202': 'code wrong or expired',
  '1268': 'no such order',
  '1269': 'refund refused',
  '1296': 'outcome unknown',
  '1298': 'outcome unknown',
};

const calls: Readonly<Record<string, string>> = {
  '/trade/v1/payment': 'payment',
  '/trade/v1/query': 'enquiry',
  '/trade/v1/refund': 'refund',
  '/trade/v1/reversal': 'reversal',
  '/trade/v1/close': 'close',
};

/** Anyone who sees a customer's payment code could use it, so it is not shown. */
const isSecret = (name: string): boolean => name === 'auth_code';

/** A request to the wallets' host, or its answer. */
export const decodeHttp: Decode = (payload) => {
  const headEnd = payload.indexOf('\r\n\r\n');
  const head = payload.toString('latin1', 0, Math.max(0, headEnd));
  const [start = '', ...lines] = head.split('\r\n');
  if (headEnd < 0 || !/HTTP\/1\.[01]/.test(start)) return unreadable(payload, 'bytes that are no HTTP');
  let at = start.length + 2;
  const headers = lines.map((line) => {
    const [name = '', ...rest] = line.split(':');
    const made = field(payload, name, at, line.length, { value: rest.join(':').trim() });
    at += line.length + 2;
    return made;
  });
  const bodyAt = headEnd + 4;
  const body = bodyFields(payload, bodyAt);
  const fields = [
    field(payload, start.startsWith('HTTP/') ? 'status' : 'request', 0, start.length, { value: start }),
    ...(headers.length > 0
      ? [field(payload, 'headers', start.length + 2, headEnd - start.length - 2, { value: '', fields: headers })]
      : []),
    ...(body === undefined ? [] : [body]),
  ];
  return { summary: summaryOf(start, body?.fields ?? []), fields };
};

function bodyFields(payload: Buffer, at: number): Field | undefined {
  const length = payload.length - at;
  if (length === 0) return undefined;
  const [from, end] = contentOf(payload, at);
  const fields = jsonFields(payload, from, end, isSecret) ?? formFields(payload, at);
  // Any other body may contain a payment code.
  if (fields === undefined) return secretField('body', at, length, `${length} bytes`, 'neither JSON nor a form');
  return field(payload, 'body', at, length, { value: '', fields: fields.map(withMeaning) });
}

/** A body in one chunk: what stands between its size and the empty chunk (RFC 9112, 7.1). Otherwise all of the body. */
function contentOf(payload: Buffer, at: number): readonly [from: number, end: number] {
  const [line, size] = /^([\dA-Fa-f]{1,7})\r\n/.exec(payload.toString('latin1', at, at + 9)) ?? [];
  if (line === undefined || size === undefined) return [at, payload.length];
  const from = at + line.length;
  const end = from + Number.parseInt(size, 16);
  return payload.toString('latin1', end) === '\r\n0\r\n\r\n' ? [from, end] : [at, payload.length];
}

function formFields(payload: Buffer, bodyAt: number): Field[] | undefined {
  const text = payload.toString('latin1', bodyAt);
  if (!/^[\w.%+*-]+=[^&=]*(?:&[\w.%+*-]+=[^&=]*)*$/.test(text)) return undefined;
  let at = bodyAt;
  return text.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split('=');
    const here = at;
    at += pair.length + 1;
    if (isSecret(name)) return secretField(name, here, pair.length, `••••${value.slice(-4)}`, 'payment code');
    return field(payload, name, here, pair.length, { value: unescaped(value) });
  });
}

function unescaped(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return value;
  }
}

function withMeaning(given: Field): Field {
  const { name, value, fields } = given;
  if (fields !== undefined) return { ...given, fields: fields.map(withMeaning) };
  const meaning =
    name === 'respcd' ? named(respcds, value) : name === 'txamt' ? amountText(value, undefined) : undefined;
  return meaning === undefined ? given : { ...given, meaning };
}

function summaryOf(start: string, body: readonly Field[]): string {
  const value = (name: string) => body.find((each) => each.name === name)?.value;
  const [first = '', path = ''] = start.split(' ');
  const [amount, code, asked] = [value('txamt'), value('respcd'), value('requestAmount')];
  const what = first.startsWith('HTTP/') ? `HTTP ${path}` : `${first} ${named(calls, path) ?? path}`;
  return [
    what,
    amount === undefined ? '' : amountText(amount, value('txcurrcd')),
    code === undefined ? '' : `${code} ${named(respcds, code) ?? ''}`.trim(),
    value('out_trade_no') ?? '',
    // A till's own request, and its answer.
    value('transactionType') ?? '',
    asked === undefined ? '' : `${value('currency') ?? ''} ${asked}`.trim(),
    value('responseResult') ?? '',
    value('reason') ?? '',
  ]
    .filter(Boolean)
    .join(' · ');
}
