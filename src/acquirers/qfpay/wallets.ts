import type { WalletScheme } from '../../domain/payment-scheme.ts';

/** `pay_type` of each wallet offered. */
export type PayTypes = Readonly<Partial<Record<WalletScheme, string>>>;

/** Codes that this terminal shows. Published: QFPay, "Merchant Present Mode (MPM)", Supported PayTypes. */
export const presentedPayTypes: PayTypes = {
  ALIPAY: '801501',
  WECHAT: '800201',
  FPS: '802001',
  UPI_QR: '800701',
};

/** Codes that customers show. Published: QFPay, "Consumer Present Mode (CPM)", Supported PayTypes. */
export const scannedPayTypes: PayTypes = {
  ALIPAY: '800108',
  WECHAT: '800208',
  UPI_QR: '800708',
};

/** Wallets that support `expired_time` (published: QFPay, "Request Format"). It is not sent for others. */
export const expiringWallets: readonly WalletScheme[] = ['ALIPAY', 'WECHAT'];

/** Wallets whose code is always an EMVCo payload. Other wallets may use a web address. */
export const emvcoWallets: readonly WalletScheme[] = ['FPS', 'UPI_QR'];

/** The call that ends an unpaid order, by wallet: fixtures/README.md, "Closing". */
export const closingCalls = {
  ALIPAY: 'reversal',
  WECHAT: 'close',
  FPS: 'reversal',
  UPI_QR: 'reversal',
} as const satisfies Record<WalletScheme, 'reversal' | 'close'>;
