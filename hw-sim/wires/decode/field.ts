import type { Decoded, Field } from '../frame.ts';

/** Upper-case hexadecimal text of some bytes. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}

/** A field of some bytes of the payload, shown in hexadecimal unless `value` is given. */
export function field(
  payload: Buffer,
  name: string,
  at: number,
  length: number,
  more: { readonly value?: string; readonly meaning?: string | undefined; readonly fields?: readonly Field[] } = {},
): Field {
  const { value = hexOf(payload.subarray(at, at + length)), meaning, fields } = more;
  return {
    name,
    value,
    ...(meaning !== undefined && meaning !== '' && { meaning }),
    at,
    length,
    ...(fields !== undefined && { fields }),
  };
}

/** The same for a field that must not be shown; `shown` is the part that may be. */
export function secretField(name: string, at: number, length: number, shown: string, meaning = 'hidden'): Field {
  return { name, value: shown, meaning, at, length, secret: true };
}

/** First six and last four digits (PCI DSS v4, 3.4.1); of a short number none. */
export function maskedNumber(digits: string): string {
  const hidden = digits.length - 10;
  if (hidden < 1) return '•'.repeat(digits.length);
  return `${digits.slice(0, 6)}${'•'.repeat(hidden)}${digits.slice(-4)}`;
}

/** Unreadable bytes: they may contain card data, so none of them is shown. */
export function unreadable(payload: Buffer, problem: string): Decoded {
  const fields = payload.length === 0 ? [] : [secretField('bytes', 0, payload.length, `${payload.length} bytes`)];
  return { summary: problem, fields, problem };
}

/** The entry of a table, or undefined: a code from a wire may be any text, such as 'constructor'. */
export function named(table: Readonly<Record<string, string>>, code: string): string | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined;
}

const currencies = { '344': 'HKD', '156': 'CNY', '840': 'USD', '392': 'JPY', '414': 'KWD' };
const exponents: Readonly<Record<string, number>> = { JPY: 0, KWD: 3 };

/** 'HKD' of 344 or 0344, and of HKD itself; undefined for a currency that is none of the simulator's. */
export function currencyOf(code: string): string | undefined {
  if (/^[A-Z]{3}$/.test(code)) return code;
  return named(currencies, code.replace(/^0(?=\d{3}$)/, ''));
}

/** 'HKD 30.00' of minor units. */
export function amountText(minor: string, currency: string | undefined): string {
  if (!/^\d+$/.test(minor)) return '';
  const decimals = exponents[currency ?? ''] ?? 2;
  const digits = BigInt(minor)
    .toString()
    .padStart(decimals + 1, '0');
  const split = digits.length - decimals;
  const text = decimals === 0 ? digits : `${digits.slice(0, split)}.${digits.slice(split)}`;
  return currency === undefined ? text : `${currency} ${text}`;
}
