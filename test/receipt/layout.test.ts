import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { receiptSettings } from '../../src/config/receipt-settings.ts';
import { plainLayout, type ReceiptLayout, receiptSections } from '../../src/receipt/layout.ts';
import { receiptLines } from '../../src/receipt/lines.ts';
import { receiptText } from '../../src/receipt/line.ts';
import { visaSale } from './documents.ts';

function textOf(changes: Partial<ReceiptLayout>, document = visaSale(), columns = 48): string {
  return receiptText(receiptLines(document, columns, { ...plainLayout, ...changes }), columns);
}

const promotion = { lines: ['10 % off', 'on your next visit'], from: '2026-08-25', until: '2026-08-25' };

describe('the shop’s own layout', () => {
  test('its order, and what it leaves out', () => {
    const amountsFirst = [
      'amounts',
      'outcome',
      'verification',
      'shop',
      'title',
      'time',
      'original',
      'instrument',
      'host',
    ];
    const reported = textOf(
      { sections: amountsFirst as ReceiptLayout['sections'] },
      visaSale({ pos: { cashierId: '7' } }),
    );
    const [amount = -1, shop = -1, card = -1, host = -1] = ['30.00', 'Harbour', '0119', 'MID'].map((each) =>
      reported.indexOf(each),
    );
    assert.ok(amount >= 0 && amount < shop && shop < card && card < host, reported);
    assert.ok(!reported.includes('CASHIER'));
    assert.ok(!reported.includes(visaSale().terminalTransactionId));
    assert.ok(!reported.startsWith('\n') && !reported.startsWith('-'), reported);
  });

  test('promotion and footer: the customer’s copy of an approved payment, and no other paper', () => {
    const own = { promotion, footer: ['Thank you', '多謝惠顧'] };
    const customer = textOf(own);
    assert.match(customer, /\n +10 % off\n +on your next visit\n\n +Thank you\n +多謝惠顧\n\n +\S+\n$/);
    const merchant = textOf(own, visaSale({ copy: 'MERCHANT' }));
    assert.ok(!/10 %|Thank/.test(merchant), merchant);
    const declined = textOf(own, visaSale({ outcome: 'DECLINED' }));
    assert.ok(!declined.includes('10 %') && declined.includes('Thank you'), declined);
  });

  test('a promotion has its days, by the shop’s time', () => {
    const late = visaSale({ at: new Date('2026-08-25T18:00:00Z') });
    assert.ok(textOf({ promotion }).includes('10 %'));
    assert.ok(!textOf({ promotion }, late).includes('10 %'), 'the 26th in Hong Kong');
    assert.ok(textOf({ promotion: { ...promotion, until: undefined } }, late).includes('10 %'));
    assert.ok(!textOf({ promotion: { ...promotion, from: '2026-08-26', until: undefined } }).includes('10 %'));
  });

  test('a QR code fits on both papers, and has its values encoded', async () => {
    const document = visaSale({ pos: { posReference: 'A&B 7' } });
    const qr = 'https://shop.example/r?t={terminalTransactionId}&a={amount}&c={currency}&p={posReference}';
    for (const columns of [32, 48]) {
      const lines = receiptLines(document, columns, { ...plainLayout, qr });
      const [picture] = lines.filter((line) => line.kind === 'picture');
      assert.ok(picture && picture.dots.width <= columns * 12, String(picture?.dots.width));
    }
    const { filledQr } = await import('../../src/receipt/layout.ts');
    const id = document.terminalTransactionId;
    assert.equal(filledQr(qr, document), `https://shop.example/r?t=${id}&a=30.00&c=HKD&p=A%26B%207`);
    assert.ok(
      !receiptLines(visaSale({ copy: 'MERCHANT' }), 48, { ...plainLayout, qr }).some(({ kind }) => kind === 'picture'),
    );
  });
});

describe('its configuration', () => {
  const faults = (layout: unknown) =>
    receiptSettings.safeParse({ layout }).error?.issues.map(({ path, message }) => [path.join('.'), message]);

  test('nothing is needed', () => {
    assert.deepEqual(receiptSettings.parse({}).layout, { ...plainLayout, sections: [...receiptSections] });
  });

  test('what the schemes require can’t be left out', () => {
    for (const each of [
      'shop',
      'title',
      'time',
      'host',
      'original',
      'instrument',
      'amounts',
      'outcome',
      'verification',
    ]) {
      const sections = receiptSections.filter((section) => section !== each);
      assert.match(faults({ sections })?.[0]?.join(' ') ?? '', /^layout\.sections must have shop, /, each);
    }
    for (const each of ['pos', 'promotion', 'qr', 'footer', 'id'] as const) {
      assert.equal(faults({ sections: receiptSections.filter((section) => section !== each) }), undefined, each);
    }
    assert.match(faults({ sections: [...receiptSections, 'shop'] })?.[0]?.[1] ?? '', /at most once/);
  });

  test('a name that a QR code can’t have, a day that there is not', () => {
    assert.match(faults({ qr: 'https://shop.example/{pan}' })?.[0]?.join(' ') ?? '', /^layout\.qr has no names but/);
    assert.equal(faults({ promotion: { lines: ['x'], from: '2026-02-30' } })?.[0]?.[0], 'layout.promotion.from');
  });
});
