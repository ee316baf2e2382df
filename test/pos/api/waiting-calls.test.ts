import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../../src/pos/api/pos-response.ts';
import { WaitingCalls } from '../../../src/pos/api/waiting-calls.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { noteReasons } from '../../support/reported-reasons.ts';
import { cloud, paired } from './cloud-stage.ts';
import { RawClient, wire } from './raw-client.ts';
import { approved, authorizedRecord, success } from './records.ts';
import { sale, served } from './served.ts';

const identity = { posId: 'POS-1', messageId: 'M-1' };
const done: Answer = { status: 200, body: 'done' };
const paid: PayAnswer = { kind: 'ended', record: authorizedRecord({ outcome: approved, conclusion: success }) };
const settled = () => new Promise(setImmediate);

function reasonOf({ status, body }: Answer) {
  const { responseResult, reason, financialImpact, retryable } = body as Record<string, string>;
  noteReasons(body);
  return [status, responseResult, reason, financialImpact, retryable];
}

/** Calls that wait for the same, in their order; what each has been answered. */
function crowd(waiting = new WaitingCalls()) {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const answered: (Answer | undefined)[] = [];
  const call = (gone?: AbortSignal, ...[place = 'payment']: ('payment' | 'cancel' | 'settlement')[]) => {
    const at = answered.push(undefined) - 1;
    const caller = gone && { gone, hasClosedItsSide: () => false };
    return waiting.answer(place, identity, caller, promise).then((answer) => (answered[at] = answer));
  };
  return { answered, call, end: () => resolve(done), waiting };
}

test('a ninth call takes the place of the one that waited longest, which is answered that the work is under way', async () => {
  const { answered, call, end } = crowd();
  const calls = Array.from({ length: 9 }, () => call());
  await settled();
  const [first, ...others] = answered;
  assert.ok(first);
  assert.deepEqual(reasonOf(first), [409, 'PROCESSING', 'transactionRunning', 'UNKNOWN', 'ENQUIRE']);
  assert.deepEqual(others, Array(8).fill(undefined));
  end();
  await Promise.all(calls);
  assert.ok(answered.slice(1).every((answer) => answer === done));
});

test('a caller that has gone gives its place up, and the others keep theirs', async () => {
  const { answered, call, end } = crowd();
  const gone = new AbortController();
  const calls = [call(), call(gone.signal), ...Array.from({ length: 6 }, () => call())];
  gone.abort();
  calls.push(call());
  await settled();
  assert.deepEqual([answered[0], answered[2], answered[8]], [undefined, undefined, undefined]);
  assert.ok(answered[1], 'nobody hears it, and nothing waits for it');
  end();
  await Promise.all(calls);
  assert.deepEqual([answered[0], answered[8]], [done, done]);
});

test('one that had gone before it came takes no place', async () => {
  const { answered, call, end } = crowd();
  const calls = Array.from({ length: 8 }, () => call());
  calls.push(call(AbortSignal.abort()));
  await settled();
  assert.deepEqual(answered.slice(0, 8), Array(8).fill(undefined));
  end();
  await Promise.all(calls);
});

test('a payment, its cancel and a settlement have places of their own', async () => {
  const { answered, call, end } = crowd();
  const calls = (['payment', 'cancel', 'settlement'] as const).flatMap((place) =>
    Array.from({ length: 8 }, () => call(undefined, place)),
  );
  await settled();
  assert.deepEqual(answered, Array(24).fill(undefined));
  calls.push(call(undefined, 'settlement'), call(undefined, 'cancel'));
  await settled();
  assert.deepEqual(answered[16] && reasonOf(answered[16])[2], 'settlementRunning');
  assert.deepEqual(answered[8] && reasonOf(answered[8])[2], 'transactionRunning');
  end();
  await Promise.all(calls);
});

test('on the shop’s network: connections full of one payment keep neither its cancel nor its enquiry out', async (t) => {
  const limits = { connectionsMax: 16, perAddressMax: 16, newPerSecondMax: 1_000 };
  const { terminal, call, ...api } = await served(t, { limits });
  const answer = Promise.withResolvers<PayAnswer>();
  terminal.payAnswer = () => answer.promise;
  const clients: RawClient[] = [];
  for (let each = 1; each <= 40; each++) {
    const client = new RawClient({ ...api });
    client.socket.write(wire(JSON.stringify(sale)));
    clients.push(client);
    await terminal.paidTimes(each);
  }
  terminal.enquiryAnswer = { kind: 'running', state: 'collecting' };
  const body = JSON.stringify(identity);
  assert.equal((await call({ path: '/sp/v1/enquiry', body })).json.responseResult, 'PROCESSING');
  terminal.cancelAnswer = { kind: 'tooLate', state: 'authorizing' };
  assert.equal((await call({ path: '/sp/v1/cancel', body })).json.reason, 'hostAsked');
  answer.resolve(paid);
  for (const client of clients.slice(-8)) assert.match(await client.until(/\}\}$/), /"responseResult":"SUCCESS"/);
});

test('on the shop’s network: who has hung up gives the place up', async (t) => {
  const { terminal, ...api } = await served(t);
  const answer = Promise.withResolvers<PayAnswer>();
  terminal.payAnswer = () => answer.promise;
  const pays = async () => {
    const client = new RawClient({ ...api });
    client.socket.write(wire(JSON.stringify(sale)));
    await terminal.paidTimes(terminal.paid.length + 1);
    return client;
  };
  const first = await pays();
  // One closes the connection as a program does that ends, the other resets it.
  for (let each = 0; each < 20; each++) {
    const client = await pays();
    client.socket[each % 2 === 0 ? 'destroy' : 'resetAndDestroy']();
    await client.closed;
  }
  assert.equal(first.text, '');
  answer.resolve(paid);
  assert.match(await first.until(/\}\}$/), /"responseResult":"SUCCESS"/);
});

test('through the cloud: twenty POSTs of one payment, and its cancel and its enquiry are answered', async (t) => {
  const { ask, terminal } = await cloud(t);
  const answer = Promise.withResolvers<PayAnswer>();
  terminal.payAnswer = () => answer.promise;
  terminal.enquiryAnswer = { kind: 'running', state: 'collecting' };
  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  const waiting: Promise<unknown>[] = [];
  for (let each = 1; each <= 20; each++) {
    waiting.push(ask().then((heard) => answers.push(heard)));
    await terminal.paidTimes(each);
  }
  await settled();
  assert.deepEqual(
    answers.map(({ status, json }) => [status, json.responseResult, json.financialImpact, json.messageId]),
    Array.from({ length: 12 }, () => [409, 'PROCESSING', 'UNKNOWN', 'M-1']),
  );
  for (const { fields } of answers) assert.ok(fields['signature']);
  const body = JSON.stringify(identity);
  assert.equal((await ask({ target: '/sp/v1/enquiry', body })).json.responseResult, 'PROCESSING');
  terminal.cancelAnswer = { kind: 'tooLate', state: 'authorizing' };
  assert.equal((await ask({ target: '/sp/v1/cancel', body })).json.reason, 'hostAsked');
  answer.resolve(paid);
  await Promise.all(waiting);
  assert.deepEqual(
    answers.slice(12).map(({ json }) => json.responseResult),
    Array(8).fill('SUCCESS'),
  );
});

test('through the cloud: what is refused for the number of calls may run, or have ended', async (t) => {
  const { ask, terminal, keys } = await cloud(t);
  const answer = Promise.withResolvers<PayAnswer>();
  terminal.payAnswer = () => answer.promise;
  // Payments of sixteen identities, each of which is looked up.
  const others = Array.from({ length: 16 }, (_, at) =>
    ask({ body: JSON.stringify({ ...sale, messageId: `M-${at}` }) }),
  );
  await terminal.paidTimes(16);
  const { json, fields } = await ask();
  assert.deepEqual(
    [json.reason, json.financialImpact, json.retryable, json.posId, json.messageId],
    ['tooManyCalls', 'UNKNOWN', 'ENQUIRE', 'POS-1', 'M-1'],
  );
  assert.ok(fields['signature']);
  // Another till is none of it.
  await keys.remove('POS-1');
  await keys.put({ ...paired, posId: 'POS-2' });
  const own = ask({ body: JSON.stringify({ ...sale, posId: 'POS-2' }) });
  await terminal.paidTimes(17);
  answer.resolve(paid);
  assert.equal((await own).json.responseResult, 'SUCCESS');
  await Promise.all(others);
});
