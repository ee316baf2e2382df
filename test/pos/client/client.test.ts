import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Client } from '../../../src/pos/client/client.ts';

/** poid/client against lines that a relay between till and terminal can have. */

const url = 'http://127.0.0.1:1';
const quick = { pauseMs: 1, askMs: 50, holdMs: 50, repeatMs: 10, giveUpMs: 200 };
const request = { posId: 'POS-1', messageId: 'M-1', transactionType: 'REFUND', requestAmount: 10, currency: 'HKD' };

function answer(status: number, fields: object): Response {
  const { posId, messageId } = request;
  return Response.json({ posId, messageId, ...fields }, { status });
}

const unheard = () => answer(404, { responseResult: 'NOT_FOUND', financialImpact: 'NONE' });
const carriedOut = () => answer(200, { responseResult: 'SUCCESS', terminalTransactionId: 'T' });
const cancelled = () =>
  answer(200, {
    responseResult: 'TRANSACTION_ALREADY_CANCEL',
    financialImpact: 'NONE',
    terminalTransactionId: 'T',
  });

/** Each call as the line carries it: by its name, and how often it has come. */
function clientOf(carry: (call: string, count: number) => Response | Promise<Response>): Client {
  const counts = new Map<string, number>();
  const fetch: typeof globalThis.fetch = async (input) => {
    const call = new URL(input instanceof Request ? input.url : input).pathname.replace('/sp/v1/', '');
    const count = (counts.get(call) ?? 0) + 1;
    counts.set(call, count);
    return carry(call, count);
  };
  return new Client({ url, ...quick, fetch });
}

const never = () => new Promise<Response>(() => undefined);

describe('a request that is lost', () => {
  test('and arrives after an enquiry has not found it: its outcome is told, not "not done"', async () => {
    let isThere = false;
    const client = clientOf((call, count) => {
      if (call === 'payment') return never();
      // The relay lets go of the first POST now.
      if (call === 'enquiry' && count > 1) isThere = true;
      return isThere ? carriedOut() : unheard();
    });
    assert.equal((await client.pay(request)).is, 'done');
  });

  test('is over only when the terminal has had it, and cancelled it', async () => {
    let isThere = false;
    const client = clientOf(async (call, count) => {
      if (call === 'payment' && count === 1) return never();
      if (call === 'payment') {
        isThere = true;
        return new Promise((resolve) => setTimeout(() => resolve(cancelled()), 20));
      }
      return isThere ? answer(200, { responseResult: 'SUCCESS' }) : unheard();
    });
    const { is, answer: answered } = await client.pay(request);
    assert.deepEqual([is, answered?.responseResult], ['notDone', 'TRANSACTION_ALREADY_CANCEL']);
  });

  test('and never arrives is unknown', async () => {
    const client = clientOf((call) => (call === 'payment' ? never() : unheard()));
    const { is, answer } = await client.pay(request);
    assert.deepEqual([is, answer?.responseResult], ['unknown', 'NOT_FOUND']);
  });

  test('is not sent again by a till that asks alone, and without a key never known', async () => {
    const calls: string[] = [];
    const client = clientOf((call) => {
      calls.push(call);
      return unheard();
    });
    assert.equal((await client.outcome(request)).is, 'unknown');
    assert.deepEqual(calls, ['enquiry']);
  });
});

test('a fetch that never ends is given up in time, and the outcome is unknown', async () => {
  assert.equal((await clientOf(never).pay(request)).is, 'unknown');
  await assert.rejects(clientOf(never).call('GET', '/sp/v1/status'), { name: 'TimeoutError' });
});

describe('what no terminal answers is no answer', () => {
  for (const text of ['null', '5', '"SUCCESS"', '[]x', '<html>']) {
    test(text, async () => {
      await assert.rejects(clientOf(() => new Response(text)).call('GET', '/sp/v1/status'));
    });
  }

  test('more than a terminal says is not read to its end', async () => {
    const part = new Uint8Array(1024 * 1024).fill(0x20);
    let sent = 0;
    const endless = () =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull: (stream) => {
            sent += 1;
            stream.enqueue(part);
          },
        }),
      );
    const client = new Client({ url, ...quick, holdMs: 20_000, fetch: async () => endless() });
    await assert.rejects(client.call('GET', '/sp/v1/status'), /too long/);
    assert.ok(sent < 64, String(sent));
  });

  test('an event without an end is not kept', async () => {
    const end = new AbortController();
    const part = new TextEncoder().encode('x'.repeat(16 * 1024));
    let opened = 0;
    const fetch = async () => {
      opened += 1;
      if (opened === 2) end.abort();
      return new Response(new ReadableStream<Uint8Array>({ pull: (stream) => stream.enqueue(part) }));
    };
    for await (const event of new Client({ url, ...quick, fetch }).events({ signal: end.signal }))
      assert.fail(event.event);
    assert.equal(opened, 2);
  });
});

test('what was taken back since is undone, in either shape', async () => {
  const reported = { responseResult: 'SUCCESS', terminalTransactionId: 'T' };
  const outcome = async (more: object) =>
    (await clientOf(() => answer(200, { ...reported, ...more })).outcome(request)).is;
  for (const status of ['VOIDED', 'RELEASED', 'REFUNDED', 'REVERSED']) {
    assert.equal(await outcome({ transactionResult: { tranStatus: status } }), 'undone', status);
    assert.equal(await outcome({ transactionPrintData: { transactionStatus: status } }), 'undone', status);
  }
  for (const status of ['APPROVED', 'ADJUSTED', 'COMPLETED'])
    assert.equal(await outcome({ transactionResult: { tranStatus: status } }), 'done', status);
});

test('what was refunded in part stands; all of what was charged in the end is more than was authorized', async () => {
  const reported = { responseResult: 'SUCCESS', terminalTransactionId: 'T' };
  const outcome = async (result: object) =>
    (await clientOf(() => answer(200, { ...reported, transactionResult: result })).pay(request)).is;
  const part = { totalAmount: 100, refundedAmount: 99.99 };
  assert.equal(await outcome({ ...part, tranStatus: 'PARTIALLY_REFUNDED' }), 'done');
  assert.equal(
    await outcome({ ...part, refundedAmount: 100, finalAmount: 110, tranStatus: 'PARTIALLY_REFUNDED' }),
    'done',
  );
  // A repeat of the payment has the status that was told first.
  assert.equal(await outcome({ ...part, tranStatus: 'APPROVED' }), 'done');
  assert.equal(await outcome({ ...part, refundedAmount: 110, finalAmount: 110, tranStatus: 'APPROVED' }), 'undone');
});

describe('a payment whose POST is refused without a look at it', () => {
  for (const [reason, status, financialImpact] of [
    ['tooManyCalls', 503, 'NONE'],
    ['tooManyCalls', 503, 'UNKNOWN'],
    ['callBudgetSpent', 429, 'UNKNOWN'],
  ] as const) {
    test(`${reason}, ${financialImpact}: is asked for again, and its outcome told`, async () => {
      const refused = () => answer(status, { responseResult: 'ERROR', reason, financialImpact });
      const client = clientOf((call, count) => (call === 'payment' && count === 1 ? refused() : carriedOut()));
      assert.equal((await client.pay(request)).is, 'done');
    });
  }

  test('its place was taken by a later call: it is not over, and asked for', async () => {
    const running = () => answer(409, { responseResult: 'PROCESSING', financialImpact: 'UNKNOWN' });
    const client = clientOf((call) => (call === 'payment' ? running() : carriedOut()));
    assert.equal((await client.pay(request)).is, 'done');
  });
});
