import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { Client, type ClientOptions } from '../../../src/pos/client/client.ts';

const url = 'http://127.0.0.1:1';
const quick = { pauseMs: 1, askMs: 1_000, holdMs: 50, repeatMs: 10, giveUpMs: 1_000 };
/** So long a call may send: its repeats, the answer to the last of them, and what it does in doubt. */
const sendsMs = quick.repeatMs + quick.holdMs + quick.giveUpMs + quick.askMs;
const request = { posId: 'POS-1', messageId: 'M-1' };
const till = { keyId: 'c10d', key: '43'.repeat(32) };

/** The answer to an enquiry, signed as docs/pairing.md says. */
function answer(status: number, reported: object, asked: RequestInit): Response {
  const body = JSON.stringify({ ...request, ...reported });
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const call = new Headers(asked.headers).get('signature')?.replace('sig=', '');
  const covered = `("@status" "content-digest" "signature";req;key="sig");keyid="${till.keyId}";tag="poid"`;
  const lines = [
    `"@status": ${status}`,
    `"content-digest": ${digest}`,
    `"signature";req;key="sig": ${call}`,
    `"@signature-params": ${covered}`,
  ];
  const signature = createHmac('sha256', Buffer.from(till.key, 'hex')).update(lines.join('\n')).digest('base64');
  const headers = {
    'content-digest': digest,
    'signature-input': `sig=${covered}`,
    signature: `sig=:${signature}:`,
  };
  return new Response(body, { status, headers });
}

describe('a signed request that the terminal has not found', () => {
  /** A terminal that carries a request out once it is asked for the `arrives`th time. */
  const signing = (arrives: number, options: Partial<ClientOptions> = {}) => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input, init = {}) => {
      asked.push(new URL(input instanceof Request ? input.url : input).pathname);
      return asked.length < arrives
        ? answer(404, { responseResult: 'NOT_FOUND', financialImpact: 'NONE' }, init)
        : answer(200, { responseResult: 'SUCCESS', terminalTransactionId: 'T' }, init);
    };
    return { asked, client: new Client({ url, ...quick, key: till, fetch, ...options }) };
  };

  test('may be on its way while its time lasts: its outcome is asked for again', async () => {
    const { client, asked } = signing(5);
    assert.equal((await client.outcome(request)).is, 'done');
    assert.equal(asked.length, 5);
  });

  test('begins nothing once its time is over', async () => {
    const { client, asked } = signing(1_000);
    // The terminal's clock may be 5 s behind, so 60 s are not enough. A busy machine takes its time for one of the calls.
    const sentAt = new Date(Date.now() - 64_000 - sendsMs);
    assert.equal((await client.outcome({ ...request, sentAt })).is, 'notDone');
    assert.ok(asked.length > 1);
    const over = signing(1_000);
    const before = new Date(Date.now() - 66_000 - sendsMs);
    assert.equal((await over.client.outcome({ ...request, sentAt: before })).is, 'notDone');
    assert.equal(over.asked.length, 1);
  });

  test('may have been sent again long after the call was made', async () => {
    const { client } = signing(1_000, { repeatMs: 20_000, giveUpMs: 20 });
    const { is, answer } = await client.outcome({ ...request, sentAt: new Date(Date.now() - 66_000) });
    assert.deepEqual([is, answer?.responseResult], ['unknown', 'NOT_FOUND']);
  });

  test('is unknown to who does not wait so long', async () => {
    const { client } = signing(1_000, { giveUpMs: 20 });
    const { is, answer } = await client.outcome(request);
    assert.deepEqual([is, answer?.responseResult], ['unknown', 'NOT_FOUND']);
  });
});
