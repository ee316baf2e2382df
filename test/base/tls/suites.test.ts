import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { dialHost } from '../../../src/base/dial/dial.ts';
import { systemClock } from '../../../src/base/ports/clock.ts';
import { CardLine } from '../../../src/hosts/iso8583/line.ts';
import { terminalFetch } from '../../../src/admin/shell/terminal-fetch.ts';
import { selfSign } from '../../../src/base/tls/certificate.ts';
import { served } from '../../pos/api/served.ts';
import { needs } from '../../support/needs.ts';
import { everySuite, isVersionAccepted, listAcceptedSuites, parseHello } from './hello.ts';

/** By their numbers at IANA: the three of TLS 1.3 without CCM, and those of TLS 1.2 with GCM or ChaCha20-Poly1305. */
const tls13 = [0x1301, 0x1302, 0x1303];
const ecdsa = [0xc02b, 0xc02c, 0xcca9];
const rsa = [0xc02f, 0xc030, 0xcca8];

const many = { connectionsMax: 64, perAddressMax: 64, newPerSecondMax: 1_000 };

async function server(t: TestContext, tls: { readonly key: string; readonly cert: string }): Promise<number> {
  return (await served(t, { tls, limits: many })).port;
}

/** A server's own file may hold a key of RSA, too. */
function rsaIdentity(): { readonly key: string; readonly cert: string } {
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'];
  const text = execFileSync('openssl', [...words, '-keyout', '-', '-out', '-'], { stdio: 'pipe' }).toString();
  const part = (name: string) => new RegExp(`-----BEGIN ${name}-----[^]*-----END ${name}-----\n`).exec(text)?.[0] ?? '';
  return { key: part('PRIVATE KEY'), cert: part('CERTIFICATE') };
}

describe('the server, of all suites that have a number', () => {
  test('accepts authenticated ones with an ephemeral key exchange alone: no CBC, ARIA, CCM, RSA', async (t) => {
    assert.ok(everySuite.length > 600);
    const port = await server(t, selfSign(['127.0.0.1']));
    assert.deepEqual(await listAcceptedSuites(port, 'tls13'), tls13);
    assert.deepEqual(await listAcceptedSuites(port, 'tls12'), ecdsa);
  });

  test('with a certificate of RSA the same', needs('openssl'), async (t) => {
    const port = await server(t, rsaIdentity());
    assert.deepEqual(await listAcceptedSuites(port, 'tls13'), tls13);
    assert.deepEqual(
      await listAcceptedSuites(port, 'tls12'),
      rsa.toSorted((a, b) => a - b),
    );
  });

  test('and no version before TLS 1.2', async (t) => {
    const port = await server(t, selfSign(['127.0.0.1']));
    assert.deepEqual(
      await Promise.all([0x0300, 0x0301, 0x0302, 0x0303].map((version) => isVersionAccepted(port, version))),
      [false, false, false, true],
    );
  });
});

/** What a client offers to a server that hangs up on it. */
async function offer(t: TestContext, call: (port: number) => Promise<unknown>) {
  const listener = net.createServer().listen(0, '127.0.0.1');
  t.after(() => listener.close());
  await once(listener, 'listening');
  const heard = new Promise<Buffer>((resolve) => {
    listener.once('connection', (socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (hello: Buffer) => {
        resolve(hello);
        socket.destroy();
      });
    });
  });
  await assert.rejects(call((listener.address() as AddressInfo).port));
  return parseHello(await heard);
}

describe('the clients offer the same', () => {
  const expected = { suites: [...tls13, ...ecdsa, ...rsa].toSorted((a, b) => a - b), versions: [0x0304, 0x0303] };
  const sorted = ({ suites, versions }: { suites: number[]; versions: number[] }) => ({
    suites: suites.toSorted((a, b) => a - b),
    versions,
  });

  test('to hosts, wallets, brokers and hawkBit, which one function dials', async (t) => {
    const { signal } = new AbortController();
    const target = { host: '127.0.0.1', secure: {}, connectTimeoutMs: 10_000 };
    const hello = await offer(t, (port) => dialHost({ ...target, port }, systemClock, signal));
    assert.deepEqual(sorted(hello), expected);
  });

  test('to a host of cards, whose line has a context of its own', async (t) => {
    const line = new CardLine({ host: '127.0.0.1', security: { tls: { pins: ['00'.repeat(32)] } } });
    const { signal } = new AbortController();
    const hello = await offer(t, async (port) => {
      const socket = await line.dial({ host: '127.0.0.1', port, connectTimeoutMs: 10_000 }, systemClock, signal);
      assert.ok(socket, 'refused');
    });
    assert.deepEqual(sorted(hello), expected);
  });

  for (const [what, trust] of [
    ['by the machine’s authorities', {}],
    ['by a certificate', { ca: selfSign(['127.0.0.1']).cert }],
    ['by a fingerprint', { fingerprint: '00' }],
  ] as const) {
    test(`to a terminal, from the shell: ${what}`, async (t) => {
      const hello = await offer(t, (port) => terminalFetch(trust)(`https://127.0.0.1:${port}/`));
      assert.deepEqual(sorted(hello), expected);
    });
  }
});

test('whatever in src opens TLS goes by these rules', () => {
  const root = new URL('../../../', import.meta.url);
  const opening = globSync('src/**/*.ts', { cwd: root }).filter((file) =>
    /^import (?!type).* from 'node:(?:tls|https)';$/m.test(readFileSync(new URL(file, root), 'utf8')),
  );
  const without = opening.filter((file) => !/\.\.\.tlsRules/.test(readFileSync(new URL(file, root), 'utf8')));
  // It sends requests over a socket that dialHost has opened.
  assert.deepEqual(without, ['src/fleet/updates/https-exchange.ts']);
  assert.equal(opening.length, 6);
});
