import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { Door } from '../../../hw-sim/host/iso8583/door.ts';
import { HostTls, type TerminalFiles, type TlsFault, tlsFaults } from '../../../hw-sim/tls/host-tls.ts';
import type { LineFault, LineReport, LineTls } from '../../../src/base/domain/line-security.ts';
import { systemClock } from '../../../src/base/ports/clock.ts';
import { CardLine } from '../../../src/hosts/iso8583/line.ts';
import { needs } from '../../support/needs.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const tls = new HostTls();
let dir: string;
let files: TerminalFiles;
let server: Server;
let door: Door;
let port: number;
/** The connections that the host has accepted. */
let opened: Socket[];
let attempts: number;
const openings = new EventEmitter();

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-line-'));
  files = await tls.writeFiles(dir);
  opened = [];
  attempts = 0;
  door = doorOf(tls);
  server = createServer((socket) => {
    attempts += 1;
    door.enter(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  door.shut();
  for (const socket of opened) socket.destroy();
  server.close();
  await rm(dir, { recursive: true });
});

function doorOf(own: HostTls): Door {
  return new Door(own, (socket) => {
    socket.on('error', () => undefined);
    opened.push(socket);
    openings.emit('open');
  });
}

/** The host may complete a resumed handshake after the terminal. */
async function nextOpened(): Promise<Socket> {
  if (opened.length === 0) await once(openings, 'open');
  return opened.shift() ?? assert.fail('no host');
}

const usual = (): LineTls => ({
  ca: files.ca,
  clientCertificate: files.clientCertificate,
  clientKeyFile: files.clientKeyFile,
});

function open(settings: LineTls, clock = systemClock, reports: LineReport[] = []) {
  const line = new CardLine({ host: '127.0.0.1', security: { tls: settings } }, (report) => reports.push(report));
  const address = { host: '127.0.0.1', port, connectTimeoutMs: 10_000 };
  const dial = async () => (await line.dial(address, clock, new AbortController().signal)) as TLSSocket | undefined;
  return { line, dial, reports };
}

const pinOf = (pem: string) => new X509Certificate(pem).fingerprint256;

async function textOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

async function assertRefused(settings: LineTls, reason: LineFault): Promise<void> {
  const { line, dial, reports } = open(settings);
  assert.equal(await dial(), undefined);
  assert.equal(line.report.fault?.reason, reason);
  assert.deepEqual(
    reports.map(({ fault }) => fault?.reason),
    [reason],
  );
}

describe('a host that is trusted', () => {
  test('by its authority and its name', async () => {
    const { line, dial } = open(usual());
    const socket = await dial();
    assert.equal(socket?.getProtocol(), 'TLSv1.3');
    const { security, fault, certificate, clientCertificate } = line.report;
    assert.deepEqual([security, fault], ['tls', undefined]);
    assert.equal(certificate?.fingerprint, pinOf(tls.hostCertificate));
    assert.equal(certificate.notAfter, new X509Certificate(tls.hostCertificate).validToDate.toISOString());
    assert.equal(clientCertificate?.fingerprint, pinOf(tls.terminal.cert));
    socket.destroy();
  });

  for (const [what, shape] of [
    ['with colons', (pin: string) => pin],
    ['without, in lower case', (pin: string) => pin.replaceAll(':', '').toLowerCase()],
  ] as const) {
    test(`by its pinned certificate alone, ${what}`, async () => {
      const { ca: _, ...own } = usual();
      const pins = ['00'.repeat(32), shape(pinOf(tls.hostCertificate))];
      const socket = await open({ ...own, pins }).dial();
      assert.ok(socket);
      socket.destroy();
    });
  }

  test('a key that has its certificate in the same text, as a credential has it', async () => {
    const { key, cert } = tls.terminal;
    const socket = await open({ ca: files.ca, clientKey: key + cert }).dial();
    assert.ok(socket);
    socket.destroy();
  });

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    test(`messages pass in both directions, also in a resumed session of ${version}`, async () => {
      const own = new HostTls(version);
      await own.writeFiles(dir);
      door = doorOf(own);
      const { dial } = open(usual());
      for (const isReused of [false, true]) {
        const socket = (await dial()) ?? assert.fail('no connection');
        assert.deepEqual([socket.getProtocol(), socket.isSessionReused()], [version, isReused]);
        socket.write('request');
        const host = await nextOpened();
        const [request] = (await once(host, 'data')) as [Buffer];
        assert.equal(request.toString(), 'request');
        host.write('answer');
        const [answer] = (await once(socket, 'data')) as [Buffer];
        assert.equal(answer.toString(), 'answer');
        socket.destroy();
        host.destroy();
      }
    });
  }

  test('the next connection resumes the session, unless what the host is trusted by has changed', async () => {
    const { dial } = open(usual());
    const resumed = async () => {
      const socket = (await dial()) ?? assert.fail('no connection');
      const isReused = socket.isSessionReused();
      socket.destroy();
      return isReused;
    };
    assert.deepEqual([await resumed(), await resumed(), await resumed()], [false, true, true]);
    await writeFile(files.ca, tls.ca + tls.otherCa);
    assert.deepEqual([await resumed(), await resumed()], [false, true]);
  });

  test('a resumed session shows the certificate, and its end is still noticed', async () => {
    const clock = new ManualClock();
    clock.jump(Date.now() - clock.now().getTime());
    const { line, dial } = open(usual(), clock);
    (await dial())?.destroy();
    (await dial())?.destroy();
    assert.equal(line.report.certificate?.fingerprint, pinOf(tls.hostCertificate));
    clock.jump(365 * 86_400_000);
    assert.equal(await dial(), undefined);
    assert.equal(line.report.fault?.reason, 'certificateExpired');
  });
});

describe('a host that is not', () => {
  const expected: Readonly<Record<TlsFault, LineFault>> = {
    expired: 'certificateExpired',
    wrongName: 'certificateOfOtherName',
    otherCa: 'certificateNotTrusted',
    noClientCertificate: 'clientCertificateRefused',
    oldVersion: 'noCommonVersion',
    cutHandshake: 'handshakeCut',
  };
  for (const fault of tlsFaults) {
    test(`${fault}: not a byte is sent, and the reason is ${expected[fault]}`, async () => {
      door.fault = fault;
      await assertRefused(usual(), expected[fault]);
      // If the certificate is refused, the handshake itself still succeeds.
      for (const socket of opened) assert.equal(await textOf(socket), '');
    });
  }

  test('after the fault it is used again, and the report says so once', async () => {
    const { line, dial, reports } = open(usual());
    door.fault = 'expired';
    assert.equal(await dial(), undefined);
    assert.ok(Date.parse(line.report.certificate?.notAfter ?? '') < Date.now());
    door.fault = undefined;
    (await dial())?.destroy();
    (await dial())?.destroy();
    assert.deepEqual(
      reports.map(({ fault }) => fault?.reason),
      ['certificateExpired', undefined],
    );
  });

  test('another pin, with the authority and without', async () => {
    const { ca: _, ...own } = usual();
    await assertRefused({ ...usual(), pins: ['11'.repeat(32)] }, 'certificateNotPinned');
    await assertRefused({ ...own, pins: ['11'.repeat(32)] }, 'certificateNotPinned');
  });

  test('a pinned certificate that is over', async () => {
    door.fault = 'expired';
    const { ca: _, ...own } = usual();
    const probe = open({ ...own, pins: ['11'.repeat(32)] });
    await probe.dial();
    await assertRefused({ ...own, pins: [probe.line.report.certificate?.fingerprint ?? ''] }, 'certificateExpired');
  });

  test('another name than the configured one; the configured one', async () => {
    await assertRefused({ ...usual(), serverName: 'bank.example' }, 'certificateOfOtherName');
    const socket = await open({ ...usual(), serverName: 'hosts.simulator.example' }).dial();
    assert.ok(socket);
    socket.destroy();
  });

  test('no certificate for a host that wants one', async () => {
    await assertRefused({ ca: files.ca }, 'clientCertificateRefused');
  });

  test('the same for a host of TLS 1.2, whose alert has no reason', async () => {
    const own = new HostTls('TLSv1.2');
    files = await own.writeFiles(dir);
    door = doorOf(own);
    await assertRefused({ ca: files.ca }, 'handshakeRefused');
  });

  test('files that can’t be used', async () => {
    await assertRefused({ ...usual(), ca: path.join(dir, 'none.pem') }, 'trustUnusable');
    await assertRefused({ ...usual(), ca: files.clientKeyFile }, 'trustUnusable');
    await assertRefused({ ...usual(), clientCertificate: path.join(dir, 'none.pem') }, 'clientCertificateUnusable');
    // A certificate for another key.
    await assertRefused({ ...usual(), clientCertificate: files.otherCa }, 'clientCertificateUnusable');
  });

  test('plain bytes in place of a handshake', async () => {
    const plain = createServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    ({ port } = plain.address() as AddressInfo);
    await assertRefused(usual(), 'notTls');
    plain.close();
  });

  test('nobody', async () => {
    server.close();
    await once(server, 'close');
    await assertRefused(usual(), 'unreachable');
    server = createServer();
  });
});

test('a renewed certificate of the authority and of the terminal is used at the next connection', async () => {
  const { dial, line } = open(usual());
  (await dial())?.destroy();
  door.fault = 'otherCa';
  assert.equal(await dial(), undefined);
  await writeFile(files.ca, tls.otherCa);
  (await dial())?.destroy();
  assert.equal(line.report.fault, undefined);

  const { key, cert } = tls.renewTerminal();
  await writeFile(files.clientKeyFile, key);
  await writeFile(files.clientCertificate, cert);
  (await dial())?.destroy();
  assert.equal(line.report.fault, undefined);
  assert.equal(line.report.clientCertificate?.fingerprint, pinOf(cert));
});

test('after three refused handshakes the line rests between attempts; changed files end the rest', async () => {
  const clock = new ManualClock();
  clock.jump(Date.now() - clock.now().getTime());
  const { dial } = open(usual(), clock);
  door.fault = 'otherCa';
  for (const expected of [1, 2, 3, 3, 3]) {
    assert.equal(await dial(), undefined);
    assert.equal(attempts, expected);
  }
  await clock.advance(1_000);
  await dial();
  await dial();
  assert.equal(attempts, 4);
  await writeFile(files.ca, tls.otherCa);
  (await dial())?.destroy();
  assert.equal(attempts, 5);
});

test('a host that sends no tickets is waited for once', needs('openssl'), async (t) => {
  const clock = new ManualClock();
  clock.jump(Date.now() - clock.now().getTime());
  const identity = path.join(dir, 'host.pem');
  await writeFile(identity, tls.hostKey + tls.hostCertificate);
  const host = spawn('openssl', [
    's_server',
    '-accept',
    '127.0.0.1:0',
    '-key',
    identity,
    '-cert',
    identity,
    '-num_tickets',
    '0',
  ]);
  t.after(() => host.kill());
  for (let said = ''; !/^ACCEPT 127\.0\.0\.1:\d+/m.test(said); ) {
    said += String(((await once(host.stdout, 'data')) as [Buffer])[0]);
    port = Number(/^ACCEPT 127\.0\.0\.1:(\d+)/m.exec(said)?.[1] ?? 0);
  }
  const { dial } = open({ ca: files.ca }, clock);
  const first = dial();
  await clock.running(250);
  clock.pass(250);
  (await first)?.destroy();
  const second = await dial();
  assert.equal(second?.getProtocol(), 'TLSv1.3');
  second.destroy();
  assert.equal(clock.pending, 0);
});
