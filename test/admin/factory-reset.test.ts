import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { UnsettledError } from '../../src/admin/commissioning-error.ts';
import { resetTerminal } from '../../src/admin/factory-reset-command.ts';
import { placesOf, presentPlaces } from '../../src/config/places.ts';
import { provision } from '../../src/admin/provision-command.ts';
import { DirectoryLock } from '../../src/journal/directory-lock.ts';
import { JournalError } from '../../src/payment/contracts/journal.ts';
import { poid } from '../cli/poid.ts';
import { provisioning } from './provisioning-input.ts';
import { approved, ShopJournal } from './shop-journal.ts';

const serialNumber = 'PT-000123';
const kept = ['/etc/hostname', '/etc/poid/serial-number', '/var/lib/poid-admin/audit.jsonl'];

let root: string;
const places = () => placesOf({ root }, '/var/lib/poid');
beforeEach(() => {
  // Every user may enter this directory, unlike that of a test's run: the owner of the state removes files there.
  root = mkdtempSync('/tmp/poid-reset-');
  chmodSync(root, 0o755);
});
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
    'fleet-keys.json',
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

test('removes the shop with every copy; serial number and audit record stay', async () => {
  await terminal(true);
  writeFileSync(path.join(places().stateDir, 'fleet-keys.dropped'), '');
  assert.equal(files().length, 20, files().join('\n'));
  const { removed, left } = await resetTerminal(places(), serialNumber);
  assert.deepEqual(files(), [...kept, '/var/lib/poid/fleet-keys.dropped'].toSorted());
  assert.equal(readFileSync(places().serialNumber, 'utf8'), `${serialNumber}\n`);
  const [, , record] = readFileSync(places().audit, 'utf8').trimEnd().split('\n');
  assert.equal(removed.length, 16);
  assert.deepEqual(left, []);
  assert.match(record ?? '', /"action":"factory-reset","serialNumber":"PT-000123","removed":\[.*journal\.db/);
  const { serialNumber: _own, ...without } = provisioning;
  assert.match(await provision(without, 'in.json', { root }, undefined), /PT-000123 is provisioned/);
});

describe('a reset that was cut off', () => {
  test('before the configuration retired: the terminal may have sold since, so the journal is asked again', async () => {
    await terminal(false);
    mkdirSync(path.dirname(places().resetMark), { recursive: true });
    writeFileSync(places().resetMark, '');
    const before = files();
    await assert.rejects(resetTerminal(places(), serialNumber), UnsettledError);
    assert.deepEqual(files(), before);
  });

  test('after that: it is finished, but not beside a running terminal', async () => {
    await terminal(true);
    mkdirSync(path.dirname(places().resetMark), { recursive: true });
    writeFileSync(places().resetMark, '');
    renameSync(places().configuration, `${places().configuration}.removed`);
    const lock = await DirectoryLock.take(path.join(places().stateDir, 'journal.db'));
    await assert.rejects(resetTerminal(places(), serialNumber), JournalError);
    lock.release();
    await resetTerminal(places(), serialNumber);
    assert.deepEqual(files(), kept);
  });
});

test('what can’t be removed keeps nothing else, in no other directory either, and the next reset finishes it', async () => {
  await terminal(true);
  const stuck = path.join(places().stateDir, '0');
  mkdirSync(stuck);
  const { PATH = '' } = process.env;
  const flock = PATH.split(':').map((each) => path.join(each, 'flock'));
  const programs = mkdtempSync('/tmp/poid-programs-');
  chmodSync(programs, 0o755);
  symlinkSync(flock.find((each) => existsSync(each)) ?? assert.fail('no flock'), path.join(programs, 'flock'));
  try {
    // No rm(1): the directory stays.
    process.env['PATH'] = programs;
    await assert.rejects(resetTerminal(places(), serialNumber), { syscall: 'rm' });
  } finally {
    process.env['PATH'] = PATH;
    rmSync(programs, { recursive: true });
  }
  assert.deepEqual(
    files().filter((file) => !kept.includes(file)),
    ['/var/lib/poid-admin/factory-reset.begun'],
  );
  await resetTerminal(places(), serialNumber);
  assert.deepEqual(files(), kept);
  assert.equal(existsSync(stuck), false);
});

test('a directory that its owner has closed goes too', { skip: process.getuid?.() !== 0 }, async () => {
  await terminal(true);
  const { stateDir } = places();
  const closed = path.join(stateDir, '0');
  mkdirSync(closed);
  writeFileSync(path.join(closed, 'x'), '');
  execFileSync('chown', ['-R', 'nobody', stateDir]);
  chmodSync(closed, 0);
  await resetTerminal(places(), serialNumber);
  assert.deepEqual(files(), kept);
});

const { serialNumber: _serialNumber, acquirers, ...settings } = provisioning;
const configurationWith = (fields: object) =>
  JSON.stringify({ ...settings, acquirers: (acquirers as object[]).slice(0, 1), ...fields });

function put(...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), 'Harbour Tea House');
  }
}

test('what a technician has installed goes, wherever it is; what the machine brings along stays', async () => {
  await terminal(true);
  const outside = ['/srv/shop/logo.png', '/home/shop/broker.key', '/root/ca.pem', '/srv/shop/bank.json'];
  const machines = ['/usr/share/poid/logo.png', '/etc/ssl/certs/ca-certificates.crt', '/srv/shop/other.png'];
  put(...outside, ...machines, '/etc/poid/T-1.pem', '/etc/poid/T-1.key', '/etc/poid/keys/more.pem');
  put('/etc/poid/maintenance-window', '/var/lib/poid-update/action.json', '/var/lib/poid-update/bundle.raucb.part');
  put('/etc/credstore/poid.plain-update-token', '/etc/credstore.encrypted/poid.update-token', '/etc/credstore/other');
  put('/var/lib/poid/drawer.jsonl', '/var/lib/poid/pairings.json.77-1.new', '/var/lib/poid/copies/journal.db');
  put('/var/lib/poid/lost+found/x', '/var/log/journal/0123/system.journal', '/etc/systemd/network/10-shop.network');
  symlinkSync('/etc/hostname', path.join(places().stateDir, 'link'));
  const text = configurationWith({
    shop: { name: 'Harbour Tea House', logo: '/srv/shop/logo.png' },
    cloud: { url: 'mqtts://b', ca: '/etc/ssl/certs/ca-certificates.crt', key: '/home/shop/broker.key' },
    updates: { ca: '/root/../root/ca.pem' },
    wallets: { ALIPAY: { logo: '/usr/share/poid/logo.png' } },
    acquirers: [{ id: 'BANK', dialect: '/srv/shop/bank.json' }],
  });
  writeFileSync(places().configuration, text);
  await resetTerminal(places(), serialNumber);
  const others = ['/etc/credstore/other', '/etc/systemd/network/10-shop.network', '/var/lib/poid/lost+found/x'];
  assert.deepEqual(files(), [...kept, ...machines, ...others].toSorted());
  assert.equal(existsSync(path.join(places().stateDir, 'link')), false);
});

test('copies of the journal that a killed command left go, but not what others have named so', async () => {
  await terminal(true);
  put('/tmp/poid-journal-77-abcdef/journal.db', '/tmp/poid-journal-old123/journal.db-wal', '/tmp/poid-journal-file');
  put('/tmp/other/journal.db', '/home/shop/journal.db');
  symlinkSync(path.join(root, 'home/shop'), path.join(root, 'tmp/poid-journal-77-link'));
  const others = [
    '/tmp/poid-journal-file',
    '/tmp/other/journal.db',
    '/home/shop/journal.db',
    '/tmp/poid-journal-77-link/journal.db',
  ];
  if (process.getuid?.() === 0) {
    put('/tmp/poid-journal-77-theirs/x');
    chownSync(path.join(root, 'tmp/poid-journal-77-theirs'), 54_321, 54_321);
    others.push('/tmp/poid-journal-77-theirs/x');
  }
  const { removed } = await resetTerminal(places(), serialNumber);
  assert.deepEqual(files(), [...kept, ...others].toSorted());
  assert.ok(removed.includes(path.join(root, 'tmp/poid-journal-77-abcdef')));
  assert.match(readFileSync(places().audit, 'utf8'), /"\/tmp\/poid-journal-\*\/"/);
});

test('on an image, addresses and time servers of the shop go as well', async () => {
  await terminal(true);
  put('/usr/lib/poid-image/version', '/etc/systemd/network/10-shop.network', '/etc/chrony/sources.d/shop.sources');
  put('/etc/chrony/sources.d/README');
  await resetTerminal(places(), serialNumber);
  assert.deepEqual(files(), [...kept, '/etc/chrony/sources.d/README', '/usr/lib/poid-image/version'].toSorted());
});

test('in a directory that is not the package’s own, only the terminal’s files go; the rest is named', async (t) => {
  put('/home/notes.txt', '/home/state/notes.txt', '/home/state/drawer.jsonl', '/home/state/pairings.json.1-2.new');
  writeFileSync(path.join(root, 'home/mine.json'), configurationWith({}));
  const inRoot = ['--root', root, '--config', '/home/mine.json', '--state-dir', '/home/state'];
  const { code, out } = await poid(t, 'factory-reset', ...inRoot, '--yes', 'NO-SERIAL-NUMBER');
  assert.equal(code, 0, out);
  assert.match(out, /left, because the terminal has not written it: look at it\n.*\/state\/notes\.txt\n$/);
  assert.deepEqual(
    files().filter((file) => file.startsWith('/home')),
    ['/home/notes.txt', '/home/state-admin/audit.jsonl', '/home/state/notes.txt'],
  );
});

test('the record keeps who and when, and nothing of the shop’s configuration or money', async () => {
  await terminal(true);
  const line = {
    at: 'then',
    user: 'line',
    uid: 7,
    action: 'provision',
    serialNumber,
    configuration: 'ab',
    keys: ['k'],
  };
  const before = { ...line, replaced: '/etc/poid/poid.json.1', unsettled: ['EDC: 1 not settled, HKD 30.00'] };
  writeFileSync(places().audit, `${JSON.stringify(before)}\nno record\n`);
  await resetTerminal(places(), serialNumber, new Date(0));
  const [first, second, ...more] = readFileSync(places().audit, 'utf8').trimEnd().split('\n');
  const { keys: _keys, ...rest } = line;
  assert.deepEqual(JSON.parse(first ?? ''), rest);
  assert.equal(JSON.parse(second ?? '').action, 'factory-reset');
  assert.deepEqual(more, []);
});

test('a reset that was cut off still knows what the configuration names, and where the state is', async () => {
  await terminal(true);
  put('/srv/shop/logo.png', '/srv/state/drawer.jsonl', '/srv/state/factory-reset.begun');
  const text = configurationWith({ stateDir: '/srv/state', shop: { name: 'x', logo: '/srv/shop/logo.png' } });
  writeFileSync(`${places().configuration}.removed`, text);
  rmSync(places().configuration);
  const present = await presentPlaces({ root });
  assert.equal(present.stateDir, path.join(root, '/srv/state'));
  await resetTerminal(present, serialNumber);
  for (const gone of ['/srv/shop/logo.png', '/srv/state/drawer.jsonl', '/etc/poid/poid.json.removed'])
    assert.equal(existsSync(path.join(root, gone)), false, gone);
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
  // As it is left when the journal is lost, and the file beside it is not.
  mkdirSync(places().adminDir, { recursive: true });
  writeFileSync(places().resetMark, '');
  for (const file of [places().configuration, path.join(places().stateDir, 'journal.db')]) rmSync(file);
  const refused = provision(provisioning, 'in.json', { root }, undefined);
  await assert.rejects(refused, /a factory reset was cut off: poid factory-reset finishes it/);
  await resetTerminal(places(), serialNumber);
  assert.deepEqual(files(), kept);
});

test('a machine that was never provisioned has nothing to remove', async () => {
  assert.deepEqual(await resetTerminal(places(), serialNumber), { removed: [], left: [] });
  mkdirSync(places().stateDir, { recursive: true });
  assert.deepEqual(await resetTerminal(places(), serialNumber), { removed: [], left: [] });
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
  assert.match(done.out, /as from the factory; removed:\n[^]*poid\.json\n/);
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
