import type { AdviceOrder, OnlineOrder, SettlementOrder, UploadOrder } from '../../../src/ports/acquirer-host.ts';
import { cardReference, emv, original, type PresentedOrder, saleOrder } from './terminal.ts';

type Operation<Order extends { operation: string }, Name extends Order['operation']> = Extract<
  Order,
  { operation: Name }
>;

const hkd = (minor: bigint) => ({ minor, currency: 'HKD' as const });

export const tippedSaleOrder: PresentedOrder = { ...saleOrder, amount: hkd(3300n), tipMinor: 300n };
export const authOrder: PresentedOrder = { ...saleOrder, operation: 'auth' };
export const refundOrder: PresentedOrder = { ...saleOrder, operation: 'refund' };

export const voidOrder: Extract<OnlineOrder, { original: object }> = {
  operation: 'void',
  trace: { stan: 124, invoice: 45, batch: 7 },
  amount: hkd(3000n),
  card: cardReference,
  original,
};

/** Of a refund that the host approved without field 38. */
export const voidRefundOrder: OnlineOrder = {
  ...voidOrder,
  operation: 'voidRefund',
  original: { ...original, approvalCode: '' },
};

export const offlineSaleOrder: Operation<AdviceOrder, 'offlineSale'> = {
  operation: 'offlineSale',
  trace: { stan: 126, invoice: 47, batch: 7 },
  amount: hkd(3300n),
  card: { ...cardReference, emv },
  approvalCode: 'PH0NE1',
  tipMinor: 300n,
  // 28 February, a second before midnight, in Hong Kong.
  at: new Date('2026-02-28T15:59:59.900Z'),
};

export const completionOrder: Operation<AdviceOrder, 'completion'> = {
  operation: 'completion',
  trace: { stan: 127, invoice: 48, batch: 7 },
  amount: hkd(3450n),
  card: cardReference,
  original,
};

export const tipAdjustOrder: Operation<AdviceOrder, 'tipAdjust'> = {
  operation: 'tipAdjust',
  trace: { stan: 128, invoice: 45, batch: 7 },
  amount: hkd(3500n),
  card: cardReference,
  original,
  tipMinor: 500n,
};

const refunds = { count: 1, minor: 500n };

export const settlementOrder: SettlementOrder = {
  stan: 130,
  batch: 7,
  totals: { currency: 'HKD', sales: { count: 999, minor: 123_456_789_012n }, refunds },
  trailer: false,
};

export const wideSettlementOrder: SettlementOrder = {
  ...settlementOrder,
  stan: 131,
  totals: { currency: 'HKD', sales: { count: 1000, minor: 3_000_000n }, refunds },
};

export const trailerOrder: SettlementOrder = {
  stan: 140,
  batch: 7,
  totals: { currency: 'HKD', sales: { count: 2, minor: 6950n }, refunds },
  trailer: true,
};

const saleUpload: UploadOrder = {
  stan: 132,
  operation: 'sale',
  amount: hkd(3000n),
  card: cardReference,
  original,
  more: true,
};

export const uploadOrders = {
  sale: saleUpload,
  refund: {
    ...saleUpload,
    stan: 133,
    operation: 'refund',
    amount: hkd(500n),
    original: { ...original, trace: { stan: 125, invoice: 46, batch: 7 }, approvalCode: '' },
  },
  offlineSale: {
    ...saleUpload,
    stan: 134,
    operation: 'offlineSale',
    amount: hkd(3300n),
    original: { ...original, trace: { stan: 126, invoice: 47, batch: 7 }, approvalCode: 'PH0NE1' },
  },
  completion: {
    ...saleUpload,
    stan: 135,
    operation: 'completion',
    amount: hkd(3450n),
    original: { ...original, trace: { stan: 127, invoice: 48, batch: 7 } },
    more: false,
  },
} as const satisfies Record<string, UploadOrder>;
