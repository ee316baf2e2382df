import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { ClockDoubt } from '../../../src/base/domain/clock-doubt.ts';
import { ended, sale, Stage } from './stage.ts';

let stage: Stage;
let doubt: ClockDoubt | undefined;
beforeEach(() => {
  doubt = undefined;
  stage = new Stage(undefined, { clockDoubt: { now: () => doubt, refuses: false } });
});
afterEach(() => stage.close());

const within = (ms: number) => ({ expiresAt: new Date(stage.clock.now().getTime() + ms) });
/** What is told now of a request that ended so many seconds ago: a till learns the terminal's time from it. */
function late(seconds: number) {
  const nowS = Math.floor(stage.clock.now().getTime() / 1_000);
  const message = `the request's time was over ${seconds} s before: the terminal's clock is at ${nowS}; nothing was started`;
  return { kind: 'notReady', reason: 'requestExpired', message } as const;
}

test('a request after its time begins nothing, and is not known afterwards; one in time is paid', async () => {
  assert.deepEqual(await stage.terminal.pay(sale('M-1', within(0))), late(0));
  assert.deepEqual(await stage.terminal.pay(sale('M-1', within(-89_001))), late(90));
  assert.equal((await stage.terminal.enquire('POS-1', 'M-1')).kind, 'notFound');
  assert.equal(stage.trace.count('reader: armed'), 0);
  ended(await stage.paid(sale('M-1', within(1))));
});

test('a late repeat gets the answer of the payment, and joins it while it runs', async () => {
  const first = await stage.paid(sale('M-1', within(1_000)));
  assert.deepEqual(await stage.terminal.pay(sale('M-1', within(-1_000))), first);
  const running = stage.terminal.pay(sale('M-2', within(1_000)));
  await stage.trace.seen('reader: armed', 2);
  const joined = stage.terminal.pay(sale('M-2', within(-1_000)));
  stage.reader.present();
  assert.deepEqual(await joined, await running);
});

test('time that passes while something else is done first counts: right before it opens, a payment is in time or not', async () => {
  const request = sale('M-1', within(1_000));
  const { promise, resolve } = Promise.withResolvers<void>();
  const undisturbed = stage.terminal.runUndisturbed(() => promise);
  const paying = stage.terminal.pay(request);
  await stage.clock.advance(1_000);
  resolve();
  await undisturbed;
  assert.deepEqual(await paying, late(0));
  assert.equal((await stage.terminal.enquire('POS-1', 'M-1')).kind, 'notFound');
});

test('a clock in doubt can’t tell what is late: what expires begins nothing, what does not is paid as ever', async () => {
  doubt = 'unsynchronised';
  const refused = { kind: 'notReady', reason: 'clockNotSynchronised', message: 'the clock is not synchronised' };
  assert.deepEqual(await stage.terminal.pay(sale('M-1', within(60_000))), refused);
  ended(await stage.paid(sale('M-1')));
});
