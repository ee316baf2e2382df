import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { AddressInfo } from 'node:net';
import { checkClock, isTimeServerReached } from '../../src/admin/checks/clock.ts';
import { checkHosts } from '../../src/admin/checks/hosts.ts';
import { listOwnAddresses } from '../../src/base/own-addresses.ts';
import { checkNetwork } from '../../src/admin/checks/network.ts';
import { checkSpace, checkWear } from '../../src/admin/checks/storage.ts';
import { checkWatchdog } from '../../src/admin/checks/watchdog.ts';
import { findingText, reportFindings } from '../../src/admin/finding.ts';
import { type Machine, machineAt } from '../../src/admin/machine.ts';
import type { Configuration } from '../../src/config/configuration.ts';

let root: string;
let machine: Machine;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'poid-checks-'));
  machine = machineAt(root);
});
afterEach(() => rmSync(root, { recursive: true }));

function plant(files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
}

describe('checks of the machine', () => {
  const now = new Date('2026-11-22T12:00:00Z');
  for (const [what, synchronised, built, verdict, detail] of [
    ['set by a time server', true, '2026-11-01', 'PASS', /set by a time server/],
    ['set by nobody', false, '2026-11-01', 'FAIL', /set by no time server/],
    ['before the build, though set', true, '2026-12-01', 'FAIL', /before this program was made/],
    ['not told', undefined, '2026-11-01', 'SKIPPED', /nothing on this machine tells/],
  ] as const) {
    test(`clock: ${what}`, () => {
      const finding = checkClock(now, synchronised, new Date(built));
      assert.equal(finding.verdict, verdict);
      assert.match(finding.detail, detail);
      assert.equal(finding.remedy !== undefined, verdict === 'FAIL');
    });
  }

  test('clock: on a line without internet no time server answers, which is no failure of the terminal', () => {
    const { verdict, detail } = checkClock(now, false, undefined, false);
    assert.deepEqual([verdict, /no time server is reachable on this line/.test(detail)], ['WARN', true]);
    assert.equal(reportFindings([checkClock(now, false, undefined, false)], true, {}), 0);
    // One that answers and has not set it is a failure, and so is a clock before the build.
    assert.equal(checkClock(now, false, undefined, true).verdict, 'FAIL');
    assert.equal(checkClock(now, false, undefined).verdict, 'FAIL');
    assert.equal(checkClock(now, false, new Date('2026-12-01'), false).verdict, 'FAIL');
    assert.equal(checkClock(now, true, undefined, false).verdict, 'PASS');
  });

  for (const [what, answers, isReached] of [
    ['timesyncd had an answer', { timedatectl: '{ Leap=0, Version=4, Mode=4, Stratum=2 }\n' }, true],
    ['timesyncd had none', { timedatectl: '\n' }, false],
    [
      'chrony has an answer',
      { chronyc: '^,?,192.0.2.1,0,6,0,4294967295,0,0,0\n^,*,192.0.2.2,2,6,17,12,0,0,0\n' },
      true,
    ],
    ['chrony has none', { chronyc: '^,?,192.0.2.1,0,6,0,4294967295,0.0,0.0,0.0\n' }, false],
    ['chrony has no source', { chronyc: '' }, false],
    ['nothing sets the clock', {}, undefined],
  ] as const) {
    test(`time server: ${what}`, () => {
      const run = (program: string) => (answers as Readonly<Record<string, string>>)[program];
      assert.equal(isTimeServerReached({ ...machine, run }), isReached);
    });
  }

  const address = { address: '192.0.2.7', netmask: '255.255.255.0', family: 'IPv4', mac: '', cidr: null } as const;
  const route = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\nmap\n';
  const defaultRoute = `${route}eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\n`;
  const localRoute = `${route}eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\n`;
  for (const [what, internal, routes, verdict, detail] of [
    ['an address and a way out', false, defaultRoute, 'PASS', /^eth0 192\.0\.2\.7$/],
    ['an address alone', false, localRoute, 'FAIL', /no way to other networks/],
    ['the loopback alone', true, defaultRoute, 'FAIL', /no interface has an address/],
  ] as const) {
    test(`network: ${what}`, () => {
      plant({ 'proc/net/route': routes });
      const finding = checkNetwork(
        listOwnAddresses(() => ({ eth0: [{ ...address, internal }] })),
        machine,
      );
      assert.equal(finding.verdict, verdict);
      assert.match(finding.detail, detail);
    });
  }

  test('network: a way by IPv6', () => {
    const zero = '0'.repeat(32);
    plant({ 'proc/net/ipv6_route': `${zero} 00 ${zero} 00 fe80 00000400 1 0 00000003 eth0\n` });
    const addresses = listOwnAddresses(() => ({ eth0: [{ ...address, internal: false }] }));
    assert.equal(checkNetwork(addresses, machine).verdict, 'PASS');
    plant({ 'proc/net/ipv6_route': `${zero} 00 ${zero} 00 ${zero} ffffffff 1 0 00200200 lo\n` });
    assert.equal(checkNetwork(addresses, machine).verdict, 'FAIL');
  });

  for (const [life, end, verdict] of [
    ['0x01 0x02', '0x01', 'PASS'],
    ['0x01 0x09', '0x01', 'WARN'],
    ['0x01 0x02', '0x02', 'WARN'],
    ['0x0b 0x01', '0x01', 'FAIL'],
    ['0x01 0x01', '0x03', 'FAIL'],
    [undefined, '', 'SKIPPED'],
  ] as const) {
    test(`storage wear: life ${life}, reserve ${end}`, () => {
      plant({ 'sys/block/mmcblk0boot0/device/x': '', 'sys/block/sda/device/model': 'disk' });
      if (life !== undefined) {
        const device = 'sys/block/mmcblk0/device';
        plant({ [`${device}/life_time`]: `${life}\n`, [`${device}/pre_eol_info`]: `${end}\n` });
      }
      assert.equal(checkWear(machine).verdict, verdict);
    });
  }

  test('watchdog: none, one that nobody feeds, one that is fed', () => {
    assert.equal(checkWatchdog(machine).verdict, 'SKIPPED');
    const place = 'sys/class/watchdog/watchdog0';
    plant({
      [`${place}/state`]: 'inactive\n',
      [`${place}/identity`]: 'i6300ESB timer\n',
      [`${place}/timeout`]: '30\n',
    });
    const { verdict, detail, remedy } = checkWatchdog(machine);
    assert.deepEqual([verdict, detail], ['FAIL', 'i6300ESB timer is there, and nobody feeds it']);
    assert.match(remedy ?? '', /RuntimeWatchdogSec/);
    plant({ [`${place}/state`]: 'active\n' });
    assert.deepEqual(checkWatchdog(machine).detail, 'i6300ESB timer is fed, 30 s');
  });

  const mebibyte = 1024 * 1024;
  for (const [free, verdict] of [
    [10, 'FAIL'],
    [100, 'WARN'],
    [1_000, 'PASS'],
  ] as const) {
    test(`disk: ${free} MiB free`, () => {
      const space = () => ({ free: free * mebibyte, total: 2_000 * mebibyte });
      assert.equal(checkSpace({ ...machine, space }, '/var/lib/poid').verdict, verdict);
    });
  }

  test('disk: no state directory; and the machine’s own space', () => {
    assert.equal(checkSpace(machine, '/none').verdict, 'FAIL');
    const { free = 0, total = -1 } = machine.space('/') ?? {};
    assert.ok(free >= 0 && total >= free);
  });

  test('a host that takes connections, and one that does not', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const acquirer = { id: 'EDC', protocol: 'iso8583', host: '127.0.0.1', port, connectTimeoutMs: 5_000 };
    const wallet = { id: 'QR', protocol: 'qfpay', url: `http://127.0.0.1:${port}/x`, connectTimeoutMs: 5_000 };
    const configuration = { acquirers: [acquirer, wallet] } as unknown as Configuration;
    const verdicts = async () => (await checkHosts(configuration, false)).map(({ part, verdict }) => [part, verdict]);
    const expected = (verdict: string) => [
      ['host EDC', verdict],
      ['host QR', verdict],
    ];
    assert.deepEqual(await verdicts(), expected('PASS'));
    server.close();
    await once(server, 'close');
    assert.deepEqual(await verdicts(), expected('FAIL'));
  });
});

test('a report: a line each and what to do, or JSON; the exit code tells a failure, not a warning', (t) => {
  const reported: string[] = [];
  t.mock.method(console, 'log', (text: string) => reported.push(text));
  const good = [
    { part: 'a', verdict: 'PASS', detail: 'there' },
    { part: 'b', verdict: 'WARN', detail: 'old', remedy: 'renew' },
    { part: 'c', verdict: 'SKIPPED', detail: 'none' },
  ] as const;
  assert.equal(reportFindings(good, false, {}), 0);
  assert.match(
    reported[0] ?? '',
    /^PASS {4}a +there\nWARN {4}b +old\n +do: renew\nSKIPPED c +none\n1 PASS, 1 WARN, 1 SKIPPED$/,
  );
  assert.equal(reportFindings([...good, { part: 'd', verdict: 'FAIL', detail: 'x', remedy: 'y' }], true, { n: 1 }), 1);
  const { n, result, findings } = JSON.parse(reported[1] ?? '') as { n: number; result: string; findings: unknown[] };
  assert.deepEqual([n, result, findings.length], [1, 'FAIL', 4]);
  assert.equal(findingText(good[0]), 'PASS    a              there');
});
