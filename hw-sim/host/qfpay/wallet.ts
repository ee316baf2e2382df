/** The wallets that this host accepts. */
export const wallets = ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR'] as const;
export type Wallet = (typeof wallets)[number];

/** What this host's merchant is set up for (QFPay, "Supported Currencies"). FPS clears Hong Kong dollars and renminbi. */
export type Currency = 'HKD' | 'CNY';

/** The currency, if this wallet pays in it here. FPS is never scanned, so a wallet that is not known yet is another. */
export function payableIn(wallet: Wallet | undefined, code: string | undefined): Currency | undefined {
  if (code === 'HKD') return code;
  return code === 'CNY' && wallet === 'FPS' ? code : undefined;
}

/** The wallets whose phones show a code: FPS has merchant-presented codes only (QFPay, payment types). */
export const phoneWallets = ['ALIPAY', 'WECHAT', 'UPI_QR'] as const;
export type PhoneWallet = (typeof phoneWallets)[number];

/** presented: the terminal shows the code (MPM). scanned: the phone does (CPM). */
export type PayType =
  | { readonly flow: 'presented'; readonly wallet: Wallet }
  /** If the wallet is missing, the code decides it. */
  | { readonly flow: 'scanned'; readonly wallet?: PhoneWallet };

/** QFPay, payment types: those of Hong Kong that this host is set up for. */
export const payTypes: ReadonlyMap<string, PayType> = new Map<string, PayType>([
  ['801501', { flow: 'presented', wallet: 'ALIPAY' }],
  ['800201', { flow: 'presented', wallet: 'WECHAT' }],
  ['802001', { flow: 'presented', wallet: 'FPS' }],
  ['800701', { flow: 'presented', wallet: 'UPI_QR' }],
  ['800008', { flow: 'scanned' }],
  ['800108', { flow: 'scanned', wallet: 'ALIPAY' }],
  ['800208', { flow: 'scanned', wallet: 'WECHAT' }],
  ['800708', { flow: 'scanned', wallet: 'UPI_QR' }],
]);

/**
 * In-store payment types that exist, but not at this merchant: PayMe, Octopus, overseas Alipay, direct WeChat Pay HK.
 */
export const otherPayTypes: ReadonlySet<string> = new Set(['800101', '801008', '803701', '805801', '805808']);

/**
 * QFPay, payment types, special remarks: FPS (802001) does not support refunds. The others do; nothing more is
 * published.
 */
export const refundable: Readonly<Record<Wallet, boolean>> = { ALIPAY: true, WECHAT: true, FPS: false, UPI_QR: true };

/** QFPay, MPM: `expired_time` is for WeChat and Alipay only. */
export const hasExpiry: Readonly<Record<Wallet, boolean>> = { ALIPAY: true, WECHAT: true, FPS: false, UPI_QR: false };

/**
 * Which of the two calls ends an unpaid order. QFPay, reversal guide: reversal for Alipay and for WeChat's presented
 * codes, close for WeChat, and for Alipay too. FPS and UnionPay by reversal: assumed (fixtures/README.md).
 */
export function endsBy(call: 'reversal' | 'close', wallet: Wallet, flow: PayType['flow']): boolean {
  switch (wallet) {
    case 'ALIPAY':
      return true;
    case 'WECHAT':
      return call === 'close' || flow === 'presented';
    case 'FPS':
    case 'UPI_QR':
      return call === 'reversal';
    default:
      return wallet satisfies never;
  }
}
