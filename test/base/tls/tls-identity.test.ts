import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { selfSign } from '../../../src/base/tls/certificate.ts';
import { tlsIdentity } from '../../../src/base/tls/tls-identity.ts';

async function directory(t: TestContext): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-tls-'));
  t.after(() => rm(dir, { recursive: true }));
  return dir;
}

test('made once, for its owner alone, and the same at every start', async (t) => {
  const dir = await directory(t);
  const first = await tlsIdentity(dir, () => ['till.shop.lan', '192.0.2.7', '2001:db8::7', 'bad name', '']);
  assert.deepEqual(await readdir(dir), ['tls.pem']);
  assert.equal((await stat(path.join(dir, 'tls.pem'))).mode & 0o777, 0o600);
  assert.deepEqual(await tlsIdentity(dir, () => assert.fail('nothing is made')), first);
  const { subjectAltName = '' } = new X509Certificate(first.cert);
  for (const name of [
    'DNS:localhost',
    'DNS:till.shop.lan',
    `DNS:${hostname()}`,
    'IP Address:127.0.0.1',
    'IP Address:192.0.2.7',
    'IP Address:2001:DB8:0:0:0:0:0:7',
  ]) {
    assert.ok(subjectAltName.split(', ').includes(name), `${name} in ${subjectAltName}`);
  }
  assert.ok(!subjectAltName.includes('bad'));
});

test('what a killed start left behind stands in nobody’s way', async (t) => {
  const dir = await directory(t);
  await writeFile(path.join(dir, 'tls.pem.new'), 'half', { mode: 0o644 });
  await tlsIdentity(dir, () => []);
  assert.equal((await stat(path.join(dir, 'tls.pem'))).mode & 0o777, 0o600);
});

for (const [what, text] of [
  ['empty', ''],
  ['a certificate alone', selfSign(['a']).cert],
  ['a key with the certificate of another', selfSign(['a']).key + selfSign(['a']).cert],
  ['cut off', (selfSign(['a']).key + selfSign(['a']).cert).slice(0, -100)],
] as const) {
  test(`a file that is ${what} is not replaced`, async (t) => {
    const dir = await directory(t);
    const file = path.join(dir, 'tls.pem');
    await writeFile(file, text);
    await assert.rejects(
      tlsIdentity(dir, () => []),
      /tls\.pem is not a key with its certificate/,
    );
    assert.equal(await readFile(file, 'utf8'), text);
  });
}
