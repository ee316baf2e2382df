import type { WalletScheme } from '../../domain/payment-scheme.ts';

/** `pay_type` of each wallet that is offered. */
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

/** Wallets that read `expired_time` (published: QFPay, "Request Format"); the others get none. */
export const expiringWallets: readonly WalletScheme[] = ['ALIPAY', 'WECHAT'];

/** Wallets whose code is always an EMVCo payload; that of another may be the address of a page. */
export const emvcoWallets: readonly WalletScheme[] = ['FPS', 'UPI_QR'];

/** How an order that is not paid is ended: fixtures/README.md, "Closing". */
export const closingCalls = {
  ALIPAY: 'reversal',
  WECHAT: 'close',
  FPS: 'reversal',
  UPI_QR: 'reversal',
} as const satisfies Record<WalletScheme, 'reversal' | 'close'>;
