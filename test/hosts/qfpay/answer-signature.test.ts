import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { fitsAnswer } from '../../../src/hosts/qfpay/signature.ts';
import { answeredWith, approval, approved, bench, clientKey, deadline, fixture, scannedOrder } from './terminal.ts';

const garbled = { kind: 'unknown', reason: 'garbled-answer' };
const { key, vectors } = fixture.answerSignatures;
const digest = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('hex').toUpperCase();
/** As the page has it: sorted by name, the key behind. */
const signedFields = (fields: object) =>
  Object.entries(fields)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&') + clientKey;

for (const { what, body, SHA256, MD5 } of vectors) {
  test(`signed over ${what}: ${body.slice(0, 40)}`, () => {
    const bytes = Buffer.from(body);
    const fields = JSON.parse(body) as Record<string, unknown>;
    const altered = body.replace('"out_trade_no":"', '"out_trade_no":"9');
    for (const signature of [SHA256, MD5, SHA256.toLowerCase()]) {
      assert.ok(fitsAnswer(signature, bytes, fields, key));
      assert.ok(!fitsAnswer(signature, Buffer.from(altered), JSON.parse(altered), key), 'another answer');
      assert.ok(!fitsAnswer(signature, bytes, fields, `${key}5`));
      assert.ok(!fitsAnswer(signature.slice(1), bytes, fields, key));
    }
    for (const signature of ['', 'x'.repeat(64), `${MD5}${MD5}`, `${SHA256}, ${SHA256}`]) {
      assert.ok(!fitsAnswer(signature, bytes, fields, key));
    }
  });
}

test('a value that has no text, and names of the language', () => {
  const fields = JSON.parse('{"data":{"a":{"toString":1},"__proto__":"x","b":null}}') as Record<string, unknown>;
  assert.ok(!fitsAnswer('0'.repeat(64), Buffer.from('{}'), fields, key));
});

test('a signature that is there must fit', deadline, async (t) => {
  const parts = await bench(t);
  const body = JSON.stringify(approval);
  for (const [header, outcome] of [
    [digest('sha256', body + clientKey), approved],
    [digest('md5', body + clientKey), approved],
    [digest('sha256', signedFields(approval)), approved],
    [digest('md5', signedFields(approval)), approved],
    [digest('sha256', body), garbled],
    [digest('md5', `${body}abcd1235`), garbled],
    [digest('sha256', signedFields({ ...approval, txamt: '300' })), garbled],
    [digest('sha256', JSON.stringify({ ...approval, respcd: '1201' }) + clientKey), garbled],
    ['', garbled],
  ] as const) {
    const paid = answeredWith(parts, parts.acquirer.pay(scannedOrder), body, [`X-QF-SIGN: ${header}`]);
    assert.deepEqual(await paid, outcome, header);
  }
  const twice = `X-QF-SIGN: ${digest('sha256', body + clientKey)}`;
  assert.deepEqual(await answeredWith(parts, parts.acquirer.pay(scannedOrder), body, [twice, twice]), garbled);
});

test('an answer that can not be verified says nothing of an order either', deadline, async (t) => {
  const parts = await bench(t);
  const wrong = ['X-QF-SIGN: 00000000000000000000000000000000'];
  const none = { respcd: '1268' };
  assert.deepEqual(await answeredWith(parts, parts.acquirer.enquire(scannedOrder), none, wrong), { kind: 'unknown' });
  assert.deepEqual(await answeredWith(parts, parts.acquirer.close(scannedOrder), none, wrong), { kind: 'unanswered' });
});

test('an answer without a signature counts, unless one is required', deadline, async (t) => {
  for (const [answerSignature, outcome] of [
    [undefined, approved],
    ['verified', approved],
    ['required', garbled],
  ] as const) {
    const parts = await bench(t, { answerSignature });
    assert.deepEqual(await answeredWith(parts, parts.acquirer.pay(scannedOrder), approval), outcome);
  }
});

test(
  'a list whose signature no page defines is as good as an unsigned one, and a body’s is proof',
  deadline,
  async (t) => {
    const found = { ...approved, kind: 'approved' };
    const row = { respcd: '0000', data: [{ ...approval, cancel: '0' }] };
    const body = JSON.stringify(row);
    const ofBody = digest('sha256', body + clientKey);
    const others = [
      digest('sha256', `data=${JSON.stringify(row.data)}${clientKey}`),
      digest('md5', JSON.stringify(row.data) + clientKey),
      'dGhpcyBpcyBhIHNpZ25hdHVyZSBvZiBSU0E=',
      '0'.repeat(128),
      '',
    ];
    for (const [answerSignature, signature, outcome] of [
      ...others.map((signature) => ['verified', signature, found] as const),
      ...others.map((signature) => ['required', signature, { kind: 'unknown' }] as const),
      ['verified', ofBody, found],
      ['required', ofBody, found],
    ] as const) {
      const parts = await bench(t, { answerSignature });
      const enquired = answeredWith(parts, parts.acquirer.enquire(scannedOrder), body, [`X-QF-SIGN: ${signature}`]);
      assert.deepEqual(await enquired, outcome, `${answerSignature} ${signature}`);
    }
  },
);

test('so are fields with values that have no text; all others must fit', deadline, async (t) => {
  const parts = await bench(t);
  const header = [`X-QF-SIGN: ${digest('sha256', 'a text of its own')}`];
  for (const [more, outcome] of [
    [{ goods: [{ name: 'Tea' }] }, approved],
    [{ data: { goods: {} } }, approved],
    [{ data: { goods: 'Tea' } }, garbled],
    [{ goods: null }, garbled],
  ] as const) {
    const paid = answeredWith(parts, parts.acquirer.pay(scannedOrder), { ...approval, ...more }, header);
    assert.deepEqual(await paid, outcome, JSON.stringify(more));
  }
});
