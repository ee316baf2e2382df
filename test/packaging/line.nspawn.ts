import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Finding } from '../../src/admin/finding.ts';
import { Container, freshRoot, removeRoot, until } from './machine/container.ts';
import { built, packageFile } from './machine/packages.ts';
import { Shop } from './machine/shop.ts';

const endMs = 60_000;
/** What a container without network and clock can't have. */
const lacking = ['clock', 'network'];

let root: string;
let container: Container;
let shop: Shop;
before(async () => {
  root = freshRoot();
  for (const name of ['poid', 'poid-sim'] as const) {
    cpSync(packageFile(name, built), path.join(root, 'root', path.basename(packageFile(name, built))));
  }
  container = await Container.boot(root);
  shop = new Shop(container);
  await container.outputOf('apt-get install -y ./poid_*.deb ./poid-sim_*.deb', { cwd: '/root' });
  await shop.provision();
});
after(async () => {
  await container.stop();
  removeRoot(root);
});

/** The findings of a command by their parts, but those that no container can mend. */
async function found(command: string): Promise<Map<string, Finding>> {
  const { said } = await container.run(command);
  const { findings } = JSON.parse(said) as { findings: Finding[] };
  return new Map(findings.filter(({ part }) => !lacking.includes(part)).map((each) => [each.part, each]));
}

const failed = (findings: ReadonlyMap<string, Finding>) =>
  [...findings.values()].filter(({ verdict }) => verdict === 'FAIL').map(({ part }) => part);
const isThere = async (file: string) => (await container.run(`test -e ${file}`)).code === 0;
const input = () => container.outputOf('cat /var/lib/poid-sim/poid.json');

/** Provisions the terminal anew; the simulator's test key is in the input alone. */
async function provisionAgain(): Promise<string> {
  const settings = { ...(JSON.parse(await input()) as object), serialNumber: 'TEST-1', timeZone: 'Asia/Hong_Kong' };
  return container.outputOf('poid provision --force -', { input: JSON.stringify(settings) });
}

describe('the commands of the line under systemd', () => {
  test('keys are sealed, no file of the terminal has them, and the service is given them', async () => {
    const { acquirers } = JSON.parse(await input()) as { acquirers: { clientKey?: string }[] };
    const key = acquirers.find(({ clientKey }) => clientKey !== undefined)?.clientKey ?? '';
    assert.notEqual(key, '');
    const holders = await container.run(`grep -rl -- ${key} /etc /var/lib/poid /var/log`);
    assert.deepEqual(holders, { code: 1, said: '' });
    assert.equal(await container.outputOf('stat -c "%U %a" /etc/credstore.encrypted/poid.sealed-keys'), 'root 600');
    const passed = '/run/credentials/poid.service/poid.sealed-keys';
    assert.ok((await container.outputOf(`cat ${passed}`)).includes(key));
    assert.equal(await container.outputOf(`stat -c "%U %a" ${passed}`), 'poid 400');
  });

  test('the doctor of a running terminal; the self-test and the reset refuse to run beside it', async () => {
    await shop.ready();
    const findings = await found('poid doctor --json');
    assert.deepEqual(failed(findings), []);
    for (const part of ['keys', 'unit', 'journal', 'reader', 'printer', 'host QR']) {
      assert.equal(findings.get(part)?.verdict, 'PASS', JSON.stringify(findings.get(part)));
    }
    for (const command of [
      'poid selftest --unattended',
      'poid factory-reset --yes TEST-1',
      'poid provision --force -',
    ]) {
      const settings = JSON.stringify({ ...(JSON.parse(await input()) as object), timeZone: 'Asia/Hong_Kong' });
      const { code, said } = await container.run(command, { input: settings });
      assert.equal(code, 1, said);
      assert.match(said, /stop it first/);
    }
  });

  test('unsettled money forbids reset and provisioning; settled, a self-test asks the wallet’s host with its key', async () => {
    assert.equal((await shop.sell('unsettled')).responseResult, 'SUCCESS');
    await container.outputOf('systemctl stop poid');
    for (const command of ['poid unsettled', 'poid factory-reset --yes TEST-1']) {
      const { code, said } = await container.run(command);
      assert.equal(code, 3, said);
      assert.match(said, /EDC: 1 not settled/);
    }
    await container.start();
    await shop.ready();
    assert.equal((await shop.settle('settled')).responseResult, 'SUCCESS');
    await container.outputOf('systemctl stop poid');
    assert.equal(await container.outputOf('poid unsettled'), 'nothing is unsettled');
    const tested = await found('poid selftest --unattended --json');
    assert.deepEqual(failed(tested), []);
    assert.equal(tested.get('host QR')?.verdict, 'PASS');
    assert.deepEqual(failed(await found('poid doctor --json')), ['unit']);
  });

  test('a device that root may open and the service may not', async () => {
    const line = await container.outputOf('readlink -f /var/lib/poid-sim/printer');
    const [owner, mode] = (await container.outputOf(`stat -c "%u:%g %a" ${line}`)).split(' ');
    await container.outputOf(`chown root:root ${line} && chmod 600 ${line}`);
    const { detail, remedy } = (await found('poid doctor --json')).get('printer') ?? {};
    assert.match(detail ?? '', /this user may not open it/);
    assert.match(remedy ?? '', /udevadm/);
    await container.outputOf(`chown ${owner} ${line} && chmod ${mode} ${line}`);
  });

  test('keys of another machine: the service does not start, the doctor says why, provisioning mends it', async () => {
    await container.outputOf('mv /var/lib/systemd/credential.secret /root/');
    const { code } = await container.run('systemctl start poid');
    assert.notEqual(code, 0);
    // 243/CREDENTIALS: systemd.exec(5).
    await until('its keys are refused', endMs, async () =>
      (await container.unit('ExecMainStatus')) === '243' ? true : undefined,
    );
    await container.outputOf('systemctl stop poid');
    const { verdict, remedy } = (await found('poid doctor --json')).get('keys') ?? {};
    assert.deepEqual([verdict, remedy], ['FAIL', 'poid provision --force FILE']);
    assert.match(await provisionAgain(), /encrypted for this machine/);
    await container.start();
    await shop.ready();
    await container.outputOf('systemctl stop poid');
  });

  test('a machine that can’t encrypt: the keys are root’s alone, and the service has them all the same', async () => {
    await container.outputOf('mv /usr/bin/systemd-creds /root/');
    assert.match(await provisionAgain(), /readable by root alone, not encrypted/);
    assert.ok(!(await isThere('/etc/credstore.encrypted/poid.sealed-keys')));
    assert.equal(await container.outputOf('stat -c "%U %a" /etc/credstore/poid.keys'), 'root 600');
    await container.start();
    await shop.ready();
    assert.equal((await found('poid doctor --json')).get('keys')?.verdict, 'PASS');
    await container.outputOf('systemctl stop poid; mv /root/systemd-creds /usr/bin/');
  });

  test('a factory reset: the shop is gone, the record is not, and the service waits', async () => {
    const { code, said } = await container.run('poid factory-reset', { input: 'TEST-2\n' });
    assert.equal(code, 1);
    assert.match(said, /that is not TEST-1: nothing was removed/);
    await container.outputOf('poid factory-reset', { input: 'TEST-1\n' });
    const left = await container.outputOf(
      'ls /etc/poid /etc/credstore /etc/credstore.encrypted /var/lib/poid /var/lib/poid-admin | sort',
    );
    assert.deepEqual(
      left.split('\n').filter((each) => each !== '' && !each.endsWith(':')),
      ['audit.jsonl', 'serial-number'],
    );
    const record = (await container.outputOf('cat /var/lib/poid-admin/audit.jsonl')).split('\n');
    const actions = record.map((line) => (JSON.parse(line) as { action: string }).action);
    assert.deepEqual(actions, ['provision', 'provision', 'provision', 'factory-reset']);
    await container.start();
    await until('its condition was looked at', endMs, async () =>
      (await container.unit('ConditionResult')) === 'no' ? true : undefined,
    );
    assert.equal(await container.unit('ActiveState'), 'inactive');
  });
});
