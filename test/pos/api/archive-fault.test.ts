import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JournalError } from '../../../src/payment/contracts/journal.ts';
import { UnreadableRecord } from '../../../src/payment/records/record.ts';
import { served } from './served.ts';

const message = 'the archive archive-2026-01.jsonl.gz of the journal is missing or damaged';
const identity = { posId: 'POS-1', messageId: 'M-1' };

for (const path of ['enquiry', 'cancel', 'receipt', 'payment']) {
  test(`what is in an archive that is missing: ${path} names the file, once and for all`, async (t) => {
    const { terminal, call, pay } = await served(t);
    const missing = async () => {
      throw new JournalError('archive', message);
    };
    Object.assign(terminal, { enquire: missing, cancel: missing, recall: missing, pay: missing });
    const answer =
      path === 'payment' ? await pay() : await call({ path: `/sp/v1/${path}`, body: JSON.stringify(identity) });
    assert.equal(answer.status, 503);
    const body = answer.json;
    assert.deepEqual(
      [body.responseResult, body.responseCode, body.message, body.retryable, body.financialImpact],
      ['DATABASE_ERROR', 6, message, 'CALL_OPERATOR', 'UNKNOWN'],
    );
  });
}

for (const path of ['enquiry', 'cancel', 'receipt', 'payment']) {
  test(`a journal that fails while ${path} reads it is no fault of the call: the outcome is unknown, and may be enquired`, async (t) => {
    const { terminal, call, pay } = await served(t);
    const broken = async () => {
      throw new JournalError('broken', 'the disk of the journal does not answer');
    };
    Object.assign(terminal, { enquire: broken, cancel: broken, recall: broken, pay: broken });
    const answer =
      path === 'payment' ? await pay() : await call({ path: `/sp/v1/${path}`, body: JSON.stringify(identity) });
    const { responseResult, reason, retryable, financialImpact } = answer.json;
    assert.deepEqual(
      [answer.status, responseResult, reason, retryable, financialImpact],
      [503, 'UNKNOWN', 'outcomeUnknown', 'ENQUIRE', 'UNKNOWN'],
    );
  });
}

test('what a newer version wrote is told as that', async (t) => {
  const { terminal, call } = await served(t);
  const newer = "transaction 1 can't be read: a newer version wrote one of its events: this version reads format 1";
  const enquire = async () => {
    throw new UnreadableRecord(newer);
  };
  Object.assign(terminal, { enquire });
  const { status, json } = await call({ path: '/sp/v1/enquiry', body: JSON.stringify(identity) });
  assert.equal(status, 503);
  assert.deepEqual(
    [json.responseResult, json.message, json.retryable, json.financialImpact],
    ['DATABASE_ERROR', newer, 'CALL_OPERATOR', 'UNKNOWN'],
  );
});
