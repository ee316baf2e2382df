import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test, type TestContext } from 'node:test';
import { resetTerminal } from '../../src/admin/factory-reset-command.ts';
import { placesOf } from '../../src/config/places.ts';
import { provision } from '../../src/admin/provision-command.ts';
import type { Json } from '../../src/config/json-file.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { readPassedKeys } from '../../src/config/keys.ts';
import { Poid } from '../cli/poid.ts';
import { provisioning } from './provisioning-input.ts';
import { approved, ShopJournal } from './shop-journal.ts';

/** More changes of a file than any of these commands makes. */
const changesMax = 100;
const diesAt = new URL('./dies-at.ts', import.meta.url).href;

let root: string;
const places = () => placesOf({ root }, '/var/lib/poid');
beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'poid-interrupted-'))));
afterEach(() => rmSync(root, { recursive: true }));

/** Kills the command before its n-th change of a file. False if it came to its end before. */
async function killAt(t: TestContext, change: number, parameters: readonly string[]): Promise<boolean> {
  const env = { NODE_OPTIONS: `--import=${diesAt}`, POID_TEST_DIES_AT: String(change) };
  const { signal, code, err } = await new Poid(t, [...parameters, '--root', root], { env }).ended;
  if (signal === null) assert.equal(code, 0, err);
  return signal !== null;
}

/** Kills it at its first change, then at the next one, and so on, until it comes to its end. Returns how often it was killed. */
async function killAtEach(prepare: () => Promise<unknown>, kill: (n: number) => Promise<boolean>, look: () => unknown) {
  for (let change = 1; change < changesMax; change++) {
    await prepare();
    const wasKilled = await kill(change);
    await look();
    if (!wasKilled) return change - 1;
  }
  return assert.fail(`it never came to its end within ${changesMax} changes`);
}

/** A name in the record for each of its lines. */
function recorded(): string[] {
  const lines = readFileSync(places().audit, 'utf8').trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { action: string }).action);
}

describe('a command of the line that is killed at any change of a file', () => {
  test('provision: the configuration is the old one or the new one, with its keys', async (t) => {
    const file = path.join(root, 'in.json');
    await provision(provisioning, file, { root }, undefined);
    let round = 0;
    const write = async () => writeFileSync(file, JSON.stringify({ ...provisioning, shop: { name: `${++round}` } }));
    const kills = await killAtEach(
      write,
      (change) => killAt(t, change, ['provision', file, '--force']),
      async () => {
        const keys = await readPassedKeys(path.dirname(places().plainKeys));
        const { shop } = await loadConfiguration([places().configuration], {}, { keys });
        assert.ok(/^\d+$|^Harbour/.test(shop.name), shop.name);
        assert.ok(new Set(recorded()).size === 1);
      },
    );
    assert.ok(kills >= 10, `killed ${kills} times only`);
    t.diagnostic(`killed ${kills} times`);
    const { shop } = JSON.parse(readFileSync(places().configuration, 'utf8')) as { shop: Json };
    assert.equal(shop['name'], String(round), 'the last one came to its end');
  });

  test('factory-reset: nothing is provisioned before it is finished, and then nothing is left', async (t) => {
    const kept = ['audit.jsonl', 'hostname', 'in.json', 'serial-number'];
    const prepare = async () => {
      rmSync(path.join(root, 'var'), { recursive: true, force: true });
      rmSync(path.join(root, 'etc'), { recursive: true, force: true });
      await provision(provisioning, 'in.json', { root, force: true }, undefined);
      writeFileSync(path.join(root, 'in.json'), JSON.stringify(provisioning));
      const shop = new ShopJournal(places().stateDir);
      shop.sell(approved);
      shop.settle(shop.closeBatch());
      shop.store.close();
      writeFileSync(path.join(places().stateDir, 'pairings.json'), '[]');
    };
    const kills = await killAtEach(
      prepare,
      (change) => killAt(t, change, ['factory-reset', '--yes', 'PT-000123']),
      async () => {
        if (existsSync(places().resetMark)) {
          await assert.rejects(provision(provisioning, 'in.json', { root, force: true }, undefined), /cut off/);
        }
        await resetTerminal(places(), 'PT-000123');
        const left = globSync('**/*', { cwd: root, withFileTypes: true }).filter((each) => each.isFile());
        assert.deepEqual(left.map(({ name }) => name).toSorted(), kept);
        assert.equal(recorded().at(-1), 'factory-reset');
      },
    );
    assert.ok(kills >= 10, `killed ${kills} times only`);
    t.diagnostic(`killed ${kills} times`);
  });
});
