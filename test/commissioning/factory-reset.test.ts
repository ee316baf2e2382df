import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { resetTerminal } from '../../src/commissioning/factory-reset-command.ts';
import { placesOf } from '../../src/commissioning/places.ts';
import { provision } from '../../src/commissioning/provision-command.ts';
import { DirectoryLock } from '../../src/journal/directory-lock.ts';
import { poid } from '../cli/poid.ts';
import { provisioning } from './provisioning-input.ts';
import { approved, ShopJournal } from './shop-journal.ts';

const serialNumber = 'PT-000123';
const kept = ['/etc/hostname', '/var/lib/poid/audit.jsonl', '/var/lib/poid/serial-number'];

let root: string;
const places = () => placesOf({ root }, '/var/lib/poid');
beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'poid-reset-'))));
afterEach(() => rmSync(root, { recursive: true }));

function files(): string[] {
  const found = globSync('**/*', { cwd: root, withFileTypes: true }).filter((each) => each.isFile());
  return found.map((each) => `/${path.relative(root, path.join(each.parentPath, each.name))}`).toSorted();
}

/** A terminal that was provisioned twice, paired and has sold; its batch settled or not. */
async function terminal(isSettled: boolean): Promise<void> {
  await provision(provisioning, 'in.json', { root }, undefined, new Date(0));
  await provision(provisioning, 'in.json', { root, force: true }, undefined, new Date(0));
  mkdirSync(path.dirname(places().announcement), { recursive: true });
  writeFileSync(places().announcement, '');
  const own = [
    'pairings.json',
    'operator.json',
    'operator.jsonl',
    'operator.jsonl.1',
    'fleet.json',
    'tls.pem',
    'archive-2026-01.jsonl.gz',
  ];
  for (const name of [...own, 'somebody’s.txt']) {
    writeFileSync(path.join(places().stateDir, name), '');
  }
  const shop = new ShopJournal(places().stateDir);
  shop.sell(approved);
  if (isSettled) shop.settle(shop.closeBatch());
  shop.store.close();
}

test('removes the shop with every copy; serial number, audit record and what is not the terminal’s stay', async () => {
  await terminal(true);
  assert.equal(files().length, 18, files().join('\n'));
  const removed = await resetTerminal(places(), serialNumber);
  assert.equal(removed.length, 14);
  assert.deepEqual(files(), [...kept, '/var/lib/poid/somebody’s.txt']);
  assert.equal(readFileSync(places().serialNumber, 'utf8'), `${serialNumber}\n`);
  const [, , record] = readFileSync(places().audit, 'utf8').trimEnd().split('\n');
  assert.match(record ?? '', /"action":"factory-reset","serialNumber":"PT-000123","removed":\[.*journal\.db/);
  const { serialNumber: _own, ...without } = provisioning;
  assert.match(await provision(without, 'in.json', { root }, undefined), /PT-000123 is provisioned/);
});

test('not with unsettled money, and not beside a running terminal', async () => {
  await terminal(false);
  const before = files();
  await assert.rejects(resetTerminal(places(), serialNumber), /nothing was removed: .*\nEDC: 1 not settled/);
  const lock = await DirectoryLock.take(path.join(places().stateDir, 'journal.db'));
  await assert.rejects(resetTerminal(places(), serialNumber), /stop it first/);
  lock.release();
  assert.deepEqual(files(), before);
});

test('a reset that a power cut ended is finished, and nothing is provisioned before', async () => {
  await terminal(true);
  // As it is left when the journal is gone, and the file beside it is not.
  writeFileSync(places().resetMark, '');
  for (const file of [places().configuration, path.join(places().stateDir, 'journal.db')]) rmSync(file);
  const refused = provision(provisioning, 'in.json', { root }, undefined);
  await assert.rejects(refused, /a factory reset was cut off: poid factory-reset finishes it/);
  await resetTerminal(places(), serialNumber);
  assert.deepEqual(files(), [...kept, '/var/lib/poid/somebody’s.txt']);
});

test('a machine that was never provisioned has nothing to remove', async () => {
  assert.deepEqual(await resetTerminal(places(), serialNumber), []);
  mkdirSync(places().stateDir, { recursive: true });
  assert.deepEqual(await resetTerminal(places(), serialNumber), []);
});

test('poid factory-reset wants the serial number typed, and says what it removed', async (t) => {
  await terminal(true);
  for (const typed of ['', 'PT-000124']) {
    const { code, err } = await poid(t, 'factory-reset', '--root', root, '--yes', typed);
    assert.deepEqual([code, err], [1, 'poid: that is not PT-000123: nothing was removed\n']);
  }
  const { code, err } = await poid(t, 'factory-reset', '--root', root);
  assert.equal(code, 1);
  assert.match(err, /that is not PT-000123/);
  assert.ok(existsSync(places().configuration));
  const done = await poid(t, 'factory-reset', '--root', root, '--yes', serialNumber);
  assert.deepEqual([done.code, done.err], [0, '']);
  assert.match(done.out, /as from the factory; removed:\n.*poid\.json\n/);
});

test('poid factory-reset ends with 3 over unsettled money', async (t) => {
  await terminal(false);
  const { code, err } = await poid(t, 'factory-reset', '--root', root, '--yes', serialNumber);
  assert.equal(code, 3);
  assert.match(err, /^poid: nothing was removed: there is unsettled money\nEDC: 1 not settled/);
});

test('a machine without a serial number has a word of its own to type; an argument is a mistake', async (t) => {
  const refused = await poid(t, 'factory-reset', '--root', root, '--yes', 'PT-000123');
  assert.deepEqual([refused.code, refused.err], [1, 'poid: that is not NO-SERIAL-NUMBER: nothing was removed\n']);
  assert.equal((await poid(t, 'factory-reset', '--root', root, '--yes', 'NO-SERIAL-NUMBER')).code, 0);
  for (const verb of ['factory-reset', 'selftest']) {
    const { code, err } = await poid(t, verb, '--root', root, 'all');
    assert.equal(code, 2, err);
    assert.match(err, new RegExp(`${verb} takes no arguments`));
  }
});
