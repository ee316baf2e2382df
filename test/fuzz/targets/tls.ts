import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect as connectSecurely } from 'node:tls';
import type { ApiServer } from '../../../src/pos/api/server.ts';
import { RefusedHost } from '../../../src/hosts/iso8583/line-fault.ts';
import { readMaterial } from '../../../src/hosts/iso8583/line-files.ts';
import { selfSign } from '../../../src/base/tls/certificate.ts';
import { tlsIdentity } from '../../../src/base/tls/tls-identity.ts';
import { binaryTokens, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, type Target } from '../target.ts';
import { served } from './http.ts';

const made = selfSign(['localhost', '127.0.0.1']);
const failures: unknown[] = [];
let server: Promise<ApiServer> | undefined;

/** A client's hello as OpenSSL writes it (RFC 8446, 4.1.2), and records of other kinds. */
const hello = Buffer.from(
  '16030100a1010000 9d0303'.replace(' ', '') +
    '11'.repeat(32) +
    '20' +
    '22'.repeat(32) +
    '00081302130313011 30500ff'.replace(' ', '').slice(0, 20) +
    '0100' +
    '004c' +
    '000b000403000102' +
    '000a000600040017001d' +
    '0023000000160000' +
    '000d000a0008040308040401' +
    '002b0003020304' +
    '002d00020101' +
    '003300260024001d0020' +
    '33'.repeat(32),
  'hex',
);
const records = [
  '15030300020228',
  '1603030004000000ff',
  '17030300100000000000000000000000000000000',
  '140303000101',
  '800b0103010002000000100100',
];

/** What stands before HTTPS: each input is a connection. A real client is served after any of them. */
export const tlsEdges: Target = {
  name: 'tls-edges',
  share: 2,
  connects: true,
  inputs: hostile({ seeds: [hello, ...records.map((each) => Buffer.from(each, 'hex'))], tokens: binaryTokens }),
  async check(input) {
    const { port } = await (server ??= served((error) => void failures.push(error), made));
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await once(socket, 'connect');
    socket.end(input);
    const cut = setTimeout(() => socket.destroy(), 50);
    await closed;
    clearTimeout(cut);
    if (input.length % 50 === 0) await shakeHands(port);
    assert.deepEqual(failures, []);
  },
  async close() {
    await (await server)?.close();
  },
};

async function shakeHands(port: number): Promise<void> {
  const secure: Socket = connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(secure, 'secureConnect');
  secure.destroy();
}

let dir: string | undefined;

/** Keys, certificates and authorities of the terminal and of its card lines are used, or refused with a reason. */
export const pemFiles: Target = {
  name: 'pem-files',
  share: 1,
  inputs: hostile({
    seeds: [text(made.key + made.cert), text(made.cert), text(made.key)],
    tokens: ['-----BEGIN CERTIFICATE-----\n', '-----END PRIVATE KEY-----\n', 'MII', '=', '\n', '\0'].map(text),
  }),
  async check(input) {
    dir ??= mkdtempSync(path.join(tmpdir(), 'poid-fuzz-pem-'));
    const file = path.join(dir, 'tls.pem');
    writeFileSync(file, input, { mode: 0o600 });
    const line = [{ ca: file }, { clientKeyFile: file }, { clientKeyFile: file, clientCertificate: file }];
    await readMaterial(line[input.length % line.length] ?? {}).catch((error: unknown) =>
      assert.ok(error instanceof RefusedHost, String(error)),
    );
    try {
      const { fingerprint } = await tlsIdentity(dir, () => []);
      assert.match(fingerprint, /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    } catch (error) {
      assert.match((error as Error).message, /is not a key with its certificate/);
      assertSilent((error as Error).message);
    }
  },
  async close() {
    if (dir !== undefined) rmSync(dir, { recursive: true });
  },
};
