import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Conclusion } from '../../../src/payment/events/conclusion.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { transactionRecord } from '../../../src/payment/records/record.ts';
import { settled } from '../../support/manual-clock.ts';
import { approves, declines, isDown, isSilent, postsAndIsSilent, type HostScript } from './scripted-host.ts';
import { sale, Stage } from './stage.ts';
import type { JournalFault } from './store-journal.ts';

const scripts: Readonly<Record<string, HostScript>> = {
  approves,
  'declines 51': declines('51'),
  'is silent and has posted': postsAndIsSilent,
  'is silent and has not posted': isSilent,
  'is down': isDown,
};

/**
 * How long the journal fails once it does, in calls, and how it comes back: with the same process, in whose background
 * the recovery runs, or with a new one.
 */
const failures = [
  { length: 1, comeback: 'the disk is back' },
  { length: 2, comeback: 'the disk is back' },
  { length: 3, comeback: 'the process is started again' },
  { length: Number.POSITIVE_INFINITY, comeback: 'the disk is back' },
  { length: Number.POSITIVE_INFINITY, comeback: 'the process is started again' },
] as const;

for (const [name, script] of Object.entries(scripts)) {
  test(`host ${name}: whichever call of the journal fails, the books agree with the journal in the end`, async () => {
    const calls = await callsOfAWholePayment(script);
    assert.ok(calls > 5, `a payment takes ${calls} calls`);
    for (let first = 1; first <= calls + 1; first++) {
      for (const failure of failures) await payWithFailure(script, { first, ...failure });
    }
  });
}

async function callsOfAWholePayment(script: HostScript): Promise<number> {
  const stage = new Stage();
  stage.edc.onRequest = () => script;
  await stage.paid();
  const { calls } = stage.journal;
  stage.close();
  return calls;
}

interface Failure {
  readonly first: number;
  readonly length: number;
  readonly comeback: (typeof failures)[number]['comeback'];
}

async function payWithFailure(script: HostScript, { first, length, comeback }: Failure): Promise<void> {
  const at = `journal fails at call ${first}, ${length} times, then ${comeback}`;
  const stage = new Stage();
  const failing: JournalFault = (call) => call >= first && call < first + length;
  stage.journal.fault = failing;
  stage.edc.onRequest = ({ trace }) => {
    const [{ id } = assert.fail(`${at}: nothing is accepted`)] = allRecords(stage);
    const intents = stage.journal.store.read(id).filter(({ event }) => event.kind === 'intent');
    assert.equal(intents.length, 1, `${at}: the host is asked without an intent`);
    assert.ok(trace.stan > 0);
    return script;
  };

  const answer = await stage.paid().catch((error: unknown) => error as Error);
  if (isSuccess(answer)) {
    assert.equal(durableConclusion(stage)?.result, 'SUCCESS', `${at}: SUCCESS was told and is not written`);
  }
  assertApprovedIsShownAfterItsCommit(stage, at);

  if (comeback === 'the process is started again') await stage.restart();
  else stage.journal.fault = () => false;
  await stage.clock.advance(10 * 60_000);
  await settled();

  const conclusion = durableConclusion(stage);
  const approved = conclusion?.result === 'SUCCESS';
  assert.equal(stage.edc.posted, approved ? 1 : 0, `${at}: written ${conclusion?.result}, told ${described(answer)}`);
  if (isSuccess(answer)) assert.ok(approved, `${at}: SUCCESS was told and taken back`);
  if (!(answer instanceof Error) && answer.kind === 'ended' && answer.record.conclusion) {
    assert.equal(approved, answer.record.conclusion.result === 'SUCCESS', `${at}: told ${described(answer)}`);
  }
  assert.deepEqual(stage.journal.store.unfinished(), [], `${at}: left unfinished`);
  assert.deepEqual(stage.journal.store.pending(), [], `${at}: left unreversed`);
  assertReversedAtMostOnce(stage, at);

  // And life goes on.
  stage.edc.onRequest = () => approves;
  const next = await stage.paid(sale('M-2'));
  assert.ok(isSuccess(next), `${at}: the next payment is ${described(next)}`);
  assert.equal(stage.edc.posted, approved ? 2 : 1, at);
  stage.close();
}

function allRecords(stage: Stage) {
  const { store } = stage.journal;
  const id = store.find('POS-1', 'M-1');
  return id === undefined ? [] : [transactionRecord(id, store.read(id))];
}

function durableConclusion(stage: Stage): Conclusion | undefined {
  return allRecords(stage)[0]?.conclusion;
}

function assertReversedAtMostOnce(stage: Stage, at: string): void {
  const { store } = stage.journal;
  const id = store.find('POS-1', 'M-1');
  const kinds = id === undefined ? [] : store.read(id).map(({ event }) => event.kind);
  for (const kind of ['intent', 'answered', 'reversalQueued', 'ended'] as const) {
    assert.ok(kinds.filter((each) => each === kind).length <= 1, `${at}: ${kinds.join(' ')}`);
  }
}

function assertApprovedIsShownAfterItsCommit({ trace }: Stage, at: string): void {
  const shown = trace.at('screen: approved');
  if (shown === -1) return;
  const written = trace.at('commit: answered+ended');
  assert.ok(written !== -1 && written < shown, `${at}: approved is shown before it is written`);
}

function isSuccess(answer: PayAnswer | Error): boolean {
  return !(answer instanceof Error) && answer.kind === 'ended' && answer.record.conclusion?.result === 'SUCCESS';
}

function described(answer: PayAnswer | Error): string {
  if (answer instanceof Error) return `${answer.name} ${answer.message}`;
  return answer.kind === 'ended' ? (answer.record.conclusion?.result ?? 'no conclusion') : answer.kind;
}
