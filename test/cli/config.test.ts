import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configurationSchema } from '../../src/config/configuration.ts';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { JournalStore } from '../../src/journal/store.ts';
import { bareApproval } from '../../src/payment/events/answer.ts';
import { accepted, cash } from '../support/events.ts';
import { pngs } from '../support/pngs.ts';
import { command } from '../support/programs.ts';

function poid(...parameters: string[]): Promise<{ code: number; out: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; out: string }>();
  execFile(command, ['config', ...parameters], (error, out, err) =>
    resolve({ code: error === null ? 0 : Number(error.code), out: out + err }),
  );
  return promise;
}

const good = {
  shop: { name: 'Tea House' },
  reader: { driver: 'neo2', path: '/dev/poid/reader' },
  acquirers: [
    {
      id: 'EDC',
      protocol: 'iso8583',
      host: 'acquirer.example',
      port: 7000,
      tid: '12345678',
      mid: '123456789012345',
      nii: '001',
      tpdu: '6000010000',
      brands: ['VISA'],
      security: { tls: { ca: '/etc/poid/edc-ca.pem' } },
    },
  ],
};

test('poid config check tells every fault by its path at once, and what was meant', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-config-'));
  t.after(() => rm(dir, { recursive: true }));
  const file = path.join(dir, 'poid.json');
  await writeFile(file, JSON.stringify(good));
  assert.deepEqual(await poid('check', file), { code: 0, out: `${file} can be used\n` });
  const [acquirer] = good.acquirers;
  const wrong = { ...good, shop: {}, timeouts: { colectMs: 1 }, acquirers: [{ ...acquirer, tid: '1' }] };
  await writeFile(file, JSON.stringify(wrong, null, 2));
  const { code, out } = await poid('check', file);
  assert.equal(code, 1);
  for (const said of [
    /poid\.json:2:11: shop\.name: is missing/,
    /poid\.json:13:14: acquirers\.0\.tid: 8 characters/,
    /poid\.json:28:5: timeouts\.colectMs: is no setting; did you mean collectMs\?/,
  ])
    assert.match(out, said);
  assert.equal(out.trim().split('\n').length, 3, out);
});

test('poid config check refuses a line to a bank that nobody has decided about, and takes each decision', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-config-'));
  t.after(() => rm(dir, { recursive: true }));
  const file = path.join(dir, 'poid.json');
  const check = async (change: object) => {
    const [acquirer] = good.acquirers;
    await writeFile(file, JSON.stringify({ ...good, acquirers: [{ ...acquirer, ...change }] }, null, 2));
    return poid('check', file);
  };
  const { code, out } = await check({ security: undefined });
  assert.equal(code, 1);
  assert.match(out, /poid\.json:10:5: acquirers\.0\.security: is missing: everybody on the way could read and answer/);
  for (const decided of [{ security: 'none' }, { security: undefined, host: '127.0.0.1' }, {}]) {
    assert.deepEqual(await check(decided), { code: 0, out: `${file} can be used\n` });
  }
  for (const [tls, message] of [
    [{}, /acquirers\.0\.security\.tls: needs ca or pins/],
    [{ ca: '/a.pem', clientCertificate: '/c.pem' }, /clientCertificate: needs clientKey or clientKeyFile/],
    [
      { ca: '/a.pem', clientKey: { credential: 'edc' }, clientKeyFile: '/k.pem' },
      /clientKeyFile: is set beside clientKey/,
    ],
    [{ pins: ['AB:CD'] }, /pins\.0: must be SHA-256 of a certificate/],
  ] as const) {
    const refused = await check({ security: { tls } });
    assert.equal(refused.code, 1);
    assert.match(refused.out, message);
  }
});

test('poid config check refuses a key that the algorithm of a code does not take', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-config-'));
  t.after(() => rm(dir, { recursive: true }));
  const file = path.join(dir, 'poid.json');
  const [acquirer] = good.acquirers;
  for (const [fixed, code, message] of [
    [{ credential: 'edc-mac-key' }, 0, /can be used/],
    ['00', 1, /acquirers\.0\.mac\.key\.fixed: a key of 8 to 32 bytes/],
  ] as const) {
    const mac = { algorithm: 'iso9797-3', key: { fixed } };
    await writeFile(file, JSON.stringify({ ...good, acquirers: [{ ...acquirer, mac }] }));
    const checked = await poid('check', file);
    assert.equal(checked.code, code, checked.out);
    assert.match(checked.out, message);
  }
  const short = { ...acquirer, mac: { algorithm: 'iso9797-3', key: { fixed: '00'.repeat(8) } } };
  const { issues = [] } = configurationSchema.safeParse({ ...good, acquirers: [short] }).error ?? {};
  assert.deepEqual(
    issues.map(({ path: place, message }) => `${place.join('.')} ${message}`),
    ['acquirers.0.mac.key.fixed must have 16 bytes'],
  );
});

test('poid config check warns of cash that is removed while it is unsettled', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-config-'));
  t.after(() => rm(dir, { recursive: true }));
  const store = new JournalStore(path.join(dir, 'journal.db'));
  const id = '01KDVDNA000000000000000001' as Parameters<JournalStore['read']>[0];
  store.open(id, accepted);
  const { kind: _kind, trace: _trace, ...draft } = cash;
  store.intend(id, draft, [
    { kind: 'answered', outcome: bareApproval },
    { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' },
  ]);
  store.close();
  const file = path.join(dir, 'poid.json');
  const warned = async (more: object) => {
    await writeFile(file, JSON.stringify({ ...good, stateDir: dir, ...more }));
    const { code, out } = await poid('check', file);
    assert.equal(code, 0, out);
    return out;
  };
  assert.match(await warned({}), /warning: CASH is not configured any more, .*: configure it again, settle it/);
  assert.doesNotMatch(await warned({ cash: true }), /warning/);
});

test('poid config check tells a program line and column too, of a text that is no JSON as well', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-config-'));
  t.after(() => rm(dir, { recursive: true }));
  const file = path.join(dir, 'poid.json');
  await writeFile(file, '{\n  "shop": {},\n  "cash": yes\n}\n');
  const { code, out } = await poid('check', '--json', file);
  assert.equal(code, 1);
  const message = 'is no JSON here: a value should stand here';
  assert.deepEqual(JSON.parse(out), { file, faults: [{ path: 'the file', message, line: 3, column: 11 }] });
  assert.equal((await poid('check', path.join(dir, 'absent.json'))).code, 1);
});

test('poid config sample prints what poid config check passes, for the acquirers that are asked for', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-config-'));
  t.after(() => rm(dir, { recursive: true }));
  const file = path.join(dir, 'poid.json');
  const { stdout, stderr } = await sample('QR', 'CASH');
  const { acquirers, cash } = JSON.parse(stdout) as { acquirers: { id: string }[]; cash: boolean };
  assert.deepEqual([acquirers.map(({ id }) => id), cash], [['QR'], true]);
  assert.match(stderr, /^These settings hold examples: shop\.name, .*acquirers\.0\.appCode/);
  await writeFile(file, stdout);
  assert.deepEqual(await poid('check', file), { code: 0, out: `${file} can be used\n` });
  const { code, out } = await poid('sample', 'CUPP');
  assert.equal(code, 2);
  assert.match(out, /did you mean CUP\?/);
  assert.equal((await poid('sample', 'CASH')).code, 2);
});

const sample = (...names: string[]) => promisify(execFile)(command, ['config', 'sample', ...names]);

test('poid config schema prints JSON, and another word is a wrong call', async () => {
  const { code, out } = await poid('schema');
  assert.equal(code, 0);
  assert.ok('acquirers' in (JSON.parse(out) as { properties: object }).properties);
  assert.equal((await poid('guess')).code, 2);
});

test('poid config check decodes each picture, and names the one that no receipt or screen would show', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-config-'));
  t.after(() => rm(dir, { recursive: true }));
  const file = path.join(dir, 'poid.json');
  const check = async (changes: object) => {
    await writeFile(file, JSON.stringify({ ...good, ...changes }, null, 2));
    return poid('check', file);
  };
  const picture = async (name: string, base64: string) => {
    await writeFile(path.join(dir, name), Buffer.from(base64, 'base64'));
    return path.join(dir, name);
  };
  const sound = await picture('good.png', pngs.good);
  const qr = {
    id: 'QR',
    protocol: 'qfpay',
    url: 'https://wallets.acquirer.example',
    appCode: 'EXAMPLE',
    clientKey: { credential: 'qr' },
    tid: 'TERMINAL1',
  };
  const walletLogo = (logo: string) => ({ acquirers: [...good.acquirers, qr], wallets: { PAYME: { logo } } });
  const shop = { name: 'Tea House' };
  const fine = await check({ shop: { ...shop, logo: sound }, screen: { logo: sound }, ...walletLogo(sound) });
  assert.deepEqual(fine, { code: 0, out: `${file} can be used\n` });
  for (const name of ['short', 'filter', 'two'] as const) {
    const damaged = await picture(`${name}.png`, pngs[name]);
    for (const [changes, place] of [
      [{ shop: { ...shop, logo: damaged } }, 'shop.logo'],
      [{ shop: { ...shop, logo: `data:image/png;base64,${pngs[name]}` } }, 'shop.logo'],
      [{ screen: { logo: damaged } }, 'screen.logo'],
      [walletLogo(damaged), 'wallets.PAYME.logo'],
    ] as const) {
      const { code, out } = await check(changes);
      assert.equal(code, 1, `${name} ${place}`);
      assert.ok(out.includes(`: ${place}: names a picture that can't be used: `), out);
      assert.match(out, /poid\.json:\d+:\d+: /);
    }
  }
  assert.equal((await check({ shop: { ...shop, logo: path.join(dir, 'none.png') } })).code, 1);
});
