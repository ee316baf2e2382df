import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openJournal } from '../../src/journal/open-journal.ts';
import { Chance } from '../e2e/chance.ts';
import { eventually } from '../e2e/stage.ts';
import { numbered } from './events.ts';
import { dayMs, ErasingStage } from './erasing-stage.ts';

const program = fileURLToPath(new URL('./eraser-process.ts', import.meta.url));
const seed = Number(process.env['POID_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Each start may get so far before it is killed. */
const stepsMost = 6;

test(`killed again and again while it removes card numbers, the journal has every event, and none in the end (seed ${seed})`, async (t) => {
  const chance = new Chance(seed);
  // Written by the version before: its archive and its free space have card numbers, too.
  const stage = ErasingStage.open(t, true);
  const all = Array.from({ length: 400 }, (_, index) => index + 1);
  for (const ordinal of all.slice(0, 200)) stage.sell(ordinal);
  stage.settle();
  stage.now += 1;
  stage.archive();
  for (const ordinal of all.slice(200, 399)) stage.sell(ordinal);
  stage.settle();
  stage.sell(400);
  stage.now += dayMs + 1;
  let kills = 0;
  for (let isThrough = false; !isThrough; ) {
    stage.store.close();
    const last = 1 + chance.below(stepsMost);
    const child = fork(program, [path.join(stage.dir, 'journal.db'), String(stage.now)], { execArgv: [] });
    child.on('message', (steps) => steps === last && child.kill('SIGKILL'));
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    assert.ok(code === 0 || signal === 'SIGKILL', `seed ${seed}: ended with ${code ?? signal}`);
    isThrough = code === 0;
    kills += isThrough ? 0 : 1;
    stage.reopen();
    for (const ordinal of all) assert.equal(stage.store.read(numbered(ordinal)).length, 3, `seed ${seed}: ${ordinal}`);
    stage.store.archivesPresent();
    const check = stage.store.check();
    while (!check.slice());
    assert.equal(check.unreadable, 0);
  }
  assert.ok(kills >= 3, `seed ${seed}: ${kills} kills`);
  assert.deepEqual(stage.found(all), [400]);
});

test('the journal itself removes them while nobody asks for anything', async (t) => {
  const stage = ErasingStage.open(t);
  stage.sell(1);
  stage.settle();
  stage.sell(2);
  stage.store.close();
  const journal = await openJournal(path.join(stage.dir, 'journal.db'));
  try {
    await eventually(
      async () => stage.found([1, 2]),
      (found) => found.length === 1,
    );
    assert.deepEqual(stage.found([1, 2]), [2]);
    assert.equal((await journal.read(numbered(1))).length, 3);
  } finally {
    await journal.close();
    stage.reopen();
  }
});
