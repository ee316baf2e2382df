import assert from 'node:assert/strict';
import type { PaymentRequest } from '../../../src/payment/terminal/request.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import { transactionRecord } from '../../../src/payment/records/record.ts';
import { whole } from '../../base/domain/random.ts';
import { settled } from '../../support/manual-clock.ts';
import { journalFaults } from './method-rules.ts';
import { MethodWalk } from './method-walk.ts';
import { ended, everything, sale, Stage } from './stage.ts';

const payments = 4;

const starts: readonly Partial<PaymentRequest>[] = [
  {},
  {},
  {},
  { preferredEntryMode: 'CARD' },
  { preferredEntryMode: 'QR_SCAN' },
  { preferredEntryMode: 'QR_PRESENT' },
  { preferredEntryMode: 'CASH' },
  { preferredInstrument: 'OCTOPUS' },
  { preferredInstrument: 'EPS' },
];

/**
 * Sales that every method can pay: the merchant changes the method, and every other event comes at the worst moment.
 */
export async function changed(seed: number): Promise<void> {
  const stage = new Stage(undefined, everything);
  const chance = whole(seed * 7_919);
  // The first numbers of neighbouring seeds are similar, so some are skipped.
  for (let each = 0; each < 5; each++) chance(1);
  const walk = new MethodWalk(stage, chance);
  try {
    for (let payment = 1; payment <= payments; payment++) await paid(stage, walk, `M-${payment}`, chance);
  } catch (error) {
    const events = stage.trace.events.slice(walk.from);
    throw new Error(`METHOD_SEED=${seed}: ${(error as Error).message}\n${events.join('\n')}`, { cause: error });
  } finally {
    stage.close();
  }
}

async function paid(
  stage: Stage,
  walk: MethodWalk,
  messageId: string,
  chance: (limit: number) => number,
): Promise<void> {
  const { rules } = walk;
  walk.begins(messageId);
  const run = { isOver: false };
  const answer = stage.terminal.pay(sale(messageId, starts[chance(starts.length)])).finally(() => (run.isOver = true));
  answer.catch(() => undefined);
  const steps = 5 + chance(60);
  for (let step = 0; step < steps && !run.isOver; step++) {
    await walk.step();
    assert.deepEqual(rules.faults, []);
  }
  const isCancelled = chance(2) === 0;
  for (let round = 0; !run.isOver; round++) {
    assert.ok(round < 60, 'it never ends');
    await walk.hurry();
    if (isCancelled) walk.cancel();
    await settled();
    await stage.clock.advance(5_000);
    assert.deepEqual(rules.faults, []);
  }
  const outcome = await answer;
  // If the journal failed at the very end, nothing was answered.
  const record = outcome.kind === 'journalFailed' ? undefined : ended(outcome);
  const reported = record?.conclusion?.result;
  await Promise.allSettled(walk.cancels);
  await walk.hurry();
  rules.ended();
  assert.ok(walk.isForgotten, 'a track or a PIN can still be read');
  walk.honest();
  await stage.forwarder.resume();
  await stage.clock.advance(180_000);
  assert.deepEqual(rules.faults, []);

  assert.deepEqual(await stage.journal.pending(), [], 'the queue is empty');
  const id = stage.journal.store.find('POS-1', messageId) ?? assert.fail('it is not in the journal');
  const events = stage.journal.store.read(id);
  assert.deepEqual(journalFaults(events.map(({ event }) => event)), []);
  const result = transactionRecord(id, events).conclusion?.result;
  // UNKNOWN may change once the outcome is found; any other answer stands.
  if (record && financialImpact(record) !== 'UNKNOWN') assert.equal(result, reported, 'what was told stands');
  assert.deepEqual(stage.wallet.waiting, [], 'nobody can pay any more');
  assert.equal(rules.posted, result === 'SUCCESS' ? 1 : 0, `posted, told ${reported}`);
  const defects = stage.failures.filter((error) => !['DeviceError', 'JournalError'].includes((error as Error).name));
  assert.deepEqual(defects, []);
}
