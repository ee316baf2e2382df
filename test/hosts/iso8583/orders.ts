import type {
  AdviceOrder,
  CardAtHand,
  CardReference,
  OnlineOrder,
  ReversalOrder,
  SettlementOrder,
  UploadOrder,
} from '../../../src/payment/contracts/acquirer-host.ts';
import type { EncryptedPin } from '../../../src/base/ports/pin-pad.ts';
import {
  bytes,
  cardAtHand,
  cardReference,
  emv,
  original,
  type PresentedOrder,
  reversalOrder,
  saleOrder,
} from './terminal.ts';

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
  place: { number: 1, count: 2 },
  operation: 'sale',
  amount: hkd(3000n),
  card: cardReference,
  original,
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
    place: { number: 2, count: 2 },
  },
} as const satisfies Record<string, UploadOrder>;

/** Published test values: fixtures/crypto/dukpt-tdes.json. */
export const pin: EncryptedPin = {
  format: 'ISO-0',
  ksn: bytes('FFFF9876543210E00002'),
  block: bytes('10A01C8D02C69107'),
};

const { panSequenceNumber: _, ...withoutSequenceNumber } = cardReference;

/** A stripe: no cryptogram, but 9F39 from the reader. */
export const stripe: CardAtHand = {
  ...withoutSequenceNumber,
  entryMode: 'MAGSTRIPE',
  encryptedTrack2: cardAtHand.encryptedTrack2,
  emv: new Map([['9F39', bytes('90')]]),
};

export const chipWithPin: CardAtHand = { ...cardAtHand, entryMode: 'CHIP', pin };

export const pinSaleOrder: PresentedOrder = { ...saleOrder, card: chipWithPin };
export const pinAuthOrder: PresentedOrder = { ...authOrder, card: chipWithPin };
export const pinRefundOrder: PresentedOrder = { ...refundOrder, card: chipWithPin };
export const stripeSaleOrder: PresentedOrder = { ...saleOrder, card: stripe };
export const fallbackSaleOrder: PresentedOrder = { ...saleOrder, card: { ...stripe, entryMode: 'FALLBACK', pin } };

/** Goods for 30 dollars and 100 in cash. */
const withCash = hkd(13_000n);
const cashbackMinor = 10_000n;
const account = { savings: { account: 'SAVINGS' }, current: { account: 'CURRENT' } } as const;
const ofStripe: CardReference = { ...withoutSequenceNumber, entryMode: 'MAGSTRIPE', ...account.current, cashbackMinor };

export const epsOrders = {
  savings: { ...saleOrder, card: { ...chipWithPin, ...account.savings } },
  stripe: { ...saleOrder, card: { ...stripe, pin, ...account.current } },
  cashSavings: { ...saleOrder, amount: withCash, card: { ...chipWithPin, ...account.savings, cashbackMinor } },
  cashStripe: { ...saleOrder, amount: withCash, card: { ...stripe, pin, ...account.current, cashbackMinor } },
} as const satisfies Record<string, PresentedOrder>;

export const epsReversals = {
  savings: { ...reversalOrder, card: { ...cardReference, entryMode: 'CHIP', ...account.savings } },
  cashStripe: { ...reversalOrder, amount: withCash, card: ofStripe },
} as const satisfies Record<string, ReversalOrder>;

export const epsUploads = {
  savings: { ...saleUpload, card: { ...cardReference, entryMode: 'CHIP', ...account.savings } },
  cashStripe: { ...saleUpload, amount: withCash, card: ofStripe, place: { number: 2, count: 2 } },
} as const satisfies Record<string, UploadOrder>;
