import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { answeredWith, approval, bench, deadline, scannedOrder } from './terminal.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex').toUpperCase();
const wrongKey = { kind: 'declined', reason: 'terminalUnknown', responseCode: '1108' };
const unknown = [{ acquirerId: 'QR', isKnown: false, hostCode: '1108' }];

test('payments, enquiries and closes tell whether the host knows this terminal', deadline, async (t) => {
  for (const call of ['pay', 'enquire', 'close'] as const) {
    const parts = await bench(t);
    const reported = async (answer: object) => {
      await answeredWith<unknown>(parts, parts.acquirer[call](scannedOrder), answer);
      return parts.recognitions.at(-1);
    };
    for (const code of ['1105', '1106', '1107', '1108', '1203', '1241', '1242', '1243', '1251']) {
      const recognition = { acquirerId: 'QR', isKnown: false, hostCode: code };
      assert.deepEqual(await reported({ respcd: code }), recognition, `${call} ${code}`);
    }
    const count = parts.recognitions.length;
    for (const code of ['1103', '1104', '1202', '1205', '1254', '1298', '9999', 'x']) await reported({ respcd: code });
    assert.equal(parts.recognitions.length, count, `${call}: these do not tell`);
    const known = { acquirerId: 'QR', isKnown: true, hostCode: '1143' };
    assert.deepEqual(await reported({ ...approval, respcd: '1143' }), known, call);
  }
});

test('a host that refused the signature may sign with the key that it has', deadline, async (t) => {
  const body = JSON.stringify({ respcd: '1108' });
  const headers = [`X-QF-SIGN: ${sha256(`${body}another key`)}`];
  const parts = await bench(t);
  assert.deepEqual(await answeredWith(parts, parts.acquirer.pay(scannedOrder), body, headers), wrongKey);
  assert.deepEqual(parts.recognitions, unknown);
  // Whatever else it says with that signature proves nothing, and does not end a warning.
  for (const respcd of ['0000', '1201', '1142']) {
    const other = JSON.stringify({ ...approval, respcd });
    const signed = [`X-QF-SIGN: ${sha256(`${other}another key`)}`];
    const outcome = await answeredWith(parts, parts.acquirer.pay(scannedOrder), other, signed);
    assert.deepEqual(outcome, { kind: 'unknown', reason: 'garbled-answer' });
  }
  assert.deepEqual(parts.recognitions, unknown);
});

test('where signatures are required, such an answer warns and decides nothing', deadline, async (t) => {
  const parts = await bench(t, { answerSignature: 'required' });
  const outcome = await answeredWith(parts, parts.acquirer.pay(scannedOrder), { respcd: '1108' });
  assert.deepEqual(outcome, { kind: 'unknown', reason: 'garbled-answer' });
  assert.deepEqual(parts.recognitions, unknown);
});
