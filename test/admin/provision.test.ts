import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type Sealer, readStoredKeys } from '../../src/admin/key-store.ts';
import { placesOf } from '../../src/config/places.ts';
import { provision } from '../../src/admin/provision-command.ts';
import type { Json } from '../../src/config/json-file.ts';
import { readPassedKeys } from '../../src/config/keys.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { DirectoryLock } from '../../src/journal/directory-lock.ts';
import { poid } from '../cli/poid.ts';
import { selfSign } from '../../src/base/tls/certificate.ts';
import { provisioning as input, secret } from './provisioning-input.ts';
import { approved, ShopJournal } from './shop-journal.ts';

const now = new Date('2026-11-22T23:00:00.000Z');

/** Reverses the bytes, and may be a machine that can't. */
const sealer: Sealer = {
  seal: (text) => Buffer.from(new Uint8Array(Buffer.from(text)).toReversed()),
  unseal: (sealed) => Buffer.from(new Uint8Array(sealed).toReversed()).toString(),
};

let root: string;
const flags = () => ({ root });
const places = () => placesOf(flags(), '/var/lib/poid');
beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'poid-provision-'))));
afterEach(() => rmSync(root, { recursive: true }));

/** Every file below the root, and what is in it. */
function files(): Record<string, string> {
  const found = globSync('**/*', { cwd: root, withFileTypes: true }).filter((each) => each.isFile());
  return Object.fromEntries(
    found.map((each) => {
      const file = path.join(each.parentPath, each.name);
      return [`/${path.relative(root, file)}`, readFileSync(file, 'utf8')];
    }),
  );
}

function modeOf(file: string): string {
  return (statSync(file).mode & 0o777).toString(8);
}

function shopJournal(): ShopJournal {
  mkdirSync(places().stateDir, { recursive: true });
  return new ShopJournal(places().stateDir);
}

describe('poid provision', () => {
  test('writes the configuration without its keys, the keys for systemd, the serial number and a record', async () => {
    const said = await provision(input, 'in.json', flags(), undefined, now);
    const written = files();
    assert.deepEqual(Object.keys(written).toSorted(), [
      '/etc/credstore/poid.keys',
      '/etc/hostname',
      '/etc/poid/poid.json',
      '/etc/poid/serial-number',
      '/var/lib/poid-admin/audit.jsonl',
    ]);
    const { serialNumber: _own, ...configuration } = structuredClone(input) as Json & { acquirers: Json[] };
    configuration.acquirers[1]!['clientKey'] = { credential: 'qr-client-key' };
    assert.deepEqual(JSON.parse(written['/etc/poid/poid.json'] ?? ''), configuration);
    assert.deepEqual(JSON.parse(written['/etc/credstore/poid.keys'] ?? ''), { 'qr-client-key': secret });
    assert.deepEqual([modeOf(places().configuration), modeOf(places().plainKeys)], ['640', '600']);
    assert.deepEqual([modeOf(path.dirname(places().plainKeys)), modeOf(places().stateDir)], ['700', '700']);
    for (const [file, text] of Object.entries(written)) {
      assert.equal(text.includes(secret), file === '/etc/credstore/poid.keys', file);
    }
    assert.doesNotMatch(said, new RegExp(secret));
    assert.match(said, /PT-000123 is provisioned.*not encrypted/s);
    const hash = createHash('sha256')
      .update(written['/etc/poid/poid.json'] ?? '')
      .digest('hex');
    const { user, uid, ...entry } = JSON.parse(written['/var/lib/poid-admin/audit.jsonl'] ?? '') as Json;
    assert.deepEqual([typeof user, typeof uid], ['string', 'number']);
    assert.deepEqual(entry, {
      at: now.toISOString(),
      action: 'provision',
      serialNumber: 'PT-000123',
      configuration: hash,
      keys: ['qr-client-key'],
      keptAs: 'plain',
    });
  });

  test('the daemon reads the configuration with the keys that systemd passes, and not without', async () => {
    await provision(input, 'in.json', flags(), undefined, now);
    const keys = await readPassedKeys(path.dirname(places().plainKeys));
    const { acquirers } = await loadConfiguration([places().configuration], {}, { keys });
    assert.equal(acquirers[1]?.protocol === 'qfpay' && acquirers[1].clientKey, secret);
    const missing =
      /wrong at acquirers\.1\.clientKey: names the credential qr-client-key, which systemd has not passed/;
    await assert.rejects(loadConfiguration([places().configuration]), missing);
    await loadConfiguration([places().configuration], {}, { keys: 'unread' });
  });

  test('seals the keys where the machine can read them again, and leaves none beside them', async () => {
    await provision(input, 'in.json', flags(), undefined, now);
    await provision(input, 'in.json', { ...flags(), force: true }, sealer, now);
    assert.ok(!existsSync(places().plainKeys));
    assert.deepEqual(readStoredKeys(places(), sealer), { 'qr-client-key': secret });
    assert.match(readFileSync(places().audit, 'utf8').split('\n')[1] ?? '', /"keptAs":"sealed"/);
    const forgetful: Sealer = { ...sealer, unseal: () => undefined };
    assert.throws(() => readStoredKeys(places(), forgetful), /can't be decrypted on this machine/);
    await provision(input, 'in.json', { ...flags(), force: true }, forgetful, now);
    assert.deepEqual([existsSync(places().sealedKeys), existsSync(places().plainKeys)], [false, true]);
  });

  test('a dry run says what it would write, without the keys, and changes nothing', async () => {
    const said = await provision(input, 'in.json', { ...flags(), 'dry-run': true }, sealer, now);
    assert.deepEqual(files(), {});
    assert.match(said, /^nothing was changed/);
    assert.match(said, /"credential": "qr-client-key"/);
    assert.doesNotMatch(said, new RegExp(secret));
  });

  test('names all faults at once: the file, the place and what is expected, never the value', async () => {
    const acquirers = structuredClone(input['acquirers']) as Json[];
    Object.assign(acquirers[0]!, { port: 'p0rt', tid: '1' });
    Object.assign(acquirers[1]!, { clientKey: 'a key with spaces' });
    const faulty = { ...input, acquirers, serialNumber: 'a b', timeZone: undefined, reader: { driver: 'x' }, extra: 1 };
    await assert.rejects(provision(faulty, 'in.json', flags(), undefined, now), ({ message }: Error) => {
      for (const line of [
        'nothing was changed: 7 to mend',
        'in.json: serialNumber: 1 to 32 letters',
        'in.json: timeZone: the shop’s',
        'in.json: reader.driver: ',
        'in.json: acquirers.0.port: ',
        'in.json: acquirers.0.tid: ',
        'in.json: acquirers.1.clientKey: printable characters without spaces',
        'in.json: the top level: Unrecognized key: "extra"',
      ]) {
        assert.ok(message.includes(line), `${line}\n${message}`);
      }
      assert.doesNotMatch(message, /p0rt|a key with|a b\b/);
      return true;
    });
    assert.deepEqual(files(), {});
  });

  test('a line to a bank that nobody has decided about is refused; --plain-hosts decides it', async () => {
    const [{ security: _, ...edc }, qr] = structuredClone(input['acquirers']) as [Json, Json];
    const open = { ...input, acquirers: [edc, qr] };
    const refused = provision(open, 'in.json', flags(), undefined, now);
    await assert.rejects(refused, /in\.json: acquirers\.0\.security: is missing: .*--plain-hosts sets "none"/);
    assert.deepEqual(files(), {});
    await provision(open, 'in.json', { ...flags(), 'plain-hosts': true }, undefined, now);
    const [written] = (JSON.parse(files()['/etc/poid/poid.json'] ?? '') as { acquirers: Json[] }).acquirers;
    assert.equal(written?.['security'], 'none');
  });

  test('the key of a line goes where every key goes', async () => {
    const { key, cert } = selfSign(['terminal.example']);
    const [edc, qr] = structuredClone(input['acquirers']) as [Json, Json];
    edc['security'] = { tls: { ca: '/etc/poid/ca.pem', clientKey: key + cert } };
    edc['mac'] = { algorithm: 'aesCmac', key: { fixed: '2B7E151628AED2A6ABF7158809CF4F3C' } };
    await provision({ ...input, acquirers: [edc, qr] }, 'in.json', flags(), undefined, now);
    const written = files();
    assert.deepEqual(JSON.parse(written['/etc/credstore/poid.keys'] ?? ''), {
      'edc-client-key': key + cert,
      'edc-mac-key-fixed': '2B7E151628AED2A6ABF7158809CF4F3C',
      'qr-client-key': secret,
    });
    assert.match(written['/etc/poid/poid.json'] ?? '', /"clientKey": \{\s*"credential": "edc-client-key"/);
    assert.doesNotMatch(written['/etc/poid/poid.json'] ?? '', /PRIVATE KEY|2B7E15/);
  });

  test('a key that is only named is refused: nobody could tell whether it is there', async () => {
    const acquirers = structuredClone(input['acquirers']) as Json[];
    acquirers[1]!['clientKey'] = { credential: 'qr-client-key' };
    const refused = provision({ ...input, acquirers }, 'in.json', flags(), undefined, now);
    await assert.rejects(refused, /in\.json: acquirers\.1\.clientKey: the key itself/);
  });

  test('keeps what is there unless forced, and then a copy with the date', async () => {
    await provision(input, 'in.json', flags(), undefined, now);
    const before = files();
    const other = { ...input, shop: { name: 'Other' } };
    await assert.rejects(provision(other, 'in.json', flags(), undefined, now), /is there already: --force keeps it/);
    assert.deepEqual(files(), before);
    await provision(other, 'in.json', { ...flags(), force: true }, undefined, now);
    const after = files();
    assert.equal(after['/etc/poid/poid.json.20261122T230000Z'], before['/etc/poid/poid.json']);
    assert.equal(after['/etc/credstore/poid.keys.20261122T230000Z'], before['/etc/credstore/poid.keys']);
    assert.match(after['/etc/poid/poid.json'] ?? '', /"Other"/);
    assert.equal(after['/var/lib/poid-admin/audit.jsonl']?.trimEnd().split('\n').length, 2);
    assert.match(after['/var/lib/poid-admin/audit.jsonl'] ?? '', /"replaced":"[^"]*poid\.json\.20261122T230000Z"/);
  });

  test('the serial number stays', async () => {
    await provision(input, 'in.json', flags(), undefined, now);
    const other = { ...input, serialNumber: 'PT-000124' };
    const refused = provision(other, 'in.json', { ...flags(), force: true }, undefined, now);
    await assert.rejects(refused, /in\.json: serialNumber: this terminal is PT-000123/);
    const { serialNumber: _left, ...without } = input;
    await provision(without, 'in.json', { ...flags(), force: true }, undefined, now);
    assert.equal(readFileSync(places().serialNumber, 'utf8'), 'PT-000123\n');
  });

  test('never over unsettled money, whatever the force; without a configuration it is the way to settle it', async () => {
    const shop = shopJournal();
    shop.sell(approved);
    shop.store.close();
    const said = await provision(input, 'in.json', flags(), undefined, now);
    assert.match(said, /unsettled money.*\nEDC: 1 not settled/);
    assert.match(readFileSync(places().audit, 'utf8'), /"unsettled":\["EDC: 1 not settled/);
    const before = files();
    const refused = provision(input, 'in.json', { ...flags(), force: true }, undefined, now);
    await assert.rejects(refused, /keeps its configuration: there is unsettled money\nEDC: 1 not settled/);
    assert.deepEqual(files(), before);
  });

  test('not beside a running terminal', async () => {
    shopJournal().store.close();
    const lock = await DirectoryLock.take(path.join(places().stateDir, 'journal.db'));
    await assert.rejects(provision(input, 'in.json', flags(), undefined, now), /stop it first/);
    lock.release();
    assert.ok(!existsSync(places().configuration));
  });

  test('from a file and from a broken one; exit codes', async (t) => {
    const file = path.join(root, 'in.json');
    writeFileSync(file, JSON.stringify(input));
    assert.equal((await poid(t, 'provision', '--root', root)).code, 2);
    const { code, out, err } = await poid(t, 'provision', file, '--root', root);
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /PT-000123 is provisioned/);
    const again = await poid(t, 'provision', file, '--root', root);
    assert.deepEqual([again.code, again.out], [1, '']);
    const shop = shopJournal();
    shop.sell(approved);
    shop.store.close();
    const over = await poid(t, 'provision', file, '--root', root, '--force');
    assert.equal(over.code, 3);
    assert.match(over.err, /^poid: the terminal keeps .*\nEDC: 1 not settled/);
    writeFileSync(file, '{"serialNumber"');
    assert.match((await poid(t, 'provision', file, '--root', root)).err, /^poid: [^\n]*is not a JSON object\n$/);
  });
});
