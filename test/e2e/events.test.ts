import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { byCash, byEps, byOctopus, byScannedCode, byShownCode, choose, epsPin, type Way } from './customer.ts';
import { ServerEvents } from './server-events.ts';
import { type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open({ acquirer: { replyTimeoutMs: 700 }, configuration: { printer: undefined } });
});
after(() => stage.close());
afterEach(async () => {
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', {});
});

/** What a POS hears of the terminal. */
class Watch {
  readonly #events: ServerEvents;
  lastId = '';

  private constructor(events: ServerEvents) {
    this.#events = events;
  }

  static async open(query = '', lastId?: string): Promise<Watch> {
    const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
    return new Watch(await ServerEvents.open(`${stage.apiUrl}/sp/v1/events${query}`, headers));
  }

  async next(): Promise<Json> {
    const { id, event, data } = (await this.#events.next()) ?? assert.fail('the stream ended');
    if (id !== undefined) this.lastId = id;
    return { event, ...JSON.parse(data) };
  }

  /** Everything up to the terminal being idle again, each as its state and step. */
  async untilIdle(request: Json): Promise<string[]> {
    const steps: string[] = [];
    for (;;) {
      const { state, step = '', posId, messageId, terminalTransactionId, at, ...rest } = await this.next();
      assert.match(at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      if (state === 'idle') return steps;
      assert.deepEqual([posId, messageId], [request.posId, request.messageId]);
      assert.match(terminalTransactionId, /^[0-9A-Z]{26}$/);
      assert.deepEqual(
        Object.keys(rest).filter((name) => name !== 'event' && name !== 'hint'),
        [],
      );
      steps.push(step === '' ? state : `${state} ${step}`);
    }
  }

  close(): void {
    this.#events.close();
  }
}

/** At most once each, in this order; a step may be over before anybody could be told. */
function assertInOrder(steps: readonly string[], wanted: readonly string[]): void {
  const reported = steps.filter((step, index) => step !== steps[index - 1]);
  assert.deepEqual(
    reported.filter((step) => wanted.includes(step)),
    wanted,
    reported.join(', '),
  );
}

const ways: readonly (readonly [Way, readonly string[]])[] = [
  [byScannedCode('ALIPAY'), ['collecting scanningCode', 'authorizing atHost', 'approved']],
  [byShownCode('WECHAT'), ['collecting presentingCode', 'approved']],
  [byOctopus(), ['collecting tappingOctopus', 'authorizing atHost', 'approved']],
  [
    byEps(),
    [
      'collecting presentingCard',
      'collecting choosingAccount',
      'collecting enteringPin',
      'authorizing atHost',
      'approved',
    ],
  ],
  [byCash(), ['collecting tenderingCash', 'authorizing atHost', 'approved']],
];

for (const [way, steps] of ways) {
  test(`${way.name}: the events have every step with its messageId`, async () => {
    const watch = await Watch.open();
    await watch.next();
    const { request, answer } = stage.begun(way.request);
    await way.present(stage);
    assert.equal((await answer).body.responseResult, 'SUCCESS');
    assertInOrder(await watch.untilIdle(request), steps);
    watch.close();
  });
}

test('events of a chip, a change of method, a wrong PIN and a reversal', async () => {
  const watch = await Watch.open();
  await watch.next();
  const chip = stage.begun();
  await choose(stage, 'CASH');
  await choose(stage, 'CARD');
  await stage.insert('visa');
  await chip.answer;
  const steps = ['collecting choosingMethod', 'collecting tenderingCash', 'collecting presentingCard'];
  assertInOrder(await watch.untilIdle(chip.request), [
    ...steps,
    'authorizing atHost',
    'authorizing completingCard',
    'approved',
  ]);

  const eps = stage.begun(byEps().request);
  await byEps('SAVINGS', '0000').present(stage);
  await stage.view(({ hint }) => hint === 'wrongPin');
  await stage.host('EPS', { mode: 'silent' });
  await stage.enterPin(epsPin);
  await eps.answer;
  const reported = await watch.untilIdle(eps.request);
  assert.equal(reported.filter((step) => step === 'collecting enteringPin').length, 2, reported.join(', '));
  assertInOrder(reported, [
    'collecting presentingCard',
    'collecting choosingAccount',
    'authorizing reversing',
    'error',
  ]);
  watch.close();
});

test('a filtered stream has only the events of one POS', async () => {
  const [mine, all] = [await Watch.open('?posId=POS-7'), await Watch.open()];
  for (const watch of [mine, all]) await watch.next();
  await stage.paid(byCash());
  const { request, answer } = stage.begun({ ...byCash().request, posId: 'POS-7' });
  await byCash().present(stage);
  await answer;
  // The other's payment is none of its business, but that the terminal is free again is.
  assert.deepEqual(await mine.untilIdle(request), []);
  assertInOrder(await mine.untilIdle(request), ['collecting tenderingCash', 'approved']);
  for (const watch of [mine, all]) watch.close();
});

test('a client that reconnects with the last id misses nothing', async () => {
  const watch = await Watch.open();
  await watch.next();
  watch.close();
  const { request, answer } = stage.begun(byCash().request);
  await byCash().present(stage);
  await answer;
  const back = await Watch.open('', watch.lastId);
  assertInOrder(await back.untilIdle(request), ['collecting tenderingCash', 'approved']);
  back.close();
  // In the middle of one, and by the query of a browser that can't send the header.
  const second = stage.begun(byCash().request);
  await stage.view(({ scene }) => scene === 'tenderCash');
  const middle = await Watch.open(`?lastEventId=${back.lastId}`);
  assert.equal((await middle.next()).messageId, second.request.messageId);
  await byCash().present(stage);
  assertInOrder(await middle.untilIdle(second.request), ['approved']);
  middle.close();
});

test('after a restart an old id gets a reset and the present state', async () => {
  const watch = await Watch.open();
  await watch.next();
  await stage.stopDaemon('SIGKILL');
  await assert.rejects(watch.next());
  await stage.startDaemon();
  const back = await Watch.open('', watch.lastId);
  assert.deepEqual(await back.next(), { event: 'reset', reason: 'restarted' });
  assert.equal((await back.next()).state, 'idle');
  const { request, answer } = stage.begun(byCash().request);
  await byCash().present(stage);
  await answer;
  assertInOrder(await back.untilIdle(request), ['collecting tenderingCash', 'approved']);
  back.close();
});

test('a settlement is told too', async () => {
  const watch = await Watch.open();
  await watch.next();
  const { body } = await stage.settle({ acquirer: 'CASH' });
  assert.equal(body.responseResult, 'SUCCESS');
  const settling = await watch.next();
  assert.deepEqual([settling.state, settling.messageId], ['settling', body.messageId]);
  assert.equal((await watch.next()).state, 'idle');
  watch.close();
});

test('an orderly stop: the running payment is reported to its end', async () => {
  const watch = await Watch.open();
  await watch.next();
  const { request, answer } = stage.begun(byCash().request);
  await stage.view(({ scene }) => scene === 'tenderCash');
  await stage.stopDaemon('SIGTERM');
  assert.equal((await answer).body.responseResult, 'TRANSACTION_ALREADY_CANCEL');
  assertInOrder(await watch.untilIdle(request), ['collecting tenderingCash', 'error']);
  await stage.startDaemon();
});
