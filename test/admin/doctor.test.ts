import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runDoctor } from '../../src/admin/doctor/doctor.ts';
import { journalOf, recognitionOf } from '../../src/admin/doctor/running.ts';
import { checkCertificate, checkNexo, checkPairing, checkSettings } from '../../src/admin/doctor/settings.ts';
import { checkStopped, mayOpen } from '../../src/admin/doctor/stopped.ts';
import { checkSlot, checkUnit } from '../../src/admin/doctor/unit.ts';
import type { Finding } from '../../src/admin/finding.ts';
import { type Machine, machineAt } from '../../src/admin/machine.ts';
import { type Places, placesOf } from '../../src/config/places.ts';
import { provision } from '../../src/admin/provision-command.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { selfSign } from '../../src/base/tls/certificate.ts';
import { poid } from '../cli/poid.ts';
import { eventually, Stage } from '../e2e/stage.ts';
import { provisioning } from './provisioning-input.ts';
import { approved, ShopJournal } from './shop-journal.ts';

let dir: string;
before(() => (dir = mkdtempSync(path.join(tmpdir(), 'poid-doctor-'))));
after(() => rmSync(dir, { recursive: true }));

/** A machine whose programs say this. */
function machineWith(answers: Readonly<Record<string, string>>): Machine {
  return { ...machineAt(dir), run: (program) => answers[program] };
}

function properties(changed: Readonly<Record<string, string>> = {}): string {
  const all = {
    LoadState: 'loaded',
    ActiveState: 'active',
    SubState: 'running',
    UnitFileState: 'enabled',
    NRestarts: '0',
    StatusText: 'listening on port 8080',
    Result: 'success',
    ConditionResult: 'yes',
    ...changed,
  };
  return Object.entries(all)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

describe('poid doctor: unit and slot', () => {
  for (const [what, changed, verdict, remedy] of [
    ['runs', {}, 'PASS', undefined],
    ['is not installed', { LoadState: 'not-found' }, 'FAIL', /apt install/],
    ['waits for a configuration', { ActiveState: 'inactive', ConditionResult: 'no' }, 'FAIL', /poid provision/],
    ['failed', { ActiveState: 'failed', Result: 'exit-code' }, 'FAIL', /systemctl start poid.*journalctl/],
    ['is not started with the machine', { UnitFileState: 'disabled' }, 'WARN', /systemctl enable poid/],
    ['was restarted often', { NRestarts: '12' }, 'WARN', /journalctl/],
  ] as const) {
    test(`the unit ${what}`, () => {
      const finding = checkUnit(machineWith({ systemctl: properties(changed) }));
      assert.equal(finding.verdict, verdict);
      assert.equal(remedy === undefined ? finding.remedy : remedy.test(finding.remedy ?? ''), remedy && true);
    });
  }

  test('a unit whose last start has failed says why, in the words of that start', () => {
    const StatusText = "the configuration /etc/poid/poid.json can't be read (EACCES)";
    const trying = { ActiveState: 'activating', SubState: 'auto-restart', Result: 'exit-code', StatusText };
    const { verdict, detail } = checkUnit(machineWith({ systemctl: properties(trying) }));
    assert.deepEqual([verdict, detail], ['FAIL', `activating (auto-restart, exit-code): ${StatusText}`]);
    const starting = { ActiveState: 'activating', SubState: 'start', StatusText: 'opening the journal' };
    assert.equal(checkUnit(machineWith({ systemctl: properties(starting) })).detail, 'activating (start, success)');
    const again = { systemctl: properties({ ...starting, NRestarts: '2' }), journalctl: `poid: ${StatusText}\n` };
    assert.equal(checkUnit(machineWith(again)).detail, `activating (start, success): poid: ${StatusText}`);
  });

  const slots = (own: string, other: string) =>
    JSON.stringify({
      slots: [
        { 'rootfs.0': { state: 'booted', bootname: 'A', boot_status: own } },
        { 'rootfs.1': { state: 'inactive', bootname: 'B', boot_status: other } },
        { 'data.0': { state: 'inactive' } },
      ],
    });
  for (const [own, other, verdict, remedy] of [
    ['good', 'good', 'PASS', undefined],
    ['bad', 'good', 'FAIL', 'rauc status mark-good'],
    ['good', 'bad', 'WARN', 'rauc install BUNDLE'],
  ] as const) {
    test(`slot A ${own}, slot B ${other}`, () => {
      const finding = checkSlot(machineWith({ rauc: slots(own, other) }));
      assert.deepEqual([finding.verdict, finding.remedy], [verdict, remedy]);
    });
  }

  test('a machine without systemd, with one system, or booted from elsewhere', () => {
    assert.deepEqual([checkUnit(machineWith({})).verdict, checkSlot(machineWith({})).verdict], ['SKIPPED', 'SKIPPED']);
    assert.equal(checkSlot(machineWith({ rauc: '{"slots":[]}' })).verdict, 'WARN');
  });
});

describe('poid doctor: configuration, keys, certificate, pairing', () => {
  let root: string;
  let places: Places;
  before(async () => {
    root = path.join(dir, 'root');
    places = placesOf({ root }, '/var/lib/poid');
    await provision(provisioning, 'in.json', { root }, undefined);
  });

  async function verdicts(): Promise<string[]> {
    return (await checkSettings(places)).findings.map(({ part, verdict }) => `${part} ${verdict}`);
  }

  test('as it was provisioned', async () => {
    assert.deepEqual(await verdicts(), ['configuration PASS', 'keys PASS']);
  });

  test('open to everybody', async () => {
    chmodSync(places.configuration, 0o644);
    assert.deepEqual(await verdicts(), ['configuration WARN', 'keys PASS']);
    chmodSync(places.configuration, 0o640);
  });

  test('its keys are lost, or in clear text', async () => {
    const keys = readFileSync(places.plainKeys);
    rmSync(places.plainKeys);
    assert.deepEqual(await verdicts(), ['configuration PASS', 'keys FAIL']);
    writeFileSync(places.plainKeys, keys);
    const text = readFileSync(places.configuration, 'utf8');
    writeFileSync(places.configuration, text.replace(/\{\s*"credential": "qr-client-key"\s*\}/, '"TEST-KEY"'));
    assert.deepEqual(await verdicts(), ['configuration PASS', 'keys WARN']);
    writeFileSync(places.configuration, text);
  });

  test('no configuration, or a wrong one: what needs it is skipped', async () => {
    const text = readFileSync(places.configuration, 'utf8');
    writeFileSync(places.configuration, text.replace('"timeZone": "Asia/Hong_Kong"', '"timeZone": "Kowloon"'));
    const found = await runDoctor(places, { machine: machineWith({}) });
    assert.match(found[0]?.detail ?? '', /wrong at timeZone/);
    assert.match(found[0]?.remedy ?? '', /poid provision FILE/);
    assert.ok(found.some(({ part, verdict }) => part === 'journal' && verdict === 'SKIPPED'));
    rmSync(places.configuration);
    assert.deepEqual(await verdicts(), ['configuration FAIL']);
    writeFileSync(places.configuration, text);
  });

  test('the certificate: off, none yet, valid, soon over, over, or none in its file', () => {
    mkdirSync(path.join(dir, 'tls'), { recursive: true });
    const machine = machineAt('/');
    const at = { ...places, stateDir: path.join(dir, 'tls') };
    const check = (tls: boolean, now: Date) => checkCertificate({ http: { tls } } as Configuration, at, machine, now);
    const now = new Date();
    assert.deepEqual([check(false, now).verdict, check(true, now).verdict], ['SKIPPED', 'SKIPPED']);
    const { key, cert } = selfSign(['localhost']);
    writeFileSync(path.join(at.stateDir, 'tls.pem'), key + cert);
    const { detail, verdict } = check(true, now);
    assert.equal(verdict, 'PASS');
    const end = new Date(detail.replace('valid until ', '')).getTime();
    assert.equal(check(true, new Date(end - 86_400_000)).verdict, 'WARN');
    assert.equal(check(true, new Date(end + 1_000)).verdict, 'FAIL');
    writeFileSync(path.join(at.stateDir, 'tls.pem'), 'x');
    assert.match(check(true, now).remedy ?? '', /systemctl restart poid/);
  });

  test('nexo: not configured, with keys, in clear, and a certificate that is missing, wrong or over', () => {
    const machine = machineAt('/');
    const now = new Date();
    const check = (fields: object, at = now) =>
      checkNexo({ nexo: { port: 8443, keys: [{}], clear: false, ...fields } } as Configuration, machine, at);
    assert.equal(checkNexo({}, machine, now).verdict, 'SKIPPED');
    assert.deepEqual([check({}).verdict, check({ clear: true }).verdict], ['PASS', 'WARN']);
    const certificate = path.join(dir, 'nexo.pem');
    assert.match(check({ certificate }).detail, /can’t be read/);
    writeFileSync(certificate, 'x');
    assert.match(check({ certificate }).detail, /no certificate/);
    const { key, cert } = selfSign(['localhost']);
    writeFileSync(certificate, key + cert);
    assert.equal(check({ certificate }).verdict, 'PASS');
    const over = new Date(new X509Certificate(cert).validToDate.getTime() + 1_000);
    assert.match(check({ certificate }, over).detail, /was valid until/);
  });

  test('pairing: off, nobody paired, somebody, or a file that can’t be read', async () => {
    const check = (required: boolean, more: object = {}) =>
      checkPairing({ pairing: { required }, ...more } as Configuration, places);
    const cloud = { cloud: {} };
    assert.deepEqual([(await check(false)).verdict, (await check(true)).verdict], ['SKIPPED', 'WARN']);
    const file = path.join(places.stateDir, 'pairings.json');
    writeFileSync(file, 'x');
    assert.equal((await check(true)).verdict, 'FAIL');
    // Tills of the cloud need keys, whatever those of the shop need.
    assert.equal((await check(false, cloud)).verdict, 'FAIL');
    assert.equal((await check(false)).verdict, 'SKIPPED');
    rmSync(file);
    assert.equal((await check(false, cloud)).verdict, 'SKIPPED');
  });
});

describe('poid doctor: journal and devices', () => {
  test('what a running terminal says of its journal', () => {
    const good = { journal: 'ok', journalCheck: { state: 'ok' } } as const;
    for (const [status, verdict] of [
      [good, 'PASS'],
      [{ journal: 'silent' }, 'FAIL'],
      [{ journal: 'full' }, 'FAIL'],
      [{ ...good, journalCheck: { state: 'damaged' } }, 'FAIL'],
      [{ ...good, journalFault: 'an older copy' }, 'WARN'],
      [{ ...good, archiveFault: 'no space' }, 'WARN'],
      [{ ...good, journalMigration: 'failed' }, 'WARN'],
      [{ ...good, journalMigration: 'onTrial' }, 'PASS'],
    ] as const) {
      assert.equal(journalOf(status).verdict, verdict, JSON.stringify(status));
    }
  });

  test('a host that does not know the running terminal is a warning, with its code and the numbers to compare', () => {
    const known = { id: 'CUP', mid: '543210987654321', tid: '87654321' };
    assert.equal(recognitionOf({ acquirers: [known, { id: 'CASH' }] }).verdict, 'PASS');
    const commissioningFault = { hostCode: '89', since: '2026-11-21T22:00:00.000Z' };
    const unknown = { id: 'EDC', mid: '123456789012345', tid: '12345678', commissioningFault };
    const { verdict, detail, remedy } = recognitionOf({ acquirers: [unknown, known] });
    assert.equal(verdict, 'WARN');
    for (const reported of ['EDC', '89', '2026-11-21', '123456789012345', '12345678'])
      assert.ok(detail.includes(reported), reported);
    assert.ok(!detail.includes('CUP'));
    assert.match(remedy ?? '', /tid/);
  });

  test('a device that root may open and the service may not', () => {
    const node = path.join(dir, 'node');
    writeFileSync(node, '');
    const [own, other] = [process.getuid?.() ?? 0, 4711];
    const { gid } = statSync(node);
    for (const [mode, uid, group, isOpen] of [
      [0o600, own, other, true],
      [0o060, own, gid, false],
      [0o660, other, gid, true],
      [0o606, other, gid, false],
      [0o660, other, other, false],
      [0o666, other, other, true],
    ] as const) {
      chmodSync(node, mode);
      const rights = { uid, groups: new Set([group]) };
      assert.equal(mayOpen(node, rights), isOpen, `${mode.toString(8)} ${uid} ${group}`);
    }
  });

  test('a stopped terminal: its journal is read, its devices are opened; a damaged one is told', async () => {
    const stateDir = path.join(dir, 'stopped');
    mkdirSync(stateDir);
    const shop = new ShopJournal(stateDir);
    shop.sell(approved);
    shop.store.close();
    const reader = { driver: 'neo2', path: path.join(dir, 'no-reader'), baudRate: 115_200, quickChip: false };
    const configuration = { reader, receipt: { charset: 'bitmap' }, shop: { logo: '' } } as unknown as Configuration;
    const options = { stateDir, rights: undefined, deviceMs: 3_000 };
    const check = async () => new Map((await checkStopped(configuration, options)).map((each) => [each.part, each]));
    const found = await check();
    assert.match(found.get('journal')?.detail ?? '', /EDC: 1 not settled/);
    assert.equal(found.get('journal')?.verdict, 'PASS');
    assert.match(found.get('reader')?.detail ?? '', /nothing is there/);
    assert.equal(found.get('printer')?.verdict, 'SKIPPED');
    const bytes = readFileSync(shop.file);
    writeFileSync(shop.file, bytes.fill(0xff, 3 * 4096, 4 * 4096));
    assert.equal((await check()).get('journal')?.verdict, 'FAIL');
    rmSync(shop.file);
    assert.match((await check()).get('journal')?.detail ?? '', /is missing/);
  });
});

describe('poid doctor beside a terminal', () => {
  let stage: Stage;
  let file: string;
  before(async () => {
    stage = await Stage.open();
    const own = JSON.parse(readFileSync(stage.configuration, 'utf8'));
    const port = Number(new URL(stage.screenUrl).port);
    file = path.join(stage.dir, 'doctor.json');
    writeFileSync(file, JSON.stringify({ ...own, stateDir: stage.stateDir, screen: { ...own.screen, port } }), {
      mode: 0o640,
    });
  });
  after(() => stage.close());

  async function examine(): Promise<Map<string, Finding>> {
    const places = placesOf({ config: file }, stage.stateDir);
    const found = await runDoctor(places, { machine: machineWith({ systemctl: properties() }), deviceMs: 2_000 });
    return new Map(found.map((each) => [each.part, each]));
  }
  const parts = ['configuration', 'keys', 'journal', 'reader', 'printer', 'scanner', 'octopus', 'host EDC', 'host QR'];

  test('running: what it says of itself; its reader unplugged, and its hosts asked', async () => {
    const found = await examine();
    for (const part of parts) assert.equal(found.get(part)?.verdict, 'PASS', JSON.stringify(found.get(part)));
    assert.match(found.get('journal')?.detail ?? '', /; 0 reversals and 0 advices wait for their host$/);
    await stage.fault('reader', { unplug: true });
    await eventually(
      () => stage.status(),
      ({ devices }) => devices.reader.state === 'absent',
    );
    const { verdict, remedy } = (await examine()).get('reader') ?? {};
    assert.equal(verdict, 'FAIL');
    assert.ok(remedy);
    await stage.fault('reader', { unplug: false });
  });

  test('stopped: the same of its files; the command tells both, and its exit code', async (t) => {
    await stage.stopDaemon('SIGTERM');
    const found = await examine();
    for (const part of parts) assert.equal(found.get(part)?.verdict, 'PASS', JSON.stringify(found.get(part)));
    const flags = ['--config', file, '--json'];
    const { code, out } = await poid(t, 'doctor', ...flags);
    const { findings, result } = JSON.parse(out) as { findings: Finding[]; result: string };
    const failed = findings.filter(({ verdict }) => verdict === 'FAIL');
    assert.deepEqual([code, result], failed.length === 0 ? [0, 'PASS'] : [1, 'FAIL']);
    for (const { remedy } of failed) assert.ok(remedy);
    await loadConfiguration([file]);
  });
});
