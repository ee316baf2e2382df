import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { configurationSchema } from '../../src/config/configuration.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { longestPaymentMs } from '../../src/config/longest-payment.ts';
import { needs } from '../support/needs.ts';
import { applyRules, parseRules } from './udev-rules.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const folder = path.join(project, 'systemd');
const unitText = await readFile(path.join(folder, 'poid.service'), 'utf8');

/** The values of a setting, over all its lines. */
function setting(name: string): string[] {
  return Array.from(unitText.matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value = '']) => value);
}

/** Seconds of a time span such as '60' or '1min 30s'; systemd.time(7) has more, the unit does not use it. */
function seconds(text: string | undefined): number {
  assert.match(text ?? '', /^\d+$/);
  return Number(text);
}

/** Runs one of systemd's own programs. */
function systemd(
  program: 'analyze' | 'sysusers',
  parameters: readonly string[],
): Promise<{ code: number; text: string }> {
  const file = `systemd-${program}`;
  return new Promise((resolve, reject) => {
    execFile(file, parameters, { env: { ...process.env, LC_ALL: 'C' } }, (error, out, err) => {
      if (error?.code === 'ENOENT') reject(error);
      else resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: out + err });
    });
  });
}

function analyze(...parameters: string[]): Promise<{ code: number; text: string }> {
  return systemd('analyze', parameters);
}

/** A root with what the unit names, as the README installs it, and `unit` in it. */
async function smallRoot(t: TestContext, unit: string): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'poid-systemd-'));
  t.after(() => rm(root, { recursive: true }));
  await mkdir(path.join(root, 'usr/lib/systemd/system'), { recursive: true });
  await cp(path.join(project, 'bin'), path.join(root, 'usr/lib/poid/bin'), { recursive: true });
  await cp(path.join(project, 'package.json'), path.join(root, 'usr/share/doc/poid/README.md'));
  await writeFile(path.join(root, 'usr/lib/systemd/system/poid.service'), unit);
  return root;
}

describe('poid.service', () => {
  test('systemd accepts it, without a word', needs('systemd-analyze'), async (t) => {
    const root = await smallRoot(t, unitText);
    assert.deepEqual(await analyze('verify', '--recursive-errors=no', `--root=${root}`, 'poid.service'), {
      code: 0,
      text: '',
    });
  });

  // A check that accepts everything proves nothing: each of these must be noticed.
  for (const [what, wrong] of [
    ['a program that is not there', unitText.replace('/usr/lib/poid/bin/poid ', '/usr/lib/poid/bin/poi ')],
    ['a setting that nobody knows', unitText.replace('WatchdogSec=', 'WatchdogSecs=')],
    ['a value that is none', unitText.replace('Restart=always', 'Restart=ever')],
  ] as const) {
    test(`and would notice ${what}`, needs('systemd-analyze'), async (t) => {
      assert.notEqual(wrong, unitText);
      const root = await smallRoot(t, wrong);
      const { code, text } = await analyze('verify', '--recursive-errors=no', `--root=${root}`, 'poid.service');
      assert.ok(code !== 0 || text !== '');
    });
  }

  test('its exposure stays where it is', needs('systemd-analyze'), async (t) => {
    const security = (threshold: number, unit: string) =>
      analyze('security', '--offline=true', '--no-pager', `--threshold=${threshold}`, unit);
    // In tenths: 1.6. A tenth of it is the system call that gives the card reader's thread priority.
    const unit = path.join(folder, 'poid.service');
    const { code, text } = await security(16, unit);
    assert.equal(code, 0, text);
    const root = await smallRoot(
      t,
      unitText.replace('ProtectSystem=strict\n', '').replace('NoNewPrivileges=yes\n', ''),
    );
    assert.notEqual((await security(15, path.join(root, 'usr/lib/systemd/system/poid.service'))).code, 0);
  });

  test('the card reader’s thread may put itself before others, as far as it does', async () => {
    const source = await readFile(path.join(project, 'drivers/card-reader/thread/priority.ts'), 'utf8');
    const [, wanted] = /^const niceValue = (-\d+);$/m.exec(source) ?? [];
    assert.deepEqual(setting('LimitNICE'), [wanted]);
    // A later line adds to what an earlier one has taken away (systemd.exec(5)).
    assert.deepEqual(setting('SystemCallFilter'), ['@system-service', '~@privileged @resources', 'setpriority']);
    assert.deepEqual(setting('AmbientCapabilities'), ['']);
  });

  test('it may ask the kernel for the addresses of this machine', () => {
    // getifaddrs(3) opens a netlink socket: without it no certificate names an address (test/packaging/documented.nspawn.ts).
    assert.deepEqual(setting('RestrictAddressFamilies'), ['AF_UNIX AF_INET AF_INET6 AF_NETLINK']);
  });

  test('only its main process speaks to systemd, and it is started by what the project installs', async () => {
    assert.deepEqual(setting('Type'), ['notify']);
    assert.deepEqual(setting('NotifyAccess'), ['main']);
    assert.deepEqual(setting('ExecStart'), ['/usr/lib/poid/bin/poid run --config /etc/poid/poid.json']);
    // `exec`: the process that systemd started is the daemon itself.
    assert.match(await readFile(path.join(project, 'bin/poid'), 'utf8'), /^exec .*"\$@"$/m);
    assert.ok(((await stat(path.join(project, 'bin/poid'))).mode & 0o111) === 0o111);
  });

  test('a stop takes no longer than the unit grants, and lets every payment end', async () => {
    const installed = await loadConfiguration([path.join(folder, 'poid.json')]);
    const stopMs = 1_000 * seconds(setting('TimeoutStopSec')[0]);
    // What it takes to leave after that: see leavingMs in src/main/run.ts.
    assert.ok(installed.timeouts.stopMs + 10_000 <= stopMs, `${installed.timeouts.stopMs} of ${stopMs} ms`);
    // With every method that there is, by the defaults.
    const [card] = installed.acquirers;
    const { acquirers: wallets } = configurationSchema.parse({
      ...installed,
      acquirers: [
        { id: 'QR', protocol: 'qfpay', url: 'https://host.example', appCode: 'code', clientKey: 'key', tid: '1' },
      ],
    });
    const every = { ...installed, acquirers: [card ?? assert.fail(), ...wallets], octopus: { path: '/run/octopus' } };
    const parsed = configurationSchema.parse({ ...every, octopus: { driver: 'agent', ...every.octopus } });
    assert.ok(longestPaymentMs(parsed) <= parsed.timeouts.stopMs, `${longestPaymentMs(parsed)} ms`);
  });

  test('a start ends in time, with READY or without, and a hang is seen', () => {
    // A container took 0.7 s and an emulated machine 9 s to READY. What takes longer asks for it (longStartMs in src/main/run.ts).
    const [start, watchdog] = [seconds(setting('TimeoutStartSec')[0]), seconds(setting('WatchdogSec')[0])];
    assert.ok(start >= 60 && start <= 300, `${start} s`);
    // The journal's own deadline is 30 s (src/journal/journal.ts): what can end by itself does so first.
    assert.ok(watchdog >= 30 && watchdog <= 60, `${watchdog} s`);
  });

  test('waits for its configuration, and does not restart without one', () => {
    const [, file] = / --config (\S+)$/.exec(setting('ExecStart')[0] ?? '') ?? [];
    assert.deepEqual(setting('ConditionPathExists'), [file]);
  });

  test('keeps its journal where the configuration has it, for its own user alone', () => {
    const { stateDir } = configurationSchema.shape;
    assert.equal(stateDir.parse(undefined), `/var/lib/${setting('StateDirectory')[0]}`);
    assert.deepEqual(setting('StateDirectoryMode'), ['0700']);
    assert.deepEqual(setting('LimitCORE'), ['0']);
    // Nothing that was written at run time is executed: Node keeps no compiled code.
    assert.deepEqual(setting('Environment'), []);
    assert.deepEqual(setting('CacheDirectory'), ['poid']);
    assert.deepEqual(setting('CacheDirectoryMode'), ['0700']);
    assert.deepEqual(setting('MemoryDenyWriteExecute'), []);
  });
});

describe('beside it', () => {
  test('sysusers makes the user that it runs as', needs('systemd-sysusers'), async (t) => {
    const [user] = setting('User');
    const text = await readFile(path.join(folder, 'poid.sysusers'), 'utf8');
    assert.match(text, new RegExp(`^u ${user} - "[^"]+" /var/lib/poid$`, 'm'));
    const root = await mkdtemp(path.join(tmpdir(), 'poid-sysusers-'));
    t.after(() => rm(root, { recursive: true }));
    await mkdir(path.join(root, 'etc'));
    const { code, text: said } = await systemd('sysusers', [`--root=${root}`, path.join(folder, 'poid.sysusers')]);
    assert.equal(code, 0, said);
    assert.match(
      await readFile(path.join(root, 'etc/passwd'), 'utf8'),
      /^poid:x:\d+:\d+:Payment terminal service:\/var\/lib\/poid:\S*nologin$/m,
    );
  });

  test('the configuration is a good one, and its reader is the link that the udev rule makes', async () => {
    const { reader } = await loadConfiguration([path.join(folder, 'poid.json')]);
    const rules = parseRules(await readFile(path.join(folder, '60-poid.rules'), 'utf8'));
    const usb = { idVendor: '0acd', path: 'pci-0000:00:14.0-usb-0:2:1.0' };
    const { links } = applyRules(rules, { subsystem: 'tty', kernel: 'ttyACM0', usb });
    assert.equal(reader.path, `/dev/${links[0]}`);
  });

  test('it may open what the rules name, and a plain serial line', () => {
    const allowed = setting('DeviceAllow');
    // ttyACM, usb/lp, ttyUSB (admin-guide/devices.txt), and by name what has no number of its own, or a driver that is always there.
    assert.deepEqual(allowed, ['char-166 rw', 'char-180 rw', 'char-188 rw', 'char-ttyS rw', 'char-hidraw rw']);
    assert.deepEqual(setting('SupplementaryGroups'), ['dialout']);
  });
});
