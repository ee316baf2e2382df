import type { ReceiptShop } from '../../receipt/document.ts';

/** The headers of merchants' receipts, by their ids. */
export type MerchantHeaders = ReadonlyMap<string, ReceiptShop>;

/** The header of a merchant's receipts. It is the shop's if there is no merchant, or if it is no longer configured. */
export function headerOf<Header extends ReceiptShop>(
  merchantId: string | undefined,
  shop: Header,
  headers: MerchantHeaders = new Map(),
): Header {
  const own = merchantId === undefined ? undefined : headers.get(merchantId);
  return own ? { ...shop, ...own } : shop;
}
