import type { Numbers } from '../iso8583/numbers.ts';
import type { Currency, Wallet } from './wallet.ts';

export interface CodeContent {
  readonly wallet: Wallet;
  readonly currency: Currency;
  readonly amountMinor: bigint;
  /** At most 25 characters. */
  readonly reference: string;
}

/** Invented, but for the FPS identifier, which is that of the example in fixtures/qr/codes.json. */
const fpsIdentifier = '166001234';
const unionPayAccount = `${'00000344'.repeat(2)}POIDTEST0000001`;
const merchantName = 'POID TEST SHOP';

const small = 'abcdefghijklmnopqrstuvwxyz0123456789';
const mixed = `${small}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/**
 * The text that a terminal must show. The forms of the two addresses: QFPay's example of MPM, WeChat Pay's "code_url".
 */
export function merchantCode(content: CodeContent, numbers: Numbers): string {
  const { wallet } = content;
  switch (wallet.code) {
    case 'ALIPAY':
      return `https://qr.alipay.com/bax${drawn(21, small, numbers)}`;
    case 'WECHAT':
      return `weixin://wxpay/bizpayurl?pr=${drawn(9, mixed, numbers)}`;
    case 'FPS':
      // Hong Kong Common QR Code Specification v1.0: template 26 names the clearing and the identifier, the city is
      // HK.
      return payload(content, object('26', object('00', 'hk.com.hkicl') + object('02', fpsIdentifier)), '0000', 'NA');
    case 'UPI_QR':
      // EMVCo QRCPS-MPM, table 3.1: 15 and 16 belong to UnionPay. Assumed: two institutions (n8 each) and the merchant
      // (15).
      return payload(content, object('15', unionPayAccount), '5999', merchantName);
    default:
      // A wallet of the merchant's own: template 27 is one of those that EMVCo leaves to other schemes.
      if (!wallet.presented?.emvco)
        return `https://${wallet.code.toLowerCase()}.invalid/pay/${drawn(21, small, numbers)}`;
      return payload(content, object('27', object('00', `invalid.${wallet.code.toLowerCase()}`)), '5999', merchantName);
  }
}

/** The same payload with a wrong checksum. A code without a checksum stays as it is. */
export function withWrongCrc(code: string): string {
  if (!/6304[0-9A-F]{4}$/.test(code)) return code;
  const wrong = (Number.parseInt(code.slice(-4), 16) ^ 0xffff).toString(16).toUpperCase().padStart(4, '0');
  return code.slice(0, -4) + wrong;
}

/**
 * EMVCo QRCPS-MPM 1.0, table 3.1: 01 is 12 for a code of one payment, 53 the currency, 54 the amount, 62-05 the
 * reference.
 */
function payload(
  { currency, amountMinor, reference }: CodeContent,
  account: string,
  category: string,
  name: string,
): string {
  const text = [
    object('00', '01'),
    object('01', '12'),
    account,
    object('52', category),
    object('53', numericCodes[currency]),
    object('54', amountText(amountMinor)),
    object('58', 'HK'),
    object('59', name),
    object('60', 'HK'),
    object('62', object('05', reference)),
    '6304',
  ].join('');
  return text + crc(text);
}

/** ISO 4217. */
const numericCodes: Readonly<Record<Currency, string>> = { HKD: '344', CNY: '156' };

/** Major units with both decimals: '30.00'. */
export function amountText(minor: bigint): string {
  const digits = minor.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function object(id: string, value: string): string {
  return id + value.length.toString().padStart(2, '0') + value;
}

/** CRC-16/CCITT-FALSE (EMVCo QRCPS-MPM 4.7.3): polynomial 1021, initial value FFFF. */
function crc(text: string): string {
  let register = 0xffff;
  for (const byte of Buffer.from(text, 'utf8')) {
    register ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) {
      register = ((register << 1) ^ ((register & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff;
    }
  }
  return register.toString(16).toUpperCase().padStart(4, '0');
}

function drawn(length: number, alphabet: string, numbers: Numbers): string {
  return Array.from({ length }, () => alphabet.charAt(numbers.below(alphabet.length))).join('');
}
