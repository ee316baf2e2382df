import type { AuthenticationMethod } from '../../src/base/domain/authentication-method.ts';
import { acquirerId, terminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { ReceiptCard, ReceiptDocument, ReceiptHost, ReceiptShop } from '../../src/receipt/document.ts';
import type { SettlementReport } from '../../src/receipt/settlement.ts';

const at = new Date('2026-08-25T07:30:08Z');

/** Values of the sample sale in the ISO 8583 fixtures; the shop is invented, its number reserved for nobody. */
const host: ReceiptHost = {
  mid: '123456789012345',
  tid: '12345678',
  stan: 123,
  invoice: 45,
  batch: 1,
  rrn: '623710000123',
  approvalCode: '1A2B3C',
};

const card: ReceiptCard = {
  maskedPan: '************0119',
  aid: 'A0000000031010',
  appName: 'VISA CREDIT',
  cryptogram: { kind: 'ARQC', value: '7A788EA6B8A3E733' },
  atc: '001C',
  tvr: '8000048000',
  tsi: 'E800',
  authenticationMethod: 'NO_CVM',
};

const shop: ReceiptShop = {
  name: 'Harbour Café',
  address: "Shop 12, 1 Queen's Road Central, Hong Kong",
  phone: '+852 2345 6789',
  email: '',
};

export const chineseShop: ReceiptShop = {
  name: '港灣茶餐廳',
  address: '香港中環皇后大道中1號地下12號舖',
  phone: '電話 2345 6789',
  email: 'hello@example.com',
};

/** An approved contactless sale of 30 HKD with the Visa test card. */
export function visaSale(changes: Partial<ReceiptDocument> = {}): ReceiptDocument {
  return {
    copy: 'CUSTOMER',
    shop,
    transactionType: 'SALE',
    outcome: 'APPROVED',
    amount: { minor: 3000n, currency: 'HKD' },
    paymentMethod: 'VISA',
    entryMode: 'CONTACTLESS',
    at,
    timeZone: 'Asia/Hong_Kong',
    terminalTransactionId: terminalTransactionId(at, new Uint8Array(10)),
    host,
    card,
    ...changes,
  };
}

export function visaCard(changes: Partial<ReceiptCard> = {}): ReceiptCard {
  return { ...card, ...changes };
}

export function verifiedBy(authenticationMethod: AuthenticationMethod, copy: ReceiptDocument['copy']): ReceiptDocument {
  return visaSale({ copy, card: visaCard({ authenticationMethod }) });
}

export { host as visaHost };

const hkd = (minor: bigint) => ({ minor, currency: 'HKD' }) as const;

/** A minute later and of its own id and numbers, what refers to the sale. */
const later = {
  at: new Date('2026-08-25T08:12:40Z'),
  terminalTransactionId: terminalTransactionId(new Date('2026-08-25T08:12:40Z'), new Uint8Array(10).fill(1)),
  host: { ...host, stan: 131, invoice: 46, rrn: '623710000131', approvalCode: '4D5E6F' },
  // The original's card, without the cryptogram of another transaction.
  card: { maskedPan: card.maskedPan, appName: 'VISA CREDIT', authenticationMethod: 'NO_CVM' },
} as const satisfies Partial<ReceiptDocument>;

const original = { invoice: 45, rrn: '623710000123' };

const chip = {
  entryMode: 'CHIP',
  card: visaCard({ cryptogram: { kind: 'TC', value: '3F9D2C71A80B45E6' }, authenticationMethod: 'SIGNATURE' }),
} as const satisfies Partial<ReceiptDocument>;

const unionPay = {
  paymentMethod: 'UNIONPAY',
  entryMode: 'CHIP',
  card: visaCard({
    maskedPan: '************0001',
    aid: 'A000000333010101',
    appName: 'UNIONPAY DEBIT',
    authenticationMethod: 'ONLINE_PIN',
  }),
} as const satisfies Partial<ReceiptDocument>;

/** One receipt of every kind, each on the copy where it has most to say. */
export const samples: Readonly<Record<string, ReceiptDocument>> = {
  'visa-contactless': visaSale(),
  'sale-signature-merchant': visaSale({ ...chip, copy: 'MERCHANT' }),
  'sale-signature-customer': visaSale({ ...chip, copy: 'CUSTOMER' }),
  'sale-tip': visaSale({ ...chip, copy: 'MERCHANT', amount: hkd(3450n), tip: hkd(450n) }),
  'sale-declined': visaSale({ outcome: 'DECLINED', host: { ...host, responseCode: '51' } }),
  'sale-duplicate': visaSale({ duplicate: true }),
  'sale-chinese': visaSale({ ...chip, copy: 'MERCHANT', shop: chineseShop }),
  'tip-adjust': visaSale({
    ...later,
    transactionType: 'TIP_ADJUST',
    amount: hkd(3450n),
    tip: hkd(450n),
    original: { ...original, amount: hkd(3000n) },
  }),
  'void-sale': visaSale({ ...later, transactionType: 'VOID_SALE', copy: 'MERCHANT', original }),
  refund: visaSale({ ...chip, ...later, card: chip.card, transactionType: 'REFUND', copy: 'MERCHANT', original }),
  'void-refund': visaSale({ ...later, transactionType: 'VOID_REFUND', original }),
  'offline-sale': visaSale({ ...chip, transactionType: 'OFFLINE_SALE', copy: 'MERCHANT' }),
  'void-offline': visaSale({ ...later, transactionType: 'VOID_OFFLINE', original }),
  auth: visaSale({ ...unionPay, transactionType: 'AUTH', amount: hkd(500_000n) }),
  'void-auth': visaSale({
    ...unionPay,
    ...later,
    card: { ...later.card, maskedPan: unionPay.card.maskedPan, appName: 'UNIONPAY DEBIT' },
    transactionType: 'VOID_AUTH',
    amount: hkd(500_000n),
    original,
  }),
  'auth-comp': visaSale({
    ...unionPay,
    ...later,
    card: { ...later.card, maskedPan: unionPay.card.maskedPan, appName: 'UNIONPAY DEBIT' },
    transactionType: 'AUTH_COMP',
    amount: hkd(421_550n),
    original: { ...original, approvalCode: '1A2B3C', amount: hkd(500_000n) },
  }),
  'void-auth-comp': visaSale({
    ...unionPay,
    ...later,
    card: { ...later.card, maskedPan: unionPay.card.maskedPan, appName: 'UNIONPAY DEBIT' },
    transactionType: 'VOID_AUTH_COMP',
    amount: hkd(421_550n),
    original,
  }),
};

/** Two acquirers, two currencies, and each of the three ways to end. */
export function settlement(changes: Partial<SettlementReport> = {}): SettlementReport {
  return {
    shop,
    at: new Date('2026-08-25T15:05:00Z'),
    timeZone: 'Asia/Hong_Kong',
    batches: [
      {
        acquirer: acquirerId('EDC'),
        mid: host.mid,
        tid: host.tid,
        batch: 1,
        totals: [
          { kind: 'SALE', count: 212, total: hkd(1_874_350n) },
          { kind: 'OFFLINE_SALE', count: 3, total: hkd(9_000n) },
          { kind: 'REFUND', count: 2, total: hkd(13_350n) },
          { kind: 'VOID_SALE', count: 4, total: hkd(26_000n) },
          { kind: 'SALE', count: 1, total: { minor: 5000n, currency: 'JPY' } },
        ],
        result: { kind: 'BALANCED' },
      },
      {
        acquirer: acquirerId('CUP'),
        mid: '123456789012346',
        tid: '12345679',
        batch: 7,
        totals: [
          { kind: 'AUTH_COMP', count: 1, total: hkd(421_550n) },
          { kind: 'REFUND', count: 1, total: hkd(500_000n) },
        ],
        result: { kind: 'UPLOADED', reason: 'the host’s books differed before the upload: ask the bank' },
      },
      {
        acquirer: acquirerId('EPS'),
        mid: '123456789012347',
        tid: '12345670',
        batch: 3,
        totals: [],
        result: { kind: 'FAILED', reason: 'The host did not answer; settle again when the link is up.' },
      },
    ],
    ...changes,
  };
}
