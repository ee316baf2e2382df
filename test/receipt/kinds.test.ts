import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capabilities } from '../../src/base/domain/capability.ts';
import type { TransactionType } from '../../src/base/domain/transaction-kind.ts';
import type { ReceiptDocument } from '../../src/receipt/document.ts';
import { receiptLines } from '../../src/receipt/lines.ts';
import { receiptText } from '../../src/receipt/line.ts';
import { samples, verifiedBy, visaCard, visaHost, visaSale } from './documents.ts';

const shown = (document: ReceiptDocument, columns = 48): string =>
  receiptText(receiptLines(document, columns), columns);

test('what takes from the takings has a minus, and nothing else has', () => {
  const expected: Record<TransactionType, string> = {
    SALE: 'TOTAL HKD 30.00',
    TIP_ADJUST: 'TOTAL HKD 30.00',
    AUTH: 'HOLD HKD 30.00',
    OFFLINE_SALE: 'TOTAL HKD 30.00',
    AUTH_COMP: 'TOTAL HKD 30.00',
    REFUND: 'TOTAL HKD -30.00',
    VOID_SALE: 'TOTAL HKD -30.00',
    VOID_AUTH: 'HOLD HKD -30.00',
    VOID_OFFLINE: 'TOTAL HKD -30.00',
    VOID_AUTH_COMP: 'TOTAL HKD -30.00',
    VOID_REFUND: 'TOTAL HKD 30.00',
    VOID: 'TOTAL HKD -30.00',
  };
  for (const [transactionType, line] of Object.entries(expected) as [TransactionType, string][]) {
    const lines = shown(visaSale({ transactionType })).replaceAll(/ +/g, ' ').split('\n');
    assert.ok(lines.includes(line), transactionType);
    assert.ok(lines.includes(`${transactionType.replaceAll('_', ' ')} CUSTOMER COPY`), transactionType);
  }
});

test('every kind that a terminal can do is among the samples', () => {
  const kinds = new Set(Object.values(samples).map(({ transactionType }) => transactionType));
  assert.deepEqual(kinds, new Set(Object.values(capabilities).flat()));
});

test('a hold says that it is none of a payment, and its void that it is over', () => {
  assert.match(shown(visaSale({ transactionType: 'AUTH' })), /AMOUNT HELD, NOT CHARGED YET/);
  assert.match(shown(visaSale({ transactionType: 'VOID_AUTH' })), /HOLD RELEASED/);
  assert.doesNotMatch(shown(visaSale({ transactionType: 'AUTH', outcome: 'DECLINED' })), /HELD|HOLD/);
});

test('base and tip stand above the total that they make', () => {
  const text = shown(visaSale({ amount: { minor: 3333n, currency: 'HKD' }, tip: { minor: 333n, currency: 'HKD' } }));
  assert.match(text, /\nBASE +HKD 30\.00\nTIP +HKD 3\.33\nTOTAL +HKD 33\.33\n/);
  assert.doesNotMatch(shown(visaSale()), /BASE|TIP/);
});

test('sums of a tip stay exact beyond what a double holds', () => {
  const text = shown(
    visaSale({ amount: { minor: 999_999_999_999n, currency: 'KWD' }, tip: { minor: 1n, currency: 'KWD' } }),
  );
  assert.match(text, /BASE +KWD 999,999,999\.998\nTIP +KWD 0\.001\nTOTAL +KWD 999,999,999\.999\n/);
});

test('a tip that is no part of the amount is refused', () => {
  for (const tip of [
    { minor: 3001n, currency: 'HKD' },
    { minor: -1n, currency: 'HKD' },
    { minor: 1n, currency: 'JPY' },
  ] as const) {
    assert.throws(() => receiptLines(visaSale({ tip }), 48), RangeError);
  }
});

test('the original is named as its own receipt named it', () => {
  const id = visaSale().terminalTransactionId;
  const original = {
    invoice: 45,
    rrn: '623710000123',
    approvalCode: '1A2B3C',
    amount: { minor: 500n, currency: 'HKD' },
    terminalTransactionId: id,
  } as const;
  const text = shown(visaSale({ transactionType: 'REFUND', original }), 48);
  const label = (name: string, value: string): RegExp => new RegExp(`\\nORIGINAL ${name} +${value}\\n`);
  assert.match(text, label('INVOICE', '000045'));
  assert.match(text, label('RRN', '623710000123'));
  assert.match(text, label('APPROVAL CODE', '1A2B3C'));
  assert.match(text, label('AMOUNT', 'HKD 5\\.00'));
  assert.match(text, label('ID', id));
  assert.match(shown(visaSale({ original }), 32), new RegExp(`\\nORIGINAL ID\\n +${id}\\n`));
  assert.doesNotMatch(shown(visaSale({ original: {} })), /ORIGINAL|undefined/);
});

test('only where a card was there is it signed, or said how it was verified', () => {
  const kinds: readonly TransactionType[] = ['SALE', 'AUTH', 'OFFLINE_SALE', 'REFUND'];
  for (const [name, { transactionType }] of Object.entries(samples)) {
    const signed = shown({ ...verifiedBy('SIGNATURE', 'MERCHANT'), transactionType });
    assert.equal(/CUSTOMER SIGNATURE/.test(signed), kinds.includes(transactionType), name);
    const unsigned = shown({ ...verifiedBy('NO_CVM', 'MERCHANT'), transactionType });
    assert.equal(/NO SIGNATURE REQUIRED/.test(unsigned), kinds.includes(transactionType), name);
  }
  assert.doesNotMatch(shown({ ...verifiedBy('SIGNATURE', 'MERCHANT'), transactionType: 'VOID' }), /SIGNATURE/);
});

test('the numbers of the card are those of this transaction, or none', () => {
  const card = visaCard({ cryptogram: { kind: 'TC', value: '3F9D2C71A80B45E6' } });
  assert.match(
    shown(visaSale({ card, host: visaHost })),
    /\nTC +3F9D2C71A80B45E6\nATC +001C\nTVR +8000048000\nTSI +E800\n/,
  );
  const voided = samples['void-sale'];
  assert.ok(voided);
  assert.doesNotMatch(shown(voided), /^(ARQC|TC|ATC|TVR|TSI)\b/m);
});
