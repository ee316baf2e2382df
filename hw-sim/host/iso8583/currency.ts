/** The currencies that this host settles: numeric and alphabetic code, digits of the minor unit (ISO 4217). */
const settled: ReadonlyMap<string, readonly [code: string, exponent: number]> = new Map([
  ['036', ['AUD', 2]],
  ['156', ['CNY', 2]],
  ['344', ['HKD', 2]],
  ['392', ['JPY', 0]],
  ['410', ['KRW', 0]],
  ['414', ['KWD', 3]],
  ['446', ['MOP', 2]],
  ['702', ['SGD', 2]],
  ['826', ['GBP', 2]],
  ['840', ['USD', 2]],
  ['901', ['TWD', 2]],
  ['978', ['EUR', 2]],
]);

export interface Money {
  /** Minor units, digits without leading zeros. */
  readonly amountMinor: string;
  /** Major units with all decimals of the currency: '30.00'. */
  readonly amount: string;
  /** Alphabetic code: 'HKD'. */
  readonly currency: string;
}

/** Reads field 4 (12 digits) and a numeric currency code (3 digits); nothing for a currency that is not settled here. */
export function money(field4: string, numeric: string): Money | undefined {
  const [code, exponent] = settled.get(numeric) ?? [];
  if (code === undefined || exponent === undefined) return undefined;
  const amountMinor = BigInt(field4).toString();
  const digits = amountMinor.padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const amount = exponent === 0 ? whole : `${whole}.${digits.slice(-exponent)}`;
  return { amountMinor, amount, currency: code };
}
