/** The currencies of this simulation: ISO 4217 number and decimals. */
const currencies: Readonly<Record<string, { readonly digits: string; readonly decimals: number }>> = {
  HKD: { digits: '344', decimals: 2 },
  CNY: { digits: '156', decimals: 2 },
  USD: { digits: '840', decimals: 2 },
  JPY: { digits: '392', decimals: 0 },
};

/** A payload of EMVCo's Merchant-Presented Mode 1.0, table 3.1, for one payment, as in FPS and UnionPay codes. */
export function presentedCode(account: string, amountMinor: bigint, currency: string): string {
  const { digits = '', decimals = 2 } = currencies[currency] ?? {};
  const text = amountMinor.toString().padStart(decimals + 1, '0');
  const whole = text.slice(0, text.length - decimals);
  const major = decimals === 0 ? whole : `${whole}.${text.slice(-decimals)}`;
  const payload = [
    object('00', '01'),
    object('01', '12'),
    account,
    object('52', '5999'),
    object('53', digits),
    // Table 3.5: at most 13 characters. The customer types a longer amount.
    ...(major.length <= 13 ? [object('54', major)] : []),
    object('58', 'HK'),
    object('59', 'HARBOUR TEA HOUSE'),
    object('60', 'HONG KONG'),
    '6304',
  ].join('');
  return payload + checksum(payload);
}

export const accounts = {
  FPS: object('26', object('00', 'hk.com.hkicl') + object('02', '166001234')),
  UPI_QR: object('15', '0000034400000344POIDTEST0000001'),
};

function object(id: string, value: string): string {
  return id + String(value.length).padStart(2, '0') + value;
}

/** CRC-16, polynomial 1021, initial value FFFF (4.7.3). */
function checksum(text: string): string {
  let sum = 0xffff;
  for (const byte of Buffer.from(text, 'utf8')) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) sum = ((sum << 1) ^ ((sum & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff;
  }
  return sum.toString(16).toUpperCase().padStart(4, '0');
}
