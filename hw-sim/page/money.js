/**
 * Alphabetic codes of common currencies; any other shows its number.
 * @type {Readonly<Record<number, readonly [code: string, decimals: number]>>}
 */
const currencies = {
  344: ['HKD', 2],
  156: ['CNY', 2],
  446: ['MOP', 2],
  840: ['USD', 2],
  978: ['EUR', 2],
  392: ['JPY', 0],
};

/**
 * Formats minor units, digits as text, for people: '1,234.50'.
 * @type {(minor: string, decimals?: number) => string}
 */
export function majorText(minor, decimals = 2) {
  const sign = minor.startsWith('-') ? '-' : '';
  const digits = minor.slice(sign.length).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  return sign + (decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`);
}

/**
 * Formats the reader's amount: digits of minor units, and the numeric code.
 * @type {(minor: string, currencyNumeric?: string) => string}
 */
export function amountText(minor, currencyNumeric) {
  const [code, decimals] = currencies[Number(currencyNumeric)] ?? [currencyNumeric, 2];
  return `${code} ${majorText(minor, decimals)}`;
}

/** @type {(minor: string) => string} */
export function hkdText(minor) {
  return `HKD ${majorText(minor)}`;
}
