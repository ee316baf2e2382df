import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { type Report, reportPages } from '../../src/receipt/report.ts';
import { cells, receiptColumns, receiptText } from '../../src/receipt/line.ts';
import { pitchOf } from '../../src/receipt/line-dots.ts';

const hkd = (minor: bigint) => ({ minor, currency: 'HKD' }) as const;
const sum = (name: string, sales: bigint, refunds = 0n, tips = 0n): Report['methods'][number] => ({
  name,
  sales: { count: 2, total: hkd(sales) },
  refunds: { count: refunds === 0n ? 0 : 1, total: hkd(refunds) },
  tips: hkd(tips),
});
const report: Report = {
  kind: 'X',
  shopName: 'Harbour Tea House',
  at: new Date('2026-11-23T04:05:06Z'),
  batches: [
    {
      acquirer: acquirerId('EDC'),
      batch: 12,
      isOpen: true,
      totals: [
        { kind: 'SALE', count: 2, total: hkd(6_000n) },
        { kind: 'REFUND', count: 1, total: hkd(500n) },
      ],
      openAuths: [{ kind: 'AUTH', count: 1, total: hkd(7_000n) }],
      voids: [{ kind: 'VOID_SALE', count: 1, total: hkd(1_250n) }],
      unresolved: [{ kind: 'SALE', count: 1, total: hkd(990n) }],
      unreadable: 1,
    },
    {
      acquirer: acquirerId('QR'),
      batch: 3,
      isOpen: false,
      totals: [],
      openAuths: [],
      voids: [],
      unresolved: [],
      unreadable: 0,
    },
  ],
  methods: [sum('card', 6_000n, 500n, 310n), sum('wallet', 100n)],
  brands: [sum('VISA', 6_000n, 500n, 310n), sum('NEWPAY', 100n)],
  tills: [sum('POS-1', 6_100n, 500n, 310n)],
  cashiers: [sum('', 100n), sum('陳小姐 07', 6_000n, 500n, 310n)],
  options: [{ label: { en: 'CHARITY', 'zh-Hant': '慈善捐款' }, count: 2, total: hkd(170n) }],
  cashback: [{ count: 3, total: hkd(30_000n) }],
  cash: [hkd(-1_980n)],
  drawerSales: 12,
  drawerOpenings: [
    { posId: 'OPERATOR', count: 1 },
    { posId: 'POS-1', cashierId: '陳小姐 07', count: 2 },
  ],
};
const paper = { columns: 48, language: 'en', timeZone: 'Asia/Hong_Kong' } as const;
const wide = (left: string, right: string) => left + ' '.repeat(48 - cells(left) - cells(right)) + right;

test('each figure is on paper, under its name', () => {
  const [page = [], ...more] = reportPages(report, paper);
  assert.deepEqual(more, []);
  const text = receiptText(page, 48);
  assert.deepEqual(text.split('\n').slice(0, 4), [
    `${' '.repeat(15)}Harbour Tea House`,
    `${' '.repeat(20)}X REPORT`,
    wide('2026-11-23', '12:05:06'),
    '-'.repeat(48),
  ]);
  for (const line of [
    wide('EDC BATCH 000012', 'OPEN'),
    wide(`SALE${' '.repeat(10)}     2`, '60.00'),
    wide(`REFUND${' '.repeat(8)}     1`, '-5.00'),
    wide(`NET${' '.repeat(11)}     3`, '55.00'),
    wide('NOT READABLE, IN NO SUM', '1'),
    wide('QR BATCH 000003', 'CLOSED'),
    'BY METHOD',
    'CARDS',
    'QR WALLETS',
    'BY BRAND',
    'VISA',
    'VOIDED',
    wide('VOID SALE 1', 'HKD 12.50'),
    wide('SALE 1', 'HKD 9.90'),
    'OUTCOME NOT KNOWN YET',
    wide('CHARITY 2', 'HKD 1.70'),
    wide('CASH BACK 3', 'HKD 300.00'),
    'NEWPAY',
    wide('SALES 2', 'HKD 60.00'),
    wide('REFUNDS 1', 'HKD -5.00'),
    wide('TIPS IN SALES', 'HKD 3.10'),
    'NO CASHIER',
    '陳小姐 07',
    'CASH IN DRAWER',
    wide('HKD', '-19.80'),
    wide('DRAWER OPENED BY CASH SALES', '12'),
    wide('DRAWER OPENED WITHOUT A SALE', '3'),
    wide('OPERATOR', '1'),
    wide('POS-1 陳小姐 07', '2'),
  ])
    assert.ok(text.includes(`\n${line}\n`), `${line}\n${text}`);
});

test('in Chinese, on every width; a long one in pages that a printer takes as one job', () => {
  const [chinese = []] = reportPages({ ...report, kind: 'Z' }, { ...paper, language: 'zh-Hant' });
  for (const word of ['Z 報表', '未結算', '按付款方式', '按品牌', '已撤銷', '按收銀員', '錢箱現金'])
    assert.ok(receiptText(chinese, 48).includes(word), word);
  const cashiers = Array.from({ length: 200 }, (_, at) => sum(`Cashier ${at}`, 1n, 1n, 1n));
  for (const columns of receiptColumns) {
    const pages = reportPages({ ...report, cashiers }, { ...paper, columns });
    assert.ok(pages.length > 5);
    const all = pages.map((page) => receiptText(page, columns));
    for (const [at, page] of pages.entries()) {
      assert.ok(page.reduce((dots, line) => dots + pitchOf(line), 0) < 3_200);
      assert.match(all[at] ?? '', new RegExp(`X REPORT\\n.*\\nPAGE +${at + 1}/${pages.length}\\n`));
    }
    for (const { name } of cashiers) assert.equal(all.join('').split(`\n${name}\n`).length, 2, name);
  }
});

test('a report of one POS names it below the time, in both languages', () => {
  for (const [language, words] of [
    ['en', /ONLY OF TILL +POS-1/],
    ['zh-Hant', /只限收銀機 +POS-1/],
  ] as const) {
    const paper = { columns: 48, language, timeZone: 'Asia/Hong_Kong' };
    const [page = []] = reportPages({ ...report, onlyPosId: 'POS-1' }, paper);
    assert.match(receiptText(page, 48), words);
    const [whole = []] = reportPages(report, paper);
    assert.doesNotMatch(receiptText(whole, 48), words);
  }
});
