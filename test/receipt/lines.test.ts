import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cells, cellsPerLine, type ReceiptLine, receiptColumns, receiptText } from '../../src/receipt/line.ts';
import { dateTimeLine, receiptLines } from '../../src/receipt/lines.ts';
import type { ReceiptDocument } from '../../src/receipt/document.ts';
import { verifiedBy, visaCard, visaHost, visaSale } from './documents.ts';

const shown = (document: ReceiptDocument, columns = 48): string =>
  receiptText(receiptLines(document, columns), columns);

const crowded = visaSale({
  shop: {
    name: 'The Honourable Old Harbour Coffee & Congee Company of Sheung Wan Limited',
    address: '香港上環德輔道中二百五十號地下連閣樓 '.repeat(4),
    phone: '+852 2345 6789 / +852 2345 6780 / +852 2345 6781 / +852 2345 6782',
    email: `${'a'.repeat(90)}@example.com`,
  },
  transactionType: 'VOID_AUTH_COMP',
  amount: { minor: 999_999_999_999n, currency: 'KWD' },
  host: { ...visaHost, mid: '9'.repeat(40), rrn: 'R'.repeat(70) },
  card: visaCard({ appName: 'VISA PLATINUM BUSINESS REWARDS INTERNATIONAL CREDIT', aid: 'A'.repeat(64) }),
});

test('no line is wider than the paper, whatever the texts, and nothing of them is cut', () => {
  for (const columns of receiptColumns) {
    const lines = receiptLines(crowded, columns);
    for (const line of lines) {
      if (line.kind === 'rule' || line.kind === 'picture') continue;
      const taken = line.kind === 'text' ? cells(line.text) : cells(line.left) + 1 + cells(line.right);
      assert.ok(taken <= cellsPerLine(line.size, columns), `${columns} columns: ${JSON.stringify(line)}`);
    }
    const inked = receiptText(lines, columns).replace(/\s/g, '');
    const { shop, host, card } = crowded;
    for (const value of [
      shop.name,
      shop.address,
      shop.phone,
      shop.email,
      host?.mid,
      host?.rrn,
      card?.appName,
      card?.aid,
    ]) {
      assert.ok(value && inked.includes(value.replace(/\s/g, '')), `${columns} columns: ${value}`);
    }
  }
});

function amountLine(minor: bigint): ReceiptLine | undefined {
  const lines = receiptLines(visaSale({ amount: { minor, currency: 'HKD' } }), 32);
  return lines.find((line) => line.kind === 'pair' && line.left === 'TOTAL');
}

test('an amount is never broken: it gives up its size first', () => {
  assert.deepEqual(amountLine(3000n), { kind: 'pair', left: 'TOTAL', right: 'HKD 30.00', bold: true, size: 'double' });
  assert.deepEqual(amountLine(999_999_999_999n), {
    kind: 'pair',
    left: 'TOTAL',
    right: 'HKD 9,999,999,999.99',
    bold: true,
    size: 'normal',
  });
});

test('amounts have the decimals of their currency', () => {
  assert.match(shown(visaSale({ amount: { minor: 3000n, currency: 'JPY' } })), /TOTAL +JPY 3,000\n/);
  assert.match(shown(visaSale({ amount: { minor: 5n, currency: 'KWD' } })), /TOTAL +KWD 0\.005\n/);
});

test('date and time are those of the terminal, midnight is 00', () => {
  assert.match(shown(visaSale({ at: new Date('2026-12-31T16:00:00Z') })), /\n2027-01-01 +00:00:00\n/);
  assert.match(
    shown(visaSale({ at: new Date('2026-12-31T16:00:00Z'), timeZone: 'Europe/London' })),
    /\n2026-12-31 +16:00:00\n/,
  );
});

test('only a number masked down to its last four is printed', () => {
  assert.match(shown(visaSale()), /CARD +\*{12}0119\n/);
  for (const maskedPan of ['4761739001010119', '476173******0119', '*0119', '****01190', '']) {
    const text = shown(visaSale({ card: visaCard({ maskedPan }) }));
    assert.match(text, /CARD +\*{16}\n/, maskedPan);
    assert.doesNotMatch(text, /476173/);
  }
});

test('the merchant copy is signed when the card says signature, the customer copy is not', () => {
  for (const method of ['SIGNATURE', 'OFFLINE_PIN_AND_SIGNATURE'] as const) {
    assert.match(shown(verifiedBy(method, 'MERCHANT')), /\nX_{47}\n +CUSTOMER SIGNATURE\n/);
    assert.doesNotMatch(shown(verifiedBy(method, 'CUSTOMER')), /SIGNATURE|___/);
  }
});

test('other ways of verification need no pen', () => {
  const expected = {
    NO_CVM: /NO SIGNATURE REQUIRED/,
    CONSUMER_DEVICE: /VERIFIED BY CUSTOMER DEVICE\n +NO SIGNATURE REQUIRED/,
    ONLINE_PIN: /PIN VERIFIED/,
    OFFLINE_PIN: /PIN VERIFIED/,
  } as const;
  for (const method of ['NO_CVM', 'CONSUMER_DEVICE', 'ONLINE_PIN', 'OFFLINE_PIN'] as const) {
    const text = shown(verifiedBy(method, 'MERCHANT'));
    assert.match(text, expected[method]);
    assert.doesNotMatch(text, /___/);
  }
  assert.doesNotMatch(shown(verifiedBy('UNKNOWN_METHOD', 'MERCHANT')), /SIGNATURE|PIN/);
});

test('a declined payment has no total, no approval code and no signature', () => {
  const text = shown({
    ...verifiedBy('SIGNATURE', 'MERCHANT'),
    outcome: 'DECLINED',
    host: { ...visaHost, responseCode: '51' },
  });
  assert.match(text, /\n +DECLINED\n +RESPONSE CODE 51\n/);
  assert.match(text, /\nAMOUNT +HKD 30\.00\n/);
  assert.doesNotMatch(text, /TOTAL|APPROV|1A2B3C|SIGNATURE/);
});

test('an error says so and nothing about approval', () => {
  const text = shown(visaSale({ outcome: 'ERROR' }));
  assert.match(text, /\n +ERROR\n/);
  assert.doesNotMatch(text, /TOTAL|APPROV|RESPONSE|SIGNATURE/);
});

test('a reprint says that it is one, and each copy whose it is', () => {
  assert.match(shown(visaSale({ duplicate: true })), /\n +\*\*\* DUPLICATE \*\*\*\n/);
  assert.doesNotMatch(shown(visaSale()), /DUPLICATE/);
  assert.match(shown(visaSale({ copy: 'MERCHANT', transactionType: 'VOID_SALE' })), /\nVOID SALE +MERCHANT COPY\n/);
});

test('cash has neither card nor host, and no empty lines in their place', () => {
  const { host: _host, card: _card, ...rest } = visaSale({ paymentMethod: 'CASH', entryMode: 'CASH' });
  const text = shown(rest);
  assert.match(text, /\nCash\n\nTOTAL +HKD 30\.00\n\n +APPROVED\n\n/);
  assert.doesNotMatch(text, /MID|CARD|undefined/);
});

test('what is not known is left out, label and all', () => {
  const text = shown(visaSale({ card: { maskedPan: '************0119', authenticationMethod: 'UNKNOWN_METHOD' } }));
  assert.doesNotMatch(text, /^(AID|APP|ARQC|TC|ATC|TVR|TSI)\b|undefined/m);
});

test('control characters and overrides of the writing direction do not reach the paper', () => {
  const nasty = 'A\u001b@\u0010\u0004\u0001\u009b\u202eB\r\n\tC\u0000\u2028D\ud800\ue000';
  const text = shown(
    visaSale({
      shop: { name: nasty, address: nasty, phone: nasty, email: '\u001b\n' },
      card: visaCard({ appName: nasty }),
    }),
  );
  assert.match(text, /^ +A@B C D\n +A@B C D\n +A@B C D\n\nSALE/);
  assert.match(text, /APP +A@B C D\n/);
  assert.doesNotMatch(text.replaceAll('\n', ''), /\p{C}/u);
});

test('a text without end is cut before it is laid out', () => {
  const lines = receiptLines(
    visaSale({ shop: { name: '', address: 'x'.repeat(1_000_000), phone: '', email: '' } }),
    48,
  );
  assert.ok(lines.length < 50);
});

test('columns that no receipt printer has are refused', () => {
  for (const columns of [0, -1, 31, 49, 32.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => receiptLines(visaSale(), columns), RangeError);
  }
  assert.throws(() => receiptText(receiptLines(visaSale(), 48), 32), RangeError);
});

test('a time zone’s formats are made once: they cost more than the receipt', (t) => {
  const made = t.mock.method(Intl, 'DateTimeFormat');
  const zones = ['Asia/Tokyo', 'Asia/Tokyo', 'America/Lima', 'Asia/Tokyo'];
  const times = zones.map((timeZone) => dateTimeLine(new Date('2026-08-25T07:30:08Z'), timeZone));
  assert.deepEqual(
    times.map(({ left, right }) => `${left} ${right}`),
    ['2026-08-25 16:30:08', '2026-08-25 16:30:08', '2026-08-25 02:30:08', '2026-08-25 16:30:08'],
  );
  assert.equal(made.mock.callCount(), 4);
});
