import { type Amount, majorText, parseMajor } from '../../base/domain/amount.ts';
import { type CurrencyCode, exponent, isCurrencyCode } from '../../base/domain/currency.ts';
import { JsonNumber } from '../contracts/pos-calls.ts';

const plain = /^(\d{1,12})\.(\d{1,30})$/;
/** Of a minor unit. */
const artefact = 1_000_000n;

/**
 * An amount in major units. Tills compute with floats: 88.30000000000001 is 88.30, because it differs from it by less
 * than a millionth of a cent. A greater difference is no amount.
 */
export function readAmount({ source }: JsonNumber, currency: CurrencyCode): Amount | undefined {
  const parsed = parseMajor(source, currency);
  if (typeof parsed === 'object') return parsed;
  const [, whole = '', fraction = ''] = plain.exec(source) ?? [];
  const places = fraction.length - exponent(currency);
  if (parsed !== 'too-many-decimals' || whole === '' || places <= 0) return undefined;
  const [digits, unit] = [BigInt(whole + fraction), 10n ** BigInt(places)];
  const minor = (digits + unit / 2n) / unit;
  const difference = digits - minor * unit;
  const isArtefact = (difference < 0n ? -difference : difference) * artefact <= unit;
  return isArtefact ? readAmount(new JsonNumber(majorText({ minor, currency })), currency) : undefined;
}

/** The same of a number that the terminal has answered. */
export function amountOf(value: unknown, currency: unknown): Amount | undefined {
  if (typeof value !== 'number' || typeof currency !== 'string' || !isCurrencyCode(currency)) return undefined;
  return readAmount(new JsonNumber(String(value)), currency);
}

/** An amount for a call. */
export function numberOf(amount: Amount): JsonNumber {
  return new JsonNumber(majorText(amount));
}
