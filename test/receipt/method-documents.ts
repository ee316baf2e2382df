import { acquirerId } from '../../src/base/domain/identifiers.ts';
import type { ReceiptDocument } from '../../src/receipt/document.ts';
import type { SettlementReport } from '../../src/receipt/settlement.ts';
import { chineseShop, samples, settlement, visaCard, visaHost, visaSale } from './documents.ts';

const hkd = (minor: bigint) => ({ minor, currency: 'HKD' }) as const;

const { card: _card, host: _host, ...cardless } = visaSale();

/** Wallet host and reader know the terminal by other numbers than a card host does; of the latter cash has none. */
const books = { mid: '', tid: 'T0000042', stan: 124, invoice: 46, batch: 2 };

/** A sale of 30 HKD; the numbers are as long as a wallet's, and invented. */
export function walletSale(changes: Partial<ReceiptDocument> = {}): ReceiptDocument {
  return {
    ...cardless,
    paymentMethod: 'ALIPAY',
    entryMode: 'QR_SCAN',
    host: books,
    wallet: { hostNumber: '20260825000300020099000123', walletNumber: '2026082522001400000000000123' },
    ...changes,
  };
}

export function octopusSale(changes: Partial<ReceiptDocument> = {}): ReceiptDocument {
  return {
    ...cardless,
    paymentMethod: 'OCTOPUS',
    entryMode: 'OCTOPUS',
    host: { ...books, tid: '' },
    octopus: { cardLastFour: '5678', balance: hkd(9_340n), receipt: '0000123456', deviceId: '1A2B3C' },
    ...changes,
  };
}

/** The goods are 30 HKD, whatever cash comes with them. */
export function epsSale(changes: Partial<ReceiptDocument> = {}): ReceiptDocument {
  return visaSale({
    paymentMethod: 'EPS',
    entryMode: 'CHIP',
    card: visaCard({
      maskedPan: '************0028',
      aid: 'A0000000999999',
      appName: 'EPS TEST',
      cryptogram: { kind: 'TC', value: '3F9D2C71A80B45E6' },
      authenticationMethod: 'ONLINE_PIN',
    }),
    eps: { account: 'SAVINGS' },
    ...changes,
  });
}

export function cashSale(changes: Partial<ReceiptDocument> = {}): ReceiptDocument {
  return {
    ...cardless,
    paymentMethod: 'CASH',
    entryMode: 'CASH',
    cash: { tendered: hkd(5_000n), change: hkd(2_000n) },
    ...changes,
  };
}

const chipDeclined = visaSale({
  entryMode: 'CHIP',
  outcome: 'DECLINED',
  card: visaCard({ cryptogram: { kind: 'AAC', value: '5B0E61D2C94477A1' }, authenticationMethod: 'ONLINE_PIN' }),
  host: { ...visaHost, responseCode: '55' },
});

const chinese = { language: 'zh-Hant', shop: chineseShop } as const;

export const methodSamples: Readonly<Record<string, ReceiptDocument>> = {
  'alipay-scanned': walletSale(),
  'fps-shown': walletSale({
    paymentMethod: 'FPS',
    entryMode: 'QR_PRESENT',
    copy: 'MERCHANT',
    wallet: { hostNumber: '20260825000300020099000124', walletNumber: '' },
  }),
  'wechat-refund': walletSale({
    paymentMethod: 'WECHAT',
    transactionType: 'REFUND',
    amount: hkd(1_000n),
    wallet: { hostNumber: '20260825000300020099000125', walletNumber: '4200000000202608250000000125' },
    original: { invoice: 45, hostNumber: '20260825000300020099000123', amount: hkd(3_000n) },
  }),
  'unionpay-qr-void': walletSale({
    paymentMethod: 'UPI_QR',
    transactionType: 'VOID_SALE',
    wallet: { hostNumber: '20260825000300020099000126', walletNumber: '' },
    original: { invoice: 45, hostNumber: '20260825000300020099000123' },
  }),
  'wallet-declined': walletSale({
    outcome: 'DECLINED',
    host: { ...books, responseCode: '1201' },
    wallet: { hostNumber: '20260825000300020099000127', walletNumber: '' },
  }),
  octopus: octopusSale(),
  'octopus-declined': octopusSale({
    outcome: 'DECLINED',
    octopus: { cardLastFour: '5678', balance: hkd(-1_230n), receipt: '', deviceId: '1A2B3C' },
  }),
  eps: epsSale(),
  'eps-cash': epsSale({
    copy: 'MERCHANT',
    amount: hkd(53_000n),
    eps: { account: 'CURRENT', cashback: hkd(50_000n) },
  }),
  cash: cashSale(),
  'chip-declined': chipDeclined,
  'zh-hant-sale': { ...(samples['sale-tip'] ?? visaSale()), ...chinese },
  'zh-hant-void-sale': { ...(samples['void-sale'] ?? visaSale()), ...chinese, duplicate: true },
  'zh-hant-octopus': octopusSale(chinese),
  'zh-hant-eps-cash': epsSale({
    ...chinese,
    amount: hkd(53_000n),
    eps: { account: 'CURRENT', cashback: hkd(50_000n) },
  }),
};

/** A day of everything that is no card of a scheme. */
const methodSettlement: SettlementReport = settlement({
  batches: [
    {
      acquirer: acquirerId('QR'),
      mid: '',
      tid: 'T0000042',
      batch: 2,
      totals: [
        { kind: 'SALE', count: 41, total: hkd(392_050n) },
        { kind: 'REFUND', count: 2, total: hkd(4_000n) },
        { kind: 'VOID_SALE', count: 1, total: hkd(3_000n) },
      ],
      result: { kind: 'BALANCED' },
    },
    {
      acquirer: acquirerId('EPS'),
      mid: '123456789012347',
      tid: '12345670',
      batch: 3,
      totals: [{ kind: 'SALE', count: 7, total: hkd(181_000n) }],
      result: { kind: 'BALANCED' },
    },
    {
      acquirer: acquirerId('OCTOPUS'),
      mid: '',
      tid: '',
      batch: 9,
      totals: [{ kind: 'SALE', count: 118, total: hkd(254_310n) }],
      result: { kind: 'FAILED', reason: 'The reader did not answer; settle again when it is connected.' },
    },
    {
      acquirer: acquirerId('CASH'),
      mid: '',
      tid: '',
      batch: 9,
      totals: [{ kind: 'SALE', count: 12, total: hkd(41_000n) }],
      result: { kind: 'BALANCED' },
    },
  ],
});

export const settlements: Readonly<Record<string, SettlementReport>> = {
  settlement: settlement(),
  'settlement-methods': methodSettlement,
  'zh-hant-settlement': settlement(chinese),
};
