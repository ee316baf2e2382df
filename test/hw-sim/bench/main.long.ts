import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { testAppCode, testClientKey } from '../../../hw-sim/host/qfpay/host.ts';
import { carrierHere } from '../../../hw-sim/reader/reports/open.ts';
import { call } from './bench-in-use.ts';

const main = fileURLToPath(new URL('../../../hw-sim/main.ts', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
  /** What it said of its card reader. */
  readonly reader: string;
}

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

async function directory(t: TestContext): Promise<string> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'poid-sim-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

function launch(t: TestContext, ...flags: string[]): ChildProcess {
  const child = spawn(process.execPath, [main, ...flags], { cwd: root });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** Waits for the two lines that say it runs. */
async function started(t: TestContext, ...flags: string[]): Promise<Running> {
  const child = launch(t, ...flags);
  child.stderr?.pipe(process.stderr);
  let text = '';
  while (!/\n.*\n$/.test(text)) {
    assert.ok(child.stdout);
    const [chunk] = z.tuple([z.instanceof(Buffer)]).parse(await once(child.stdout, 'data'));
    text += chunk.toString();
  }
  const lines = /^simulator http:\/\/127\.0\.0\.1:(\d+) {2}configuration \S+poid\.json\ncard reader: (.*)\n$/;
  const [, port, reader] = lines.exec(text) ?? [];
  assert.ok(port && reader, text);
  return { child, port: Number(port), reader };
}

async function ended(child: ChildProcess): Promise<Ended> {
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = z.tuple([z.number().nullable(), z.unknown()]).parse(await once(child, 'close'));
  return { code, stderr };
}

async function stopped({ child }: Running, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  const end = ended(child);
  child.kill(signal);
  return (await end).code;
}

/** Ports of the hosts, by acquirer. */
async function hostPorts(dir: string): Promise<Readonly<Record<string, number>>> {
  const address = z.union([
    z.object({ id: z.string(), port: z.number() }),
    z.object({ id: z.string(), url: z.string() }),
  ]);
  const shape = z.object({ acquirers: z.array(address) });
  const { acquirers } = shape.parse(JSON.parse(await readFile(path.join(dir, 'poid.json'), 'utf8')));
  return Object.fromEntries(
    acquirers.map((each) => [each.id, 'port' in each ? each.port : Number(new URL(each.url).port)]),
  );
}

/**
 * Gives the hosts free ports that the kernel gives to nobody (ip_local_port_range): it may give any other away
 * meanwhile.
 */
async function movePorts(dir: string): Promise<void> {
  const file = path.join(dir, 'poid.json');
  let text = await readFile(file, 'utf8');
  let next = 20_000 + (process.pid % 10_000);
  for (const port of Object.values(await hostPorts(dir))) {
    while (!(await isFree(next))) next += 1;
    text = text.replaceAll(String(port), String(next));
    next += 1;
  }
  await writeFile(file, text);
}

async function isFree(port: number): Promise<boolean> {
  const server = net.createServer().listen(port, '127.0.0.1');
  const [isTaken] = await Promise.race([
    once(server, 'listening').then(() => [false]),
    once(server, 'error').then(() => [true]),
  ]);
  if (!isTaken) await new Promise((resolve) => server.close(resolve));
  return !isTaken;
}

/** Whether there is a link, wherever it points to. */
function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** The files for mutual TLS between terminal and simulated hosts. */
const tlsFiles = ['hosts-ca.pem', 'hosts-other-ca.pem', 'terminal-certificate.pem', 'terminal-key.pem'];

describe('the simulator as a process', () => {
  for (const [model, driver, numbers] of [
    ['neo2-hid', 'neo2', { vendorId: '0acd', productId: '3530' }],
    ['mms', 'mms', { vendorId: '0801', productId: '2020' }],
  ] as const) {
    it(`is a ${model} reader, and tells the daemon where it is`, async (t) => {
      const dir = await directory(t);
      const carrier = await carrierHere();
      t.diagnostic(`carrier ${carrier}`);
      const running = await started(t, '--sim-port', '0', '--sim-dir', dir, '--reader', model);
      const hid = carrier === 'uhid' ? numbers : { stream: path.join(dir, 'reader') };
      const { reader } = z
        .object({ reader: z.unknown() })
        .parse(JSON.parse(await readFile(path.join(dir, 'poid.json'), 'utf8')));
      assert.deepEqual(reader, { driver, hid });
      assert.equal(isLink(path.join(dir, 'reader')), carrier === 'stream');
      const state = (await call(running.port, 'GET', '/api/state')).json();
      assert.equal(z.object({ reader: z.object({ carrier: z.string() }) }).parse(state).reader.carrier, carrier);
      assert.match(
        running.reader,
        new RegExp(`^${model} on a ${carrier === 'uhid' ? 'HID device' : 'stream.*, because'}`),
      );
      assert.equal(await stopped(running), 0);
      assert.equal(isLink(path.join(dir, 'reader')), false);
    });
  }

  it('uses the stream where that is asked for, and says so', async (t) => {
    const dir = await directory(t);
    const running = await started(t, '--sim-port', '0', '--sim-dir', dir, '--reader', 'mms', '--carrier', 'stream');
    assert.equal(running.reader, 'mms on a stream of HID reports');
    assert.equal(isLink(path.join(dir, 'reader')), true);
    assert.equal(await stopped(running), 0);
  });

  it('ends with a sentence where /dev/uhid is asked for and can’t be had', async (t) => {
    const dir = await directory(t);
    const flags = ['--sim-port', '0', '--sim-dir', dir, '--reader', 'mms', '--carrier', 'uhid'];
    if ((await carrierHere()) === 'uhid') {
      const running = await started(t, ...flags);
      assert.equal(running.reader, 'mms on a HID device of the kernel (/dev/uhid)');
      assert.equal(await stopped(running), 0);
      return;
    }
    const { code, stderr } = await ended(launch(t, ...flags));
    assert.equal(code, 1);
    assert.match(stderr, /^simulator: --carrier uhid: .*\/dev\/uhid.*; --carrier stream works everywhere\.\n$/);
    assert.deepEqual(await readdir(dir), []);
  });

  it('starts, writes the configuration of a daemon, and leaves no links on SIGTERM', async (t) => {
    const dir = path.join(await directory(t), 'not', 'there', 'yet');
    const running = await started(t, '--sim-port', '0', '--sim-dir', dir);
    const names = ['reader', 'printer', 'scanner', 'octopus'];
    const devices = names.map((name) => path.join(dir, name));
    assert.deepEqual(devices.map(existsSync), [true, true, true, true]);
    const ports = await hostPorts(dir);
    const currencies = ['HKD', 'CNY', 'USD', 'JPY', 'KWD'];
    const security = {
      tls: {
        ca: path.join(dir, 'hosts-ca.pem'),
        clientCertificate: path.join(dir, 'terminal-certificate.pem'),
        clientKeyFile: path.join(dir, 'terminal-key.pem'),
      },
    };
    const usual = { protocol: 'iso8583', host: '127.0.0.1', connectTimeoutMs: 1000, replyTimeoutMs: 6000 };
    const acquirer = { ...usual, security };
    assert.deepEqual(JSON.parse(await readFile(path.join(dir, 'poid.json'), 'utf8')), {
      shop: { name: 'Harbour Tea House', address: '1 Pier Road, Hong Kong', phone: '', email: '', logo: '' },
      reader: { driver: 'neo2', path: devices[0], baudRate: 115200 },
      printer: { driver: 'escpos', path: devices[1], baudRate: 115200, columns: 48 },
      scanner: { driver: 'line', path: devices[2], baudRate: 115200, trigger: { on: '16540D', off: '16550D' } },
      octopus: { driver: 'agent', path: devices[3] },
      cash: true,
      tips: { percents: [10, 15, 20], amounts: { HKD: [1000, 2000], JPY: [100, 500] }, ownAmount: true },
      timeouts: { walletPollMs: 500 },
      acquirers: [
        {
          ...acquirer,
          id: 'CUP',
          port: ports['CUP'],
          tid: '87654321',
          mid: '543210987654321',
          nii: '004',
          tpdu: '6000040000',
          brands: ['UNIONPAY'],
          currencies,
        },
        {
          ...acquirer,
          id: 'EDC',
          port: ports['EDC'],
          tid: '12345678',
          mid: '123456789012345',
          nii: '003',
          tpdu: '6000030000',
          brands: ['VISA', 'MASTER', 'AMEX', 'JCB', 'UNIONPAY'],
          currencies,
        },
        {
          ...acquirer,
          id: 'EPS',
          port: ports['EPS'],
          tid: '24682468',
          mid: '246824682468246',
          nii: '005',
          tpdu: '6000050000',
          brands: ['EPS'],
        },
        {
          id: 'QR',
          protocol: 'qfpay',
          url: `http://127.0.0.1:${ports['QR']}`,
          tid: 'POID0001',
          appCode: testAppCode,
          clientKey: testClientKey,
          connectTimeoutMs: 1000,
          replyTimeoutMs: 6000,
        },
      ],
    });
    assert.match((await call(running.port, 'GET', '/api/state')).body.toString(), /"auto":false/);
    assert.equal(await stopped(running), 0);
    assert.deepEqual((await readdir(dir)).toSorted(), ['poid.json', ...tlsFiles].toSorted());
  });

  it('keeps its host ports, and takes others where one is taken', async (t) => {
    const dir = await directory(t);
    const flags = ['--sim-port', '0', '--sim-dir', dir, '--auto'];
    const first = await started(t, ...flags);
    assert.equal(await stopped(first, 'SIGINT'), 0);
    await movePorts(dir);
    const ports = await hostPorts(dir);

    const second = await started(t, ...flags);
    assert.deepEqual(await hostPorts(dir), ports);
    assert.match((await call(second.port, 'GET', '/api/state')).body.toString(), /"auto":true/);
    assert.equal(await stopped(second), 0);

    for (const id of ['CUP', 'QR']) {
      const squatter = net.createServer().listen(ports[id], '127.0.0.1');
      await once(squatter, 'listening');
      t.after(() => squatter.close());
    }
    const third = await started(t, ...flags);
    const moved = await hostPorts(dir);
    assert.deepEqual(
      Object.keys(ports).filter((id) => moved[id] !== ports[id]),
      ['CUP', 'QR'],
    );
    assert.equal(await stopped(third), 0);
  });

  const skip = process.getuid?.() === 0 ? false : 'only root can give a directory away';
  it('root is refused a directory of another user, and one that would be below it', { skip }, async (t) => {
    const dir = await directory(t);
    const theirs = path.join(dir, 'theirs');
    const link = path.join(dir, 'link');
    await mkdir(theirs);
    await chown(theirs, 64_101, 64_102);
    await symlink(theirs, link);
    for (const each of [theirs, path.join(theirs, 'not/there'), path.join(link, 'not/there')]) {
      const { code, stderr } = await ended(launch(t, '--sim-port', '0', '--sim-dir', each));
      assert.equal(code, 1);
      assert.match(stderr, /belongs to another user: root runs no simulator in it/);
    }
    assert.deepEqual(await readdir(theirs), []);
  });

  it('is refused a directory where another works, and takes over from a killed one', async (t) => {
    const dir = await directory(t);
    const flags = ['--sim-port', '0', '--sim-dir', dir];
    const first = await started(t, ...flags);
    const refused = await ended(launch(t, ...flags));
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^simulator: a simulator runs in \S+ already; .*\n$/);
    assert.equal((await call(first.port, 'GET', '/api/state')).status, 200);
    assert.ok(existsSync(path.join(dir, 'reader')));

    await stopped(first, 'SIGKILL');
    assert.ok(isLink(path.join(dir, 'reader')));
    const second = await started(t, ...flags);
    assert.ok(existsSync(path.join(dir, 'reader')));
    assert.equal(await stopped(second), 0);
    assert.equal(isLink(path.join(dir, 'reader')), false);
  });

  it('says in one sentence why it does not start', async (t) => {
    const dir = await directory(t);
    const taken = net.createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    t.after(() => taken.close());
    const { port } = z.object({ port: z.number() }).parse(taken.address());
    const inUse = await ended(launch(t, '--sim-port', String(port), '--sim-dir', dir));
    assert.equal(inUse.code, 1);
    assert.equal(inUse.stderr, `simulator: port ${port} is in use; name another with --sim-port.\n`);
    assert.deepEqual(await readdir(dir), []);

    const unknown = await ended(launch(t, '--sim-prot', '0'));
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /^simulator: .*--sim-prot.*\n$/);
    const carrier = await ended(launch(t, '--reader', 'mms', '--carrier', 'usb'));
    assert.deepEqual(carrier, { code: 2, stderr: 'simulator: --carrier is one of uhid, stream.\n' });
    const serial = await ended(launch(t, '--carrier', 'stream'));
    assert.deepEqual(serial, { code: 2, stderr: 'simulator: --carrier goes with a HID reader: neo2-hid or mms.\n' });
    const number = await ended(launch(t, '--sim-port', '80 90'));
    assert.equal(number.code, 2);
    assert.match(number.stderr, /^simulator: --sim-port is a number from 0 to 65535\.\n$/);
  });

  it('tells a parent when it is ready, leaves Ctrl-C to it, and ends when it is gone', async (t) => {
    const dir = await directory(t);
    const child = fork(main, ['--sim-port', '0', '--sim-dir', dir], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    t.after(() => child.kill('SIGKILL'));
    const message = { ready: z.literal(true), port: z.number(), configuration: z.string(), reader: z.string() };
    const shape = z.tuple([z.strictObject(message)]);
    const [{ port, configuration, reader }] = shape.parse((await once(child, 'message')).slice(0, 1));
    assert.equal(configuration, path.join(dir, 'poid.json'));
    assert.equal(reader, 'neo2 on a serial line');
    child.kill('SIGINT');
    for (let i = 0; i < 3; i++) assert.equal((await call(port, 'GET', '/api/state')).status, 200);
    const end = once(child, 'exit');
    child.disconnect();
    assert.deepEqual(await end, [0, null]);
    assert.deepEqual((await readdir(dir)).toSorted(), ['poid.json', ...tlsFiles].toSorted());
  });
});
