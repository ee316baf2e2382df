import assert from 'node:assert/strict';
import { test } from 'node:test';
import '../../../src/main/methods.ts';
import { posResponse } from '../../../src/pos/api/pos-response.ts';
import { knownEntryModes, paymentSchemes } from '../../../src/base/domain/payment-scheme.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { MethodIntent } from '../../../src/payment/events/intent.ts';
import type { Undo } from '../../../src/payment/events/payment-instrument.ts';
import type { JournalEvent } from '../../../src/payment/events/event.ts';
import { describedCodes, registerDescription } from '../../../src/payment/method/descriptions.ts';
import { describeMeans } from '../../../src/payment/method/other-description.ts';
import { listedMeans } from '../../../src/operator/listed.ts';
import type { ReceiptLanguage } from '../../../src/base/domain/receipt-language.ts';
import { receiptLines } from '../../../src/receipt/lines.ts';
import { receiptText } from '../../../src/receipt/line.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { receiptOf } from '../../../src/payment/terminal/receipt-of.ts';
import { outcomeView } from '../../../src/payment/terminal/outcome-view.ts';
import { recoveryEvents } from '../../../src/payment/transaction/recover.ts';
import { setAsideRefusal } from '../../../src/payment/transaction/set-aside.ts';
import { answered, endedApproved, outcomes, record } from '../records/records.ts';
import { pageModule } from '../../screen/page-module.ts';
import { accepted } from '../../support/events.ts';

interface Words {
  readonly lang: string;
}
const { words: english } = await pageModule<{ words: Words }>('words-en');
const { words: chinese } = await pageModule<{ words: Words }>('words-zh-hant');
const { message } = await pageModule<{ message: (view: object, words: Words) => { lines: { happened: string } } }>(
  'message',
);

const shop = { name: 'Shop', address: '', phone: '', email: '', logo: '' };
const parts = { shop, reprints: { fault: undefined, slip: () => [] } };

function intentOf(name: string, undo: Undo): MethodIntent {
  return {
    kind: 'intent',
    operation: 'sale',
    acquirerId: acquirerId('GIFT'),
    mid: '',
    tid: 'T1',
    trace: { stan: 1, invoice: 1, batch: 1 },
    method: { name, scheme: 'GIFT', entryMode: 'GIFT_CODE', maskedNumber: '****5678', instrumentType: 'GIFT', undo },
    own: { reference: '17' },
  };
}

const paidBy = (name: string) =>
  record([
    accepted,
    intentOf(name, 'reversal'),
    answered({ ...outcomes.approved, rrn: 'G-17', balanceMinor: '7000' }),
    endedApproved,
  ]);

function receiptIn(language: ReceiptLanguage, paid: TransactionRecord): string {
  const terms = { copy: 'CUSTOMER', duplicate: false, shop, timeZone: 'UTC', language } as const;
  return receiptText(receiptLines(receiptOf(paid, terms), 42), 42);
}

test('the codes of the interface are those of SPEC, in its order', () => {
  assert.deepEqual(describedCodes(), { schemes: paymentSchemes, entryModes: knownEntryModes });
});

test('a record of a method that this version does not know is told by its codes', () => {
  const paid = paidBy('gift');
  const { responseResult, transactionResult: reported } = posResponse(paid, parts) as Record<
    string,
    Record<string, unknown>
  >;
  assert.deepEqual(
    [
      responseResult,
      reported?.['paymentMethod'],
      reported?.['entryMode'],
      reported?.['maskedPan'],
      reported?.['balanceAmount'],
    ],
    ['SUCCESS', 'GIFT', 'GIFT_CODE', '****5678', 70],
  );
  assert.equal(reported?.['rrn'], 'G-17');
  const shapeB = { ...paid, request: { ...paid.request, shape: 'B' as const } };
  const { transactionPrintData: print } = posResponse(shapeB, parts) as Record<string, Record<string, unknown>>;
  assert.deepEqual([print?.['paymentBrand'], print?.['paymentInstrumentType']], ['GIFT', 'GIFT']);
  const text = receiptIn('en', paid);
  for (const said of [/^GIFT +GIFT_CODE$/m, /^REMAINING VALUE +HKD 70\.00$/m, /^RRN +G-17$/m]) assert.match(text, said);
  assert.deepEqual(listedMeans(intentOf('gift', 'reversal')), { method: 'GIFT', lastDigits: '5678' });
  const { scene, wallet, balance, labels } = outcomeView(paid);
  assert.deepEqual(
    { scene, wallet, balance, labels },
    { scene: 'approved', wallet: 'GIFT', balance: '70.00', labels: undefined },
  );
});

test('a method brings the words that receipt, page and operator do not have', () => {
  const label = { en: 'Gift card', 'zh-Hant': '禮品卡' };
  registerDescription({
    name: 'named gift',
    schemes: ['GIFT'],
    entryModes: ['GIFT_CODE'],
    labels: { GIFT: label, GIFT_CODE: { en: '', 'zh-Hant': '' }, cardNumber: { en: 'CARD NO.', 'zh-Hant': '卡號' } },
    describe: describeMeans,
  });
  const paid = paidBy('named gift');
  assert.match(receiptIn('en', paid), /^Gift card\nCARD NO\. +\*{4}5678$/m);
  assert.match(receiptIn('zh-Hant', paid), /^禮品卡\n卡號 +\*{4}5678$/m);
  const view = outcomeView(paid);
  assert.deepEqual(view.labels, { GIFT: label });
  assert.match(message(view, english).lines.happened, /Gift card/);
  assert.match(message(view, chinese).lines.happened, /禮品卡/);
  assert.deepEqual(listedMeans(intentOf('named gift', 'reversal')).label, label);
  assert.deepEqual(describedCodes().schemes, [...paymentSchemes, 'GIFT']);
  assert.deepEqual(describedCodes().entryModes, [...knownEntryModes, 'GIFT_CODE']);
  assert.throws(() => registerDescription({ ...described, name: 'card' }), /there is a payment method card already/);
});

const described = { name: '', schemes: [], entryModes: [], describe: describeMeans };

test('a number that is not masked is printed as asterisks', () => {
  const masked = (maskedNumber: string): MethodIntent => {
    const intent = intentOf('gift', 'reversal');
    return { ...intent, method: { ...intent.method, maskedNumber } };
  };
  const numberOn = (maskedNumber: string) =>
    /cardNumber +(\S+)/.exec(receiptIn('en', { ...paidBy('gift'), intent: masked(maskedNumber) }))?.[1];
  assert.deepEqual([numberOn('****5678'), numberOn('no number'), numberOn('')], ['****5678', '********', undefined]);
});

for (const [undo, impact, result, refusal] of [
  ['reversal', 'REVERSAL_PENDING', 'ERROR', 'tooEarly'],
  ['enquiry', 'UNKNOWN', 'UNKNOWN', 'tooEarly'],
  ['sameCard', 'UNKNOWN', 'UNKNOWN', undefined],
] as const) {
  test(`what a cut leaves of an intent that ends by ${undo}`, () => {
    const cut: readonly JournalEvent[] = [accepted, intentOf('gift', undo)];
    const after = record([...cut, ...recoveryEvents(record(cut), undefined, true)]);
    assert.deepEqual([financialImpact(after), after.conclusion?.result], [impact, result]);
    const queued = (prints: boolean) =>
      recoveryEvents(record(cut), undefined, prints).some(({ kind }) => kind === 'receiptQueued');
    assert.deepEqual([queued(true), queued(false)], [true, false]);
    assert.equal(setAsideRefusal(after, false), refusal);
  });
}
