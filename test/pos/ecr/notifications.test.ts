import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { selfSign } from '../../../src/base/tls/certificate.ts';
import { EcrLedger, noticesMax, type QueuedNotice } from '../../../src/pos/ecr/ledger.ts';
import { Notifier, type PostResult, quickRetryMs, retryMs } from '../../../src/pos/ecr/notifier.ts';
import { postNotice } from '../../../src/pos/ecr/post-notice.ts';
import { notificationSignature } from '../../../src/pos/ecr/notification.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { EcrStage } from './ecr-stage.ts';
import { NoticeServer } from './notice-server.ts';
import { answerOf, declined, open } from './scripted-calls.ts';

const target = { url: 'http://127.0.0.1:1/qfpay/notify', key: 'notify-test-key' };
const noticeOf = (messageId: string, more: Partial<QueuedNotice> = {}): QueuedNotice => ({
  messageId,
  posId: 'POS-1',
  body: `{"messageId":"${messageId}"}`,
  failed: 0,
  unreached: 0,
  dueAt: '2026-01-01T00:00:00.000Z',
  ...more,
});

/** A notifier whose server answers as the test says. The ledger is in memory. */
function opened(t: TestContext, results: PostResult[]) {
  const clock = new ManualClock();
  const failures: Error[] = [];
  const sent: string[] = [];
  const ledger = new EcrLedger('/nowhere', (error) => failures.push(error));
  t.mock.method(ledger, 'tryFlush', () => Promise.resolve());
  const notifier = new Notifier({
    ledger,
    targetOf: (posId) => (posId === 'POS-1' ? target : undefined),
    post: async (_target, { body, signature }) => {
      assert.equal(signature, notificationSignature(body, target.key));
      sent.push(body);
      return results.shift() ?? 'accepted';
    },
    clock,
    onFailure: (error) => failures.push(error),
  });
  t.after(() => notifier.close());
  return { clock, failures, sent, ledger, notifier };
}

test('the schedule is the published one, and then it is given up and reported', async (t) => {
  const { clock, failures, sent, ledger, notifier } = opened(
    t,
    Array.from({ length: 20 }, () => 'failed'),
  );
  ledger.decide('M-1', [noticeOf('M-1')]);
  notifier.wake();
  await clock.advance(0);
  const minutes = [2, 10, 10, 60, 120, 360, 900];
  for (const [at, each] of minutes.entries()) {
    assert.equal(sent.length, at + 1);
    await clock.advance(each * 60_000 - 1);
    assert.equal(sent.length, at + 1, `${each} minutes`);
    await clock.advance(1);
  }
  assert.deepEqual([sent.length, notifier.state.waiting, notifier.state.givenUp], [8, 0, 1]);
  assert.match(String(failures[0]), /M-1 is given up/);
  assert.deepEqual(
    [...retryMs],
    minutes.map((each) => each * 60_000),
  );
});

test('quick repeats come only where there was no connection: a kiosk books what it hears twice', async (t) => {
  const { clock, sent, ledger, notifier } = opened(t, ['unreached', 'unreached', 'unreached', 'failed', 'unreached']);
  ledger.decide('M-1', [noticeOf('M-1')]);
  notifier.wake();
  await clock.advance(0);
  const pauses = [...quickRetryMs, retryMs[0] ?? 0, retryMs[1] ?? 0, retryMs[2] ?? 0];
  for (const [at, each] of pauses.entries()) {
    await clock.advance(each - 1);
    assert.equal(sent.length, at + 1);
    await clock.advance(1);
    assert.equal(sent.length, at + 2);
  }
  assert.equal(notifier.state.waiting, 0);
});

test('what is accepted is never sent again, and its call needs no answer any more', async (t) => {
  const { clock, sent, ledger, notifier } = opened(t, []);
  const call = { posId: 'POS-1', messageId: 'M-1', call: 'cancel', fingerprint: 'f', fields: {} } as const;
  ledger.add({ ...call, isAnswered: false, isDecided: false });
  ledger.decide('M-1', [noticeOf('M-1'), noticeOf('M-1', { body: '{"second":1}' })]);
  notifier.wake();
  await clock.advance(0);
  notifier.wake();
  await clock.advance(86_400_000);
  assert.deepEqual(sent, ['{"messageId":"M-1"}', '{"second":1}']);
  assert.deepEqual([ledger.calls, ledger.notices], [[], []]);
});

test('a notification without a till in the configuration is given up', async (t) => {
  const { clock, failures, sent, ledger, notifier } = opened(t, []);
  ledger.decide('M-1', [noticeOf('M-1', { posId: 'POS-9' })]);
  notifier.wake();
  await clock.advance(0);
  assert.deepEqual([sent, ledger.notices, failures.length], [[], [], 1]);
});

test('a clock that is set back delays no notification beyond its pause', async (t) => {
  const { clock, sent, ledger, notifier } = opened(t, ['failed']);
  ledger.decide('M-1', [noticeOf('M-1')]);
  notifier.wake();
  await clock.advance(0);
  clock.jump(-10 * 86_400_000);
  notifier.wake();
  await clock.advance(retryMs[0] ?? 0);
  assert.equal(sent.length, 2);
});

test('a full queue gives the oldest up, and says so', (t) => {
  const { failures, ledger } = opened(t, []);
  for (let at = 0; at <= noticesMax; at++) ledger.decide(`M-${at}`, [noticeOf(`M-${at}`)]);
  assert.deepEqual([ledger.notices.length, ledger.notices[0]?.messageId, failures.length], [noticesMax, 'M-1', 1]);
});

test('a success is notified once it is known, a refund in both types, and nothing else is', async (t) => {
  const stage = await EcrStage.open(t);
  stage.calls.outcomes.push(declined);
  await stage.trade('n-1');
  assert.deepEqual([stage.queued, stage.woken], [[], 0]);
  const { data } = await stage.trade('n-1');
  assert.deepEqual([stage.queued, stage.woken], [['payment'], 1]);
  await stage.refund(data?.['syssn'] ?? '', '10.00');
  assert.deepEqual(stage.queued, ['payment', 'cancel', 'refund']);
  const bodies = stage.ledger.notices.map(({ body }) => JSON.parse(body) as Record<string, string>);
  assert.deepEqual(
    bodies.map(({ out_trade_no: own, orig_out_trade_no: of }) => of ?? own),
    ['n-1', 'n-1', 'n-1'],
  );
  assert.deepEqual(
    [bodies[0]?.['pay_type'], bodies[0]?.['txamt'], bodies[0]?.['txdtm'], bodies[0]?.['chnlsn']],
    ['802808', '3000', '2026-11-29 09:00:00', '000123456789'],
  );
  assert.deepEqual([bodies[1]?.['orig_syssn'], bodies[1]?.['txamt']], [data?.['syssn'], '1000']);
  // A till without a server hears nothing.
  await stage.trade('n-2', {}, { till: 1 });
  assert.equal(stage.queued.length, 3);
});

test('a trade that is sent again after its notification is notified again, not while that one waits', async (t) => {
  const stage = await EcrStage.open(t);
  await stage.trade('n-1');
  await stage.trade('n-1');
  assert.deepEqual(stage.queued, ['payment']);
  for (const notice of stage.ledger.notices) stage.ledger.replaceNotice(notice);
  await stage.trade('n-1');
  assert.deepEqual(stage.queued, ['payment']);
});

test('no notification comes before the outcome is committed and on the disk', async (t) => {
  const stage = await EcrStage.open(t);
  const { promise: paid, resolve: pay } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  stage.calls.outcomes.push(paid);
  const running = stage.trade('n-1');
  await stage.calls.askedTimes('payment', 1);
  assert.deepEqual([stage.queued, stage.woken], [[], 0]);
  const order: string[] = [];
  t.mock.method(stage.ledger, 'tryFlush', async () => {
    await stage.ledger.flush();
    order.push(`${stage.queued.length} saved, ${stage.woken} begun`);
  });
  pay({});
  await running;
  assert.equal(order[0], '1 saved, 0 begun');
  assert.equal(stage.woken, 1);
});

test('a restart before the notification was queued: the outcome is asked for, and then notified', async (t) => {
  const stage = await EcrStage.open(t);
  const { promise: paid, resolve: pay } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  stage.calls.outcomes.push(paid);
  void stage.trade('n-1');
  await stage.calls.askedTimes('payment', 1);
  // The payment ends in the journal, and nobody has heard of it: the process was killed.
  const [entry] = stage.calls.entries.values();
  assert.ok(entry);
  entry.answer = answerOf(200, { ...open });
  await stage.restart();
  await stage.clock.running(5_000);
  assert.deepEqual(stage.queued, []);
  const { promise: woken, resolve } = Promise.withResolvers<void>();
  t.mock.method(stage.ledger, 'decide', (messageId: string, notices: readonly QueuedNotice[]) => {
    assert.equal(messageId, entry.fields['messageId']);
    assert.equal(notices.length, 1);
    resolve();
  });
  entry.answer = answerOf(200, {
    responseResult: 'SUCCESS',
    terminalTransactionId: 'T1',
    posReference: 'n-1',
    transactionResult: { totalAmount: 30, currency: 'HKD', createTime: '2026-11-29T09:00:00+08:00' },
  });
  stage.clock.pass(5_000);
  await woken;
  pay({});
});

test('a repeat that decides while a restart still asks is notified once', async (t) => {
  const stage = await EcrStage.open(t);
  const identity = { posId: 'POS-1', messageId: 'M-9' };
  const paid = await stage.calls.calls.payment({ ...identity, transactionType: 'SALE' }, { address: 'here' });
  stage.ledger.add({ ...identity, call: 'trade', fingerprint: 'f', fields: {}, isAnswered: false, isDecided: false });
  await stage.ledger.flush();
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  stage.calls.overridden.enquiry = () => asked.then(() => paid);
  await stage.restart();
  await stage.calls.askedTimes('enquiry', 1);
  // The repeat was answered, and its notification accepted.
  stage.ledger.decide('M-9', []);
  stage.ledger.noteAnswer('M-9');
  answer();
  await settled();
  assert.deepEqual(stage.queued, []);
});

test('over a socket: accepted is 200 and SUCCESS, and nothing else', async (t) => {
  const server = await new NoticeServer(target.key).start();
  t.after(() => server.stop());
  const body = '{"status":"1"}';
  const post = (url = server.url) =>
    postNotice(
      { ...target, url },
      { body, signature: notificationSignature(body, target.key) },
      new AbortController().signal,
    );
  server.verdicts.push(
    { status: 200, body: 'SUCCESS' },
    { status: 200, body: 'SUCCESS\n' },
    { status: 200, body: 'success' },
    { status: 200, body: '' },
    { status: 500, body: 'SUCCESS' },
    { status: 302, body: 'SUCCESS' },
    { status: 200, body: `SUCCESS${' '.repeat(100_000)}x` },
  );
  const results: PostResult[] = [];
  for (let at = 0; at < 7; at++) results.push(await post());
  assert.deepEqual(results, ['accepted', 'accepted', 'failed', 'failed', 'failed', 'failed', 'failed']);
  assert.equal(server.notices.length, 7);
  await server.stop();
  assert.equal(await post(), 'unreached');
});

test('over TLS: a server is known by the authority of the configuration, and by no other', async (t) => {
  const [own, other] = [selfSign(['localhost', '127.0.0.1']), selfSign(['127.0.0.1'])];
  const heard: (string | undefined)[] = [];
  const server = createHttpsServer(own, (request, response) => {
    heard.push(request.headers['x-qf-sign'] as string | undefined);
    request.resume();
    response.end('SUCCESS');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  const url = `https://127.0.0.1:${address.port}/qfpay/notify?db=shop`;
  const notice = { body: '{}', signature: notificationSignature('{}', target.key) };
  const post = (ca?: string) =>
    postNotice({ url, key: target.key, ...(ca === undefined ? {} : { ca }) }, notice, AbortSignal.timeout(30_000));
  assert.deepEqual(
    [await post(own.cert), await post(other.cert), await post()],
    ['accepted', 'unreached', 'unreached'],
  );
  assert.deepEqual(heard, [notice.signature]);
});

test('over a socket: a server that hangs up or is silent at the stop has failed, and may have heard', async (t) => {
  const held: (() => void)[] = [];
  const { promise: heard, resolve: hear } = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    const isFirst = held.push(() => socket.destroy()) === 1;
    socket.on('error', () => undefined);
    socket.once('data', () => (isFirst ? socket.destroy() : hear()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const end of held) end();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  const url = `http://127.0.0.1:${address.port}/`;
  const notice = { body: '{}', signature: 'x' };
  assert.equal(await postNotice({ ...target, url }, notice, AbortSignal.timeout(30_000)), 'failed');
  const closing = new AbortController();
  const silent = postNotice({ ...target, url }, notice, closing.signal);
  await heard;
  closing.abort();
  assert.equal(await silent, 'failed');
});

test('a queue on the disk survives a restart', async (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-ecr-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const fail = (error: Error) => assert.fail(error);
  const ledger = new EcrLedger(dir, fail);
  await ledger.load();
  ledger.decide('M-1', [noticeOf('M-1', { failed: 2 })]);
  await ledger.flush();
  const again = new EcrLedger(dir, fail);
  await again.load();
  assert.deepEqual(again.notices, ledger.notices);
});
