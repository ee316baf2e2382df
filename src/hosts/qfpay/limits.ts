import type { Limits } from '../../base/domain/capability.ts';

/** `txamt`: Int(11); `txcurrcd`: one of the list (QFPay, "Request Format" and "Supported Currencies"). */
export const qfpayLimits: Limits = {
  mostMinor: 99_999_999_999n,
  currencies: ['AED', 'AUD', 'CAD', 'CNY', 'EUR', 'HKD', 'IDR', 'JPY', 'MMK', 'MYR', 'SGD', 'THB', 'USD'],
};
