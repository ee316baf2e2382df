import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { edits } from './planted/bug.ts';
import { bugs } from './planted/bugs.ts';
import { planted } from './planted/planting.ts';
import { played } from './schedule.ts';
import { drawnFeatures } from './secured.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const seeds = 60;

test('the same seed gives the same run byte for byte, and another seed another run', async () => {
  const [once, again, other] = [await played(17), await played(17), await played(18)];
  assert.deepEqual(again.trace, once.trace);
  assert.equal(again.hash, once.hash);
  assert.notEqual(other.hash, once.hash);
});

test('a schedule with a till in the cloud is the same each time too, and its till pays', async () => {
  const [once, again] = [await played(28), await played(28)];
  assert.equal(again.hash, once.hash);
  assert.deepEqual(once.faults, []);
  assert.ok((once.counts.get('cloud payment begins') ?? 0) > 1);
});

test('hosts change their keys and lose sites with books of their own, and nothing is wrong', async () => {
  const { faults, counts } = await played(80001389);
  assert.deepEqual(faults, []);
  for (const name of [
    'answer under another key is refused',
    'keys changed between request and answer',
    'keys changed between answer and reversal',
    'payment at another site, with separate books',
    'site away for a moment after a request',
  ]) {
    assert.ok((counts.get(name) ?? 0) > 0, `${name} never happened`);
  }
});

test('every combination of merchants, partial approvals, sites and codes is drawn', () => {
  const drawn = new Set<string>();
  for (let seed = 1; seed <= 20_000; seed++) {
    const { keys, sites, hasMerchants, hasParts } = drawnFeatures(seed);
    drawn.add(`${keys} ${sites} ${hasMerchants} ${hasParts}`);
  }
  for (const sites of ['one', 'shared books', 'own books']) {
    for (const others of ['true true', 'true false', 'false true', 'false false'])
      assert.ok(drawn.has(`working ${sites} ${others}`), `working ${sites} ${others}`);
  }
});

test('the text of every planted bug still stands exactly once in the source', () => {
  for (const bug of bugs) {
    for (const { file, from } of edits(bug)) {
      assert.equal(readFileSync(path.join(root, file), 'utf8').split(from).length, 2, `${bug.name}: ${file}`);
    }
  }
});

test('a planted bug is caught', async () => {
  const bug = bugs.find(({ name }) => name === 'the reversal is forgotten after a restart');
  assert.ok(bug);
  const { seeds: took, fault = '' } = await planted(bug, seeds, 1);
  assert.ok(took !== undefined, `not within ${seeds} seeds`);
  assert.match(fault, /^I5: /);
});
