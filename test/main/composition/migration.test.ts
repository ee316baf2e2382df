import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMigration } from '../../../src/main/composition/migration.ts';
import { OpenParts } from '../../../src/main/composition/open-parts.ts';
import type { JournalSchema } from '../../../src/payment/contracts/journal.ts';
import type { Terminal } from '../../../src/payment/terminal/terminal.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** A daemon whose journal has this schema, and who runs and is judged as the test says. */
function openStage(schema: JournalSchema) {
  const clock = new ManualClock();
  const opened = new OpenParts();
  const state = { onTrial: true, restarts: 0, running: undefined as Terminal['running'], looks: 0 };
  const terminal = {
    get running() {
      return state.running;
    },
  };
  openMigration(
    {
      journal: { schema },
      terminal,
      clock,
      log: { info: () => undefined },
      restart: () => (state.restarts += 1),
      isOnTrial: async () => {
        state.looks += 1;
        return state.onTrial;
      },
    },
    opened,
  );
  return { state, opened, pass: () => clock.advance(10_000) };
}

const waiting = { version: 19, migration: 'onTrial' } as const;

test('the process ends once the version is accepted and nothing runs, and not before', async () => {
  const { state, pass } = openStage(waiting);
  await pass();
  assert.ok(state.looks > 1);
  assert.equal(state.restarts, 0, 'on trial');
  state.onTrial = false;
  state.running = { posId: 'POS-1', messageId: 'M-1', state: 'collecting' } as unknown as Terminal['running'];
  await pass();
  assert.equal(state.restarts, 0, 'a customer pays');
  state.running = undefined;
  await pass();
  await pass();
  assert.equal(state.restarts, 1);
});

test('it does not end where nothing waits, where the migration has failed, or after its own stop', async () => {
  for (const schema of [{ version: 20 }, { version: 19, migration: 'failed', fault: 'full' }] as const) {
    const { state, pass } = openStage(schema);
    state.onTrial = false;
    await pass();
    assert.deepEqual([state.restarts, state.looks], [0, 0]);
  }
  const { state, opened, pass } = openStage(waiting);
  state.onTrial = false;
  await opened.close(() => assert.fail());
  await pass();
  assert.equal(state.restarts, 0);
});
