import type { MenuAnswer } from '../../src/payment/contracts/operator-menu.ts';
import { menuView, KeptMenu } from '../screen/kept-menu.ts';

const at = '2026-11-24T10:11:12.000Z';
/** n12 of minor units: the largest amount. */
const most = '9999999999.99';
const money = (amount: string) => ({ amount, currency: 'HKD' });
const group = (name: string) => ({
  name,
  sales: { count: 1234, ...money(most) },
  refunds: { count: 12, ...money(most) },
  tip: money('1234567.89'),
});
const total = (kind: string) => ({ kind, count: 1234, ...money(most) });
const batch = (acquirer: string) => ({
  acquirer,
  batch: 999_999,
  isOpen: true,
  unreadable: 2,
  totals: [total('SALE')],
  openAuths: [total('AUTH')],
  voids: [total('VOID_SALE')],
  unresolved: [total('SALE')],
});
const id = '01KAJW3ZZZZZZZZZZZZZZZZZZZ';
const transaction = { id, kind: 'VOID_AUTH_COMP', method: 'UNIONPAY', lastDigits: '0005', at, ...money(most) };
const related = { ...transaction, state: 'APPROVED' };

const drawerOpenings = ['P', 'Q', 'R'].map((each) => ({
  posId: each.repeat(64),
  cashierId: each.repeat(32),
  count: 1234,
}));

/** Whatever the menu reads, as wide as it can come. */
const read: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  login: {
    session: 'S',
    methodNames: { en: { UNIONPAY: 'UnionPay' }, 'zh-Hant': { UNIONPAY: '銀聯' } },
    holds: true,
    refundMost: most,
  },
  today: { transactions: Array.from({ length: 6 }, () => ({ ...related, posId: 'P'.repeat(64) })), drawerOpenings },
  story: {
    ...related,
    posId: 'P'.repeat(64),
    cashierId: 'C'.repeat(64),
    acquirer: 'CUP',
    approvalCode: 'TFG097',
    trace: '845287',
    invoice: '565531',
    batch: '000001',
    tip: '123.45',
    total: most,
    lines: [
      'accepted',
      'intent',
      'answered-approved',
      'receiptQueued',
      'receiptPrinted',
      'ended-approved',
      'later',
    ].map((said) => ({ at, said, with: { pos: 'POS-1', amount: `HKD ${most}`, bank: 'CUP' } })),
    original: related,
    later: [related],
    acts: [{ act: 'VOID', kind: 'VOID_AUTH_COMP', amount: most, isWhole: true }],
  },
  report: {
    kind: 'X',
    batches: [batch('EDC'), batch('CUP'), batch('OCTOPUS')],
    sums: [group('')],
    methods: [group('card'), group('wallet')],
    brands: [group('UNIONPAY')],
    options: [],
    cashback: [{ count: 12, ...money(most) }],
    cash: [money(most)],
    drawerSales: 1234,
    drawerOpenings,
  },
  settlements: { batches: [{ settlement: id, acquirer: 'OCTOPUS', batch: 999_999, at, totals: [total('SALE')] }] },
  settle: {
    settlements: [
      {
        acquirer: 'EDC',
        batch: 999_999,
        result: 'FAILED',
        trouble: 'olderCopy',
        totals: [{ transactionType: 'SALE', currency: 'HKD', count: 1, totalAmount: most }],
      },
      { acquirer: 'OCTOPUS', batch: 999_999, result: 'FAILED', trouble: 'queueWaits', totals: [] },
    ],
  },
  machine: {
    prints: true,
    devices: [
      { kind: 'reader', name: 'neo2 at /dev/serial/by-id/usb-ID_TECH_NEO2', condition: 'wrongIds' },
      { kind: 'printer', name: 'escpos at /dev/usb/lp0', condition: 'paper-out' },
      { kind: 'scanner', name: 'line at /dev/ttyACM1', condition: 'ready' },
    ],
    addresses: ['https://192.168.100.120:8080', 'https://poid-0123456789.local:8080'],
  },
  receipts: { transactions: [{ ...transaction, waits: true }, transaction] },
  waiting: {
    extraPayments: [{ ...transaction, method: 'FPS', state: 'toBeReturned', ofTransaction: transaction.id }],
    customerMatters: [
      {
        ...transaction,
        kind: 'REFUND',
        matter: 'refundOfReversed',
        ofTransaction: transaction.id,
        isReturnable: false,
        void: { act: 'VOID', kind: 'VOID_REFUND', amount: most, isWhole: true },
      },
      { ...transaction, kind: 'SALE', method: 'EPS', matter: 'cashNotGiven', ofTransaction: '', isReturnable: true },
    ],
    discrepancies: [
      {
        kind: 'booksDiffer',
        number: 1,
        at,
        acquirer: 'OCTOPUS',
        batch: 999_999,
        currency: 'HKD',
        sales: { count: 1234, amount: most },
        refunds: { count: 12, amount: most },
        rejected: { sales: { count: 1234, amount: most }, refunds: { count: 12, amount: most } },
      },
    ],
    transactions: [
      { ...transaction, message: 'advice', acquirer: 'CUP', trace: '845287', attempts: 30, responseCode: '12' },
    ],
    batches: [
      {
        acquirer: 'OCTOPUS',
        batch: 999_999,
        currency: 'HKD',
        sales: { count: 1234, amount: most },
        refunds: { count: 12, amount: most },
        at,
        attempts: 30,
        reason: 'the host has settled it after all',
        trouble: 'settledAfterAll',
      },
    ],
  },
};

/** A desk that answers as a terminal would with much to tell. */
export class ScriptedMenu extends KeptMenu {
  override view = { ...menuView, pairs: true, receipts: 2 };

  override async handle(body: unknown): Promise<{ status: number; body: { heard: true } } & MenuAnswer> {
    const { kind } = body as { readonly kind: string };
    await super.handle(body);
    if (kind === 'pair') this.#pairs();
    return { status: 200, body: { heard: true, ...read[kind] } };
  }

  #pairs(): void {
    this.changes({ pairs: true, pairing: { stage: 'compare', posId: 'P'.repeat(64), code: '123456', others: 1 } });
  }
}
