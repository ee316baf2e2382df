import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { Container, freshRoot, removeRoot, until } from './machine/container.ts';
import { watchClosed } from './machine/closed.ts';
import { built, packageFile, repackAs } from './machine/packages.ts';
import { Shop } from './machine/shop.ts';

const later = '99.0.0';
/** Each is older than the next, and all than the build: two are of one day, and the later has the smaller commit. */
const earlier = ['0.1.0', '0.2.0~git20200101000000.gffffffffffff', '0.2.0~git20200101000001.g000000000000'] as const;
const restartMs = 90_000;

let dir: string;
let root: string;
let container: Container;
let shop: Shop;
before(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-life-'));
  root = freshRoot();
  repackAs(later, dir);
  for (const version of earlier) {
    mkdirSync(path.join(dir, version));
    repackAs(version, path.join(dir, version));
  }
  for (const [from, to] of [
    [built, 'first'],
    [dir, 'later'],
    ...earlier.map((version) => [path.join(dir, version), version] as const),
  ] as const) {
    for (const name of ['poid', 'poid-sim'] as const) {
      const file = packageFile(name, from);
      cpSync(file, path.join(root, 'root', to, path.basename(file)));
    }
  }
  container = await Container.boot(root);
  shop = new Shop(container);
});
after(async () => {
  await container.stop();
  removeRoot(root);
  rmSync(dir, { recursive: true });
});

/** Ends the daemon's process by `act`, and returns how long systemd took to have another one that sells. */
async function replaced(t: TestContext, act: (pid: string) => Promise<unknown>): Promise<void> {
  const pid = await container.unit('MainPID');
  const began = performance.now();
  await act(pid);
  await until('systemd starts another', restartMs, async () => {
    const now = await container.unit('MainPID');
    return now !== pid && now !== '0' ? now : undefined;
  });
  await shop.ready();
  t.diagnostic(`sells again after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
}

/** Starts the daemon anew, and stops its process as soon as systemd has this time of it, and before READY. */
async function stopStarting(time: string): Promise<void> {
  const show = (property: string) => `$(systemctl show --value --property=${property} poid)`;
  await until('its start is caught', restartMs, async () => {
    const isAt = `[ "${show(time)}" != 0 ] && [ "${show('MainPID')}" != 0 ]`;
    await container.outputOf(
      `systemctl stop poid; systemctl start --no-block poid; until ${isAt}; do :; done; kill -STOP ${show('MainPID')}`,
    );
    if ((await container.unit('ActiveState')) === 'activating') return true;
    await container.outputOf(`kill -CONT ${show('MainPID')}`);
    return undefined;
  });
}

const log = () => container.outputOf('journalctl -u poid -o cat --no-pager');
const count = (text: string, pattern: RegExp) => text.match(new RegExp(pattern, 'g'))?.length ?? 0;
const isThere = async (file: string) => (await container.run(`test -e ${file}`)).code === 0;

/** What of the product is installed, in dpkg's words. */
const installed = (name: string) => container.outputOf(`dpkg-query -W -f='\${db:Status-Status} \${Version}' ${name}`);

describe('the life of the packages on a clean Debian 12 without network', () => {
  test('apt installs both; a terminal that is not provisioned says so once, and waits', async () => {
    assert.doesNotMatch(await container.outputOf('cat /proc/net/dev'), /eth|host/);
    const said = await container.outputOf('apt-get install -y ./poid_*.deb ./poid-sim_*.deb', { cwd: '/root/first' });
    assert.doesNotMatch(said, /warning|error|fail/i);
    await until('it was looked at', restartMs, async () => (/condition/.test(await log()) ? true : undefined));
    assert.equal(await container.unit('ConditionResult'), 'no');
    assert.equal(await container.unit('ActiveState'), 'inactive');
    assert.equal(await container.unit('NRestarts'), '0');
    assert.equal(count(await log(), /skipped because of an unmet condition/), 1, await log());
    assert.equal(await container.outputOf('systemctl is-enabled poid poid-sim'), 'enabled\nenabled');
  });

  test('provisioned, and the README’s sale is approved', async (t) => {
    await shop.provision();
    assert.equal((await shop.sellAsReadme()).responseResult, 'SUCCESS');
    await container.start('restart');
    const [from, to] = await Promise.all(
      ['ExecMainStartTimestampMonotonic', 'ActiveEnterTimestampMonotonic'].map((each) => container.unit(each)),
    );
    t.diagnostic(`from start to READY: ${((Number(to) - Number(from)) / 1e6).toFixed(2)} s`);
    assert.equal((await shop.sell('sold')).responseResult, 'SUCCESS');
  });

  test('a payment’s story is in the journal of the machine, under its id, its messageId, and with its priority', async () => {
    const { terminalTransactionId: id = '' } = await shop.enquire('sold');
    await container.outputOf('journalctl --sync');
    // Its receipt is printed after the POS has its answer.
    const story = await until('its receipt is printed', 30_000, async () => {
      const reported = await container.outputOf(`poid logs ${id}`);
      return / printed( |$)/m.test(reported) ? reported : undefined;
    });
    const lines = story.split('\n');
    const [started = -1, answer = -1, approved = -1] = [/ started /, / answer /, / approved /].map((word) =>
      lines.findIndex((line) => word.test(line)),
    );
    assert.ok(started >= 0 && started < answer && answer <= approved, story);
    assert.ok(
      lines.every((line) => /^\d{4}-\d\d-\d\dT/.test(line)),
      story,
    );
    assert.equal(await container.outputOf('poid logs sold'), story);
    const all = (await container.outputOf(`poid logs --json ${id}`))
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    assert.ok(all.length === lines.length && all.every((line) => 'level' in line && 'time' in line), story);
    assert.equal((await container.run('poid logs nobody')).code, 1);
    assert.doesNotMatch(await container.outputOf('journalctl -u poid -p warning -o cat --no-pager'), new RegExp(id));
  });

  test('what provisioning writes is no conffile, and the log of the machine is limited', async () => {
    assert.equal(await container.outputOf(`dpkg-query -W -f='\${Conffiles}' poid`), '');
    const { code } = await container.run('dpkg -S /etc/poid/poid.json');
    assert.notEqual(code, 0);
    assert.match(await container.outputOf('journalctl -b -t systemd-journald -o cat'), /max (?:32|128)\.0M/);
  });

  test('killed while a card is waited for: the POS learns that nothing was charged', async (t) => {
    const { answer } = await shop.begin('killed');
    await replaced(t, (pid) => container.outputOf(`kill -KILL ${pid}`));
    assert.deepEqual(await answer, {});
    const { responseResult, financialImpact } = await shop.enquire('killed');
    assert.deepEqual([responseResult, financialImpact], ['ERROR', 'NONE']);
    assert.equal((await shop.sell('after the kill')).responseResult, 'SUCCESS');
  });

  describe('stopped dead', () => {
    before(async () => {
      // The unit's own limits are 30 and 120 s. A slow machine takes seconds to its first word, and the watchdog comes before the other.
      await container.outputOf('mkdir -p /run/systemd/system/poid.service.d');
      const limits = '[Service]\nWatchdogSec=8\nTimeoutStartSec=25\n';
      await container.outputOf('cat > /run/systemd/system/poid.service.d/limits.conf', { input: limits });
      await container.outputOf('systemctl daemon-reload');
      await container.start('restart');
      await shop.ready();
    });
    after(async () => {
      await container.outputOf('rm -r /run/systemd/system/poid.service.d && systemctl daemon-reload');
      await container.start('restart');
    });

    test('while it is up: the watchdog ends it', async (t) => {
      await replaced(t, (pid) => container.outputOf(`kill -STOP ${pid}`));
      assert.equal(count(await log(), /Watchdog timeout/), 1);
      assert.equal((await shop.sell('after the watchdog')).responseResult, 'SUCCESS');
    });

    test('while it starts, after its first word: the watchdog ends it', async (t) => {
      await replaced(t, () => stopStarting('WatchdogTimestampMonotonic'));
      assert.equal(count(await log(), /Watchdog timeout/), 2);
    });

    test('before its first word: the limit of the start ends it', async (t) => {
      await replaced(t, () => stopStarting('ExecMainStartTimestampMonotonic'));
      assert.equal(count(await log(), /start operation timed out/), 1);
      assert.equal((await shop.sell('after the time-out')).responseResult, 'SUCCESS');
    });
  });

  test('an upgrade waits for the customer who is paying', async (t) => {
    const before = await container.unit('MainPID');
    const { answer } = await shop.begin('upgraded');
    await container.outputOf('touch /run/upgrade');
    const upgrade = container.outputOf('dpkg -i later/*.deb > /run/upgrade', { cwd: '/root' });
    upgrade.catch(() => undefined);
    const said = () => container.outputOf('cat /run/upgrade');
    await until('dpkg waits', restartMs, async () => (/is collecting/.test(await said()) ? true : undefined));
    assert.equal(await container.unit('MainPID'), before);
    const closed = watchClosed(t, container);
    await shop.tap();
    assert.equal((await answer).responseResult, 'SUCCESS');
    await upgrade;
    assert.match(await said(), /waiting: the terminal is collecting\n[^]*the terminal is idle/);
    await shop.ready();
    t.diagnostic(`no sale could be made for ${(await closed()).toFixed(1)} s`);
    assert.equal(await installed('poid'), `installed ${later}`);
    assert.notEqual(await container.unit('MainPID'), before);
    assert.equal((await shop.enquire('upgraded')).responseResult, 'SUCCESS');
  });

  test('one that waits no longer tells the POS of a restart, not of a merchant', async () => {
    const { answer } = await shop.begin('interrupted');
    const said = await container.outputOf('dpkg -i poid_*.deb', {
      cwd: '/root/later',
      env: { POID_UPGRADE_WAIT: '0' },
    });
    assert.match(said, /still busy[^]*does not wait any longer/);
    const { responseResult, financialImpact, message } = await answer;
    assert.deepEqual([responseResult, financialImpact], ['TRANSACTION_ALREADY_CANCEL', 'NONE']);
    assert.match(message ?? '', /^the terminal is being restarted/);
    await shop.ready();
    assert.equal((await shop.sell('after the upgrade')).responseResult, 'SUCCESS');
  });

  test('a downgrade keeps the journal', async () => {
    await container.outputOf('dpkg -i first/*.deb', { cwd: '/root' });
    await shop.ready();
    assert.notEqual(await installed('poid'), `installed ${later}`);
    assert.equal((await shop.enquire('upgraded')).responseResult, 'SUCCESS');
    assert.equal((await shop.sell('after the downgrade')).responseResult, 'SUCCESS');
  });

  test('a purge refuses money that is not settled; a reinstallation finds it', async () => {
    // The simulator stays: its hosts have the other books.
    const { code, said } = await container.run('dpkg --force-depends --purge poid');
    assert.notEqual(code, 0);
    assert.match(said, /\/var\/lib\/poid is not purged[^]*EDC[^]*POID_PURGE_UNSETTLED=yes/);
    assert.ok(await isThere('/var/lib/poid/journal.db'));
    assert.ok(await isThere('/etc/poid/poid.json'));
    assert.ok(!(await isThere('/usr/lib/poid/dist')));
    assert.equal((await container.run('systemctl is-active poid')).code, 3);
    // A second try knows no more.
    assert.notEqual((await container.run('dpkg --force-depends --purge poid')).code, 0);
    await container.outputOf('dpkg -i poid_*.deb', { cwd: '/root/first' });
    await shop.ready();
    assert.equal((await shop.enquire('sold')).responseResult, 'SUCCESS');
  });

  test('settled and removed, then purged: nothing is left', async () => {
    const settled = await shop.settle('settled');
    assert.equal(settled.responseResult, 'SUCCESS', JSON.stringify(settled));
    await container.outputOf('dpkg --force-depends --remove poid');
    assert.ok(await isThere('/var/lib/poid/journal.db'));
    await container.outputOf('dpkg --force-depends --purge poid');
    for (const file of ['/var/lib/poid', '/etc/poid', '/var/cache/poid', '/lib/systemd/system/poid.service']) {
      assert.ok(!(await isThere(file)), file);
    }
    assert.equal(
      await container.outputOf('ls /etc/credstore /etc/credstore.encrypted 2> /dev/null | grep poid || true'),
      '',
    );
  });

  test('a journal that changed after the removal is not the one that was settled', async () => {
    await container.outputOf('dpkg -i poid_*.deb', { cwd: '/root/first' });
    await shop.provision();
    await shop.ready();
    await container.outputOf('dpkg --force-depends --remove poid');
    await container.outputOf('touch /var/lib/poid/journal.db');
    const { code, said } = await container.run('dpkg --force-depends --purge poid');
    assert.notEqual(code, 0);
    assert.match(said, /is not purged/);
  });

  test('a word of force purges it', async () => {
    await container.outputOf('dpkg -i poid_*.deb', { cwd: '/root/first' });
    await shop.ready();
    assert.equal((await shop.sell('never settled')).responseResult, 'SUCCESS');
    const env = { POID_PURGE_UNSETTLED: 'yes' };
    await container.outputOf('dpkg --purge poid poid-sim', { env });
    assert.ok(!(await isThere('/var/lib/poid')));
    assert.ok(!(await isThere('/var/lib/poid-sim')));
    assert.equal(await container.outputOf('systemctl --failed --no-legend'), '');
  });

  test('apt installs each newer build over the one before, and none that is older', async () => {
    const install = (from: string) =>
      container.run('apt-get install -y ./poid_*.deb ./poid-sim_*.deb', { cwd: `/root/${from}` });
    for (const version of earlier) {
      const { code, said } = await install(version);
      assert.equal(code, 0, said);
      for (const name of ['poid', 'poid-sim']) assert.equal(await installed(name), `installed ${version}`);
    }
    const { code, said } = await install('first');
    assert.equal(code, 0, said);
    const present = await installed('poid');
    assert.ok(!present.endsWith(` ${earlier.at(-1)}`), present);
    assert.equal(present, `installed ${await container.outputOf('poid --version')}`);
    assert.equal(present, `installed ${await container.outputOf('poid-sim --version')}`);
    const older = await install(earlier[2]);
    assert.match(older.said, /downgraded/);
    assert.notEqual(older.code, 0);
    assert.equal(await installed('poid'), present);
  });
});
