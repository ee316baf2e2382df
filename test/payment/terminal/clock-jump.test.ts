import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { settled } from '../../support/manual-clock.ts';
import { begun, enquired } from './method-stage.ts';
import { about, ended, everything, Stage, waits } from './stage.ts';
import { staysIncomplete } from './scripted-octopus.ts';
import * as walletScripts from './scripted-wallet.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(() => stage.close());

const dayMs = 24 * 3_600_000;

/** Settles, however the machine's clock is set meanwhile, when so much time has passed. */
async function endsWithin(ms: number, answer: Promise<unknown>): Promise<void> {
  let isOver = false;
  void answer.then(() => {
    isOver = true;
  });
  for (let passed = 0; passed < ms; passed += 500) {
    if (passed === 500) stage.clock.jump(-dayMs);
    await stage.clock.advance(500);
  }
  assert.equal(isOver, true, 'it waits for the hour that the clock showed before');
}

test('a wallet that does not tell is left to the queue in time, though the clock is set back', async () => {
  stage.wallet.onPay = () => walletScripts.isSilent;
  stage.wallet.onEnquire = () => ({ kind: 'unknown' });
  const { answer } = await begun(stage, 'QR_SCAN');
  stage.scanner.read();
  await settled();
  await endsWithin(waits.walletResolveMs + 6_000, answer);
});

test('a code that can not be closed is left to the queue in time, though the clock is set back', async () => {
  stage.wallet.onClose = () => ({ closes: false, outcome: { kind: 'unanswered' } });
  stage.wallet.onEnquire = () => ({ kind: 'unknown' });
  const { answer } = await begun(stage, 'QR_PRESENT');
  const cancelled = stage.terminal.cancel('POS-1', 'M-1');
  await settled();
  await endsWithin(waits.walletResolveMs + 10_000, Promise.all([answer, cancelled]));
});

test('an Octopus card that does not come back is not waited for longer, though the clock is set back', async () => {
  stage.octopus.onDeduct = () => staysIncomplete;
  const { answer } = await begun(stage, 'OCTOPUS');
  stage.octopus.tap();
  await settled();
  await endsWithin(waits.octopusIncompleteMs + 2_000, answer);
  assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN');
});

test('a sale whose void came while the clock was set back is in no settlement', async () => {
  const first = ended(await stage.paid());
  stage.clock.jump(-dayMs);
  ended(await stage.terminal.pay(about('VOID', 'M-2', first)));
  const answer = await stage.terminal.settle({
    posId: 'POS-1',
    messageId: 'S-1',
    digest: 'S-1',
    acquirerId: stage.edc.id,
  });
  assert.ok(answer.kind === 'ended');
  assert.deepEqual(answer.settlement.results?.[0]?.totals, []);
});
