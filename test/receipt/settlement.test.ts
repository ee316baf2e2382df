import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { cells, cellsPerLine, receiptColumns, receiptText } from '../../src/receipt/line.ts';
import { type SettledBatch, type SettlementReport, settlementLines } from '../../src/receipt/settlement.ts';
import { settlement } from './documents.ts';

const shown = (report: SettlementReport, columns = 48): string =>
  receiptText(settlementLines(report, columns), columns);

const hkd = (minor: bigint) => ({ minor, currency: 'HKD' }) as const;

function batch(changes: Partial<SettledBatch>): SettlementReport {
  return settlement({
    batches: [
      {
        acquirer: acquirerId('EDC'),
        mid: 'M',
        tid: 'T',
        batch: 12,
        totals: [],
        result: { kind: 'BALANCED' },
        ...changes,
      },
    ],
  });
}

test('the net is sales less refunds, to the cent, beyond what a double holds', () => {
  const text = shown(
    batch({
      totals: [
        { kind: 'SALE', count: 9_000, total: hkd(9_007_199_254_740_993n) },
        { kind: 'OFFLINE_SALE', count: 1, total: hkd(1n) },
        { kind: 'AUTH_COMP', count: 1, total: hkd(1n) },
        { kind: 'REFUND', count: 998, total: hkd(2n) },
      ],
    }),
  );
  assert.match(text, /\nSALE +9000 +90,071,992,547,409\.93\n/);
  assert.match(text, /\nREFUND +998 +-0\.02\n/);
  assert.match(text, /\nNET +10000 +90,071,992,547,409\.93\n/);
});

test('voids, auths and tip adjusts are told below the net, and are in no sum', () => {
  const text = shown(
    batch({
      totals: [
        { kind: 'VOID_SALE', count: 4, total: hkd(400n) },
        { kind: 'SALE', count: 2, total: hkd(1000n) },
        { kind: 'AUTH', count: 1, total: hkd(7n) },
        { kind: 'TIP_ADJUST', count: 1, total: hkd(5n) },
        { kind: 'VOID_REFUND', count: 1, total: hkd(5n) },
      ],
    }),
  );
  assert.match(
    text,
    /\nHKD\nSALE +2 +10\.00\nNET +2 +10\.00\nVOID SALE +4 +4\.00\nAUTH +1 +0\.07\nTIP ADJUST +1 +0\.05\nVOID REFUND +1 +0\.05\n/,
  );
});

test('currencies are never added up with each other', () => {
  const text = shown(
    batch({
      totals: [
        { kind: 'SALE', count: 1, total: hkd(1000n) },
        { kind: 'SALE', count: 1, total: { minor: 1000n, currency: 'JPY' } },
        { kind: 'REFUND', count: 1, total: hkd(2500n) },
      ],
    }),
  );
  assert.match(
    text,
    /\nHKD\nSALE +1 +10\.00\nREFUND +1 +-25\.00\nNET +2 +-15\.00\n\nJPY\nSALE +1 +1,000\nNET +1 +1,000\n/,
  );
});

test('each result says what it is; a failed one why, and that the batch is open', () => {
  assert.match(shown(batch({})), /\nEDC +BALANCED\nMID M +TID T\nBATCH +000012\n\nNO TRANSACTIONS\n/);
  const uploaded = shown(batch({ result: { kind: 'UPLOADED', reason: 'the books differed' } }));
  assert.match(uploaded, /\nEDC +UPLOADED\nthe books differed\nBOOKS DIFFERED: COMPARE THEM\nMID/);
  const confirmed = shown(batch({ result: { kind: 'CONFIRMED' } }));
  assert.match(confirmed, /\nEDC +CONFIRMED\nSETTLED BY TELEPHONE\nMID/);
  const failed = shown(batch({ result: { kind: 'FAILED', reason: 'host answered 96' } }));
  assert.match(failed, /\nEDC +FAILED\nhost answered 96\nNOT SETTLED YET\nMID/);
  assert.doesNotMatch(shown(batch({})), /OPEN/);
});

test('a settlement of nothing says so, and a reprint that it is one', () => {
  assert.match(shown(settlement({ batches: [] })), /NOTHING TO SETTLE/);
  assert.match(shown(settlement({ duplicate: true })), /\*\*\* DUPLICATE \*\*\*/);
  assert.doesNotMatch(shown(settlement()), /DUPLICATE|NOTHING/);
});

test('no line is wider than the paper, and the largest totals are whole', () => {
  const report = batch({
    totals: [{ kind: 'VOID_AUTH_COMP', count: 999_999, total: { minor: 999_999_999_999_999n, currency: 'KWD' } }],
    result: { kind: 'FAILED', reason: `\u001b@${'reason '.repeat(30)}` },
  });
  for (const columns of receiptColumns) {
    const lines = settlementLines(report, columns);
    for (const line of lines) {
      if (line.kind === 'rule' || line.kind === 'picture') continue;
      const taken = line.kind === 'text' ? cells(line.text) : cells(line.left) + 1 + cells(line.right);
      assert.ok(taken <= cellsPerLine(line.size, columns), JSON.stringify(line));
      assert.doesNotMatch(JSON.stringify(line), /\\u001b/);
    }
    assert.match(receiptText(lines, columns), /999,999,999,999\.999/);
  }
  assert.throws(() => settlementLines(report, 40), RangeError);
});

test('what the host rejected is named below the totals, and is in none', () => {
  const rejected = [
    {
      terminalTransactionId: '01KDVDNA000000008000000000',
      kind: 'OFFLINE_SALE',
      amount: hkd(3000n),
      responseCode: '12',
    },
  ] as const;
  const totals = [{ kind: 'SALE', count: 1, total: hkd(100n) }] as const;
  for (const columns of receiptColumns) {
    const text = shown(batch({ totals, rejected }), columns);
    assert.match(text, /\nREJECTED BY THE HOST\nOFFLINE SALE \(12\) +HKD 30\.00\n01KDVDNA000000008000000000\n/);
    assert.match(text, /\nNET +1 +1\.00\n/);
  }
  assert.doesNotMatch(shown(batch({ totals })), /REJECTED/);
});
