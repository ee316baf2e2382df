/** A currency that this host settles (ISO 4217). */
export interface Currency {
  /** Alphabetic: 'HKD'. */
  readonly code: string;
  /** Digits of the minor unit. */
  readonly exponent: number;
}

const settled: ReadonlyMap<string, Currency> = new Map([
  ['036', { code: 'AUD', exponent: 2 }],
  ['156', { code: 'CNY', exponent: 2 }],
  ['344', { code: 'HKD', exponent: 2 }],
  ['392', { code: 'JPY', exponent: 0 }],
  ['410', { code: 'KRW', exponent: 0 }],
  ['414', { code: 'KWD', exponent: 3 }],
  ['446', { code: 'MOP', exponent: 2 }],
  ['702', { code: 'SGD', exponent: 2 }],
  ['826', { code: 'GBP', exponent: 2 }],
  ['840', { code: 'USD', exponent: 2 }],
  ['901', { code: 'TWD', exponent: 2 }],
  ['978', { code: 'EUR', exponent: 2 }],
]);

/** By numeric code, three digits; undefined for a currency that is not settled here. */
export function currencyOf(numeric: string): Currency | undefined {
  return settled.get(numeric);
}

/** Major units with all decimals of the currency: 3000n of HKD is '30.00'. Not for negative amounts. */
export function amountText(minor: bigint, { exponent }: Currency): string {
  const digits = minor.toString().padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  return exponent === 0 ? whole : `${whole}.${digits.slice(-exponent)}`;
}
