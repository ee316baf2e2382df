// Amounts are texts in major units, '30.00'; calculations use minor units. Never a float.

/** A message has room for twelve digits of minor units (ISO 8583 field 4). */
const digitsMax = 12;
const minorMax = 10n ** BigInt(digitsMax) - 1n;

/**
 * Common notes in major units, by the currency's decimals: Hong Kong's notes; thousands without decimals.
 * @type {Readonly<Record<number, readonly number[]>> & { 2: readonly number[] }}
 */
const notes = { 0: [1000, 5000, 10000], 2: [10, 20, 50, 100, 500, 1000], 3: [1, 5, 10, 20, 50] };
const notesShown = 3;

/** @type {(text: string) => number} */
export function decimalsOf(text) {
  return text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
}

/** @type {(text: string, decimals: number) => bigint} */
export function minorOf(text, decimals) {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(decimals, '0')}` || '0');
}

/** @type {(minor: bigint, decimals: number) => string} */
export function majorOf(minor, decimals) {
  const digits = minor.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/**
 * '1234567.89' is 1,234,567.89.
 * @type {(text: string) => string}
 */
export function grouped(text) {
  const [whole = '', ...fraction] = text.split('.');
  return [whole.replace(/\d(?=(?:\d{3})+$)/g, '$&,'), ...fraction].join('.');
}

/**
 * Amounts that a customer is likely to tender: round amounts above the total, in whole major units, as texts.
 * @type {(text: string) => string[]}
 */
export function roundAmounts(text) {
  const decimals = decimalsOf(text);
  const due = minorOf(text, decimals);
  const one = 10n ** BigInt(decimals);
  const rounded = (notes[decimals] ?? notes[2]).map((note) => {
    const unit = BigInt(note) * one;
    return ((due + unit - 1n) / unit) * unit;
  });
  const above = [...new Set(rounded)].filter((minor) => minor > due && minor <= minorMax);
  return above.slice(0, notesShown).map((minor) => majorOf(minor / one, 0));
}

/**
 * The text after this key; unchanged if the key does not fit.
 * @type {(text: string, key: string, decimals: number) => string}
 */
export function typed(text, key, decimals) {
  if (key === 'erase') return text.slice(0, -1);
  if (key === '.') return decimals === 0 || text.includes('.') ? text : `${text || '0'}.`;
  const next = /^0*$/.test(text) ? (text + key).replace(/^0+(?=\d)/, '') : text + key;
  const [whole = '', fraction = ''] = next.split('.');
  return whole.length <= digitsMax - decimals && fraction.length <= decimals ? next : text;
}
