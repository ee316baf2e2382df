import { type Amount, groupedText, majorNumber, parseMajor } from '../../base/domain/amount.ts';
import { type CurrencyCode, currencyCodes, exponent, isCurrencyCode } from '../../base/domain/currency.ts';
import { nearestWord } from '../../base/domain/nearest-word.ts';
import { UsageError } from '../../base/usage-error.ts';
import { shown } from './shown.ts';

/** A currency by its code, in capital letters or not. Throws UsageError. */
export function parseCurrency(text: string): CurrencyCode {
  const code = text.toUpperCase();
  if (isCurrencyCode(code)) return code;
  const meant = nearestWord(code, currencyCodes);
  throw new UsageError(`'${text}' is no currency of ISO 4217${meant === undefined ? '' : `; did you mean ${meant}?`}`);
}

/** An amount in major units, exactly as it is written: nothing is rounded. Throws UsageError. */
export function parseAmount(text: string, currency: CurrencyCode): Amount {
  const parsed = /^\d+(\.\d+)?$/.test(text) ? parseMajor(text, currency) : 'not-a-number';
  if (typeof parsed === 'object') return parsed;
  const why = {
    'not-a-number': 'is no amount: digits, and a point before the decimals',
    negative: 'is negative',
    'too-many-decimals': `can’t be paid: ${currency} has ${exponent(currency)} decimals`,
    'too-large': 'is more than a message can say',
  }[parsed];
  throw new UsageError(`${text} ${currency} ${why}`);
}

/** The number of a request: exact, because an amount has at most 12 digits. */
export const amountField = majorNumber;

/** 'HKD 1,234.50' of an answer's number; as it is if it is none. */
export function moneyText(amount: unknown, currency: unknown): string {
  const code = shown(currency);
  const parsed = isCurrencyCode(code) && typeof amount === 'number' ? parseSigned(amount, code) : undefined;
  return parsed === undefined ? `${code} ${shown(amount)}`.trim() : `${code} ${parsed}`;
}

function parseSigned(amount: number, currency: CurrencyCode): string | undefined {
  const parsed = parseMajor(String(Math.abs(amount)), currency);
  return typeof parsed === 'object' ? `${amount < 0 ? '-' : ''}${groupedText(parsed)}` : undefined;
}
