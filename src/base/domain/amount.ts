import { type CurrencyCode, exponent } from './currency.ts';

/** Money: minor units (cents of HKD, yen of JPY) and their currency. Never a float. */
export interface Amount {
  readonly minor: bigint;
  readonly currency: CurrencyCode;
}

export type AmountRefusal = 'not-a-number' | 'negative' | 'too-many-decimals' | 'too-large';

/** ISO 8583 field 4 and EMV 9F02 are n12: at most 12 digits of minor units fit into a message. */
const digitsMax = 12;
/** The greatest amount in minor units. */
export const minorMax = 10n ** BigInt(digitsMax) - 1n;

/** Whether a value of the journal is an amount: minor units as decimal digits. */
export function isMinorDigits(value: unknown): boolean {
  return typeof value === 'string' && /^\d{1,18}$/.test(value);
}

const jsonNumber = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/;

/**
 * Reads an amount in major units from the source text of a JSON number, exactly. '30', '30.0', '30.00' and '3e1' are
 * the same amount; '30.001' HKD is refused, not rounded.
 */
export function parseMajor(text: string, currency: CurrencyCode): Amount | AmountRefusal {
  const match = jsonNumber.exec(text);
  if (!match) return 'not-a-number';
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '');
  const shift = exponent(currency) - fraction.length + Number(power);
  const minor = scaleDigits(digits, shift);
  if (minor === undefined) return 'too-many-decimals';
  if (sign === '-' && minor !== 0n) return 'negative';
  if (minor.toString().length > digitsMax) return 'too-large';
  return { minor, currency };
}

/** `digits` × 10^`shift`; undefined if the result is not a whole number. */
function scaleDigits(digits: string, shift: number): bigint | undefined {
  if (shift >= 0) return BigInt(digits) * 10n ** BigInt(shift);
  const cut = digits.length + shift;
  const dropped = cut > 0 ? digits.slice(cut) : digits;
  if (/[1-9]/.test(dropped)) return undefined;
  return cut > 0 ? BigInt(digits.slice(0, cut)) : 0n;
}

/** Major units with all decimals of the currency: '30.00' HKD, '30' JPY, '0.005' KWD. */
export function majorText(amount: Amount): string {
  const decimals = exponent(amount.currency);
  const sign = amount.minor < 0n ? '-' : '';
  const digits = (amount.minor < 0n ? -amount.minor : amount.minor).toString().padStart(decimals + 1, '0');
  if (decimals === 0) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** '1234567.89' is 1,234,567.89: for people, never for a machine. */
export function grouped(text: string): string {
  const [whole = '', ...fraction] = text.split('.');
  return [whole.replaceAll(/\d(?=(?:\d{3})+$)/g, '$&,'), ...fraction].join('.');
}

/** majorText for people: '1,234.50'. */
export function groupedText(amount: Amount): string {
  return grouped(majorText(amount));
}

/** The amount as a JSON number. Exact: a double holds any 15 decimal digits, and an amount has at most 12. */
export function majorNumber(amount: Amount): number {
  return Number(majorText(amount));
}

/** Rounded down: a limit is not exceeded by rounding. */
export function percentOf(minor: bigint, percent: number): bigint {
  return (minor * BigInt(percent)) / 100n;
}
