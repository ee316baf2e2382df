import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { ClockDoubt } from '../../../src/base/domain/clock-doubt.ts';
import { ended, sale, Stage } from './stage.ts';

let stage: Stage;
let doubt: ClockDoubt | undefined;
let refuses: boolean;
beforeEach(() => {
  doubt = undefined;
  refuses = false;
  stage = new Stage(undefined, {
    clockDoubt: {
      now: () => doubt,
      get refuses() {
        return refuses;
      },
    },
  });
});
afterEach(() => stage.close());

test('a sale under a clock in doubt says so in its record, also after a restart; one under a good clock does not', async () => {
  doubt = 'unsynchronised';
  const first = ended(await stage.paid());
  doubt = 'beforeBuild';
  ended(await stage.paid(sale('M-2')));
  doubt = undefined;
  ended(await stage.paid(sale('M-3')));
  await stage.restart();
  const doubts = [];
  for (const messageId of ['M-1', 'M-2', 'M-3']) {
    const answer = await stage.terminal.enquire('POS-1', messageId);
    assert.ok(answer.kind === 'ended');
    doubts.push(answer.record.request.clockDoubt);
  }
  assert.deepEqual(doubts, ['unsynchronised', 'beforeBuild', undefined]);
  assert.equal(first.request.clockDoubt, 'unsynchronised');
});

test('where it is configured so, nothing is paid meanwhile and nothing is written; a repeat has its answer', async () => {
  ended(await stage.paid());
  refuses = true;
  doubt = 'unsynchronised';
  const refused = { reason: 'clockNotSynchronised', message: 'the clock is not synchronised' } as const;
  assert.deepEqual(await stage.terminal.pay(sale('M-2')), { kind: 'notReady', ...refused });
  assert.deepEqual(stage.terminal.notReady, refused);
  doubt = 'beforeBuild';
  const wrong = await stage.terminal.pay(sale('M-2'));
  assert.deepEqual(wrong, { kind: 'notReady', reason: 'clockWrong', message: 'the clock is wrong' });
  assert.equal((await stage.terminal.enquire('POS-1', 'M-2')).kind, 'notFound');
  ended(await stage.terminal.pay(sale('M-1')));
  doubt = undefined;
  ended(await stage.paid(sale('M-2')));
});
