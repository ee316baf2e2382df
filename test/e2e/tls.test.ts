import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { testsThatNeed } from '../support/needs.ts';
import { type Json, Stage } from './stage.ts';

const { after, before, test } = testsThatNeed('curl');

let stage: Stage;
before(async () => {
  stage = await Stage.open({ configuration: { http: { tls: true } } });
});
after(() => stage.close());

interface Called {
  readonly code: number;
  readonly out: string;
}

function curl(...parameters: string[]): Promise<Called> {
  return new Promise((resolve) => {
    execFile('curl', ['-sS', '--max-time', '30', ...parameters], (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out: out + err }),
    );
  });
}

const json = ['-H', 'Content-Type: application/json', '-d'];
const url = (call: string) => `${stage.apiUrl.replace('http:', 'https:')}/sp/v1/${call}`;

/** As a till finds the terminal by multicast DNS: the name leads to its address. */
function byName(name: string): Promise<Called> {
  const { port } = new URL(stage.apiUrl);
  return curl('-k', '--resolve', `${name}:${port}:127.0.0.1`, `https://${name}:${port}/sp/v1/status`);
}

test('it answers to its own name in .local, which its certificate has, and to that of no other machine', async () => {
  const own = `${hostname().toLowerCase().split('.')[0]}.local`;
  for (const name of [own, own.toUpperCase()]) assert.match((await byName(name)).out, /"state":"idle"/);
  for (const name of ['terminal-other.local', `x-${own}`, `${own}.example`, `a.${own}`]) {
    const refused: Json = JSON.parse((await byName(name)).out);
    assert.equal(refused.reason, 'hostNotAllowed', name);
  }
  const pem = await readFile(path.join(stage.stateDir, 'tls.pem'), 'utf8');
  const { subjectAltName = '' } = new X509Certificate(pem.slice(pem.indexOf('-----BEGIN CERT')));
  assert.ok(subjectAltName.split(', ').includes(`DNS:${own}`), subjectAltName);
});

test('curl pays by the pin that status tells, by the certificate, and not by another pin', async () => {
  const { out: reported } = await curl('-k', url('status'));
  const { tls }: Json = JSON.parse(reported);
  const file = path.join(stage.stateDir, 'tls.pem');
  const pem = await readFile(file, 'utf8');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal(tls.fingerprint, new X509Certificate(pem.slice(pem.indexOf('-----BEGIN CERT'))).fingerprint256);
  assert.ok(stage.log.includes(tls.fingerprint), stage.log);
  assert.ok(!stage.log.includes('PRIVATE'));

  const request = stage.saleRequest();
  const paying = curl(
    '-k',
    '--pinnedpubkey',
    `sha256//${tls.publicKeyPin}`,
    url('payment'),
    ...json,
    JSON.stringify(request),
  );
  await stage.tap('visa');
  assert.equal(JSON.parse((await paying).out).responseResult, 'SUCCESS');

  const trusted = path.join(stage.dir, 'terminal.pem');
  await writeFile(trusted, pem.slice(pem.indexOf('-----BEGIN CERT')));
  const enquiry = [...json, JSON.stringify({ posId: request.posId, messageId: request.messageId })];
  const { out } = await curl('--cacert', trusted, url('enquiry'), ...enquiry);
  assert.equal(JSON.parse(out).responseResult, 'SUCCESS');

  // 90: CURLE_SSL_PINNEDPUBKEYNOTMATCH, 60: CURLE_PEER_FAILED_VERIFICATION.
  const wrong = `sha256//${Buffer.alloc(32).toString('base64')}`;
  assert.equal((await curl('-k', '--pinnedpubkey', wrong, url('status'))).code, 90);
  assert.equal((await curl(url('status'))).code, 60);
});

test('plain HTTP is refused in a sentence, and the certificate outlives a restart', async () => {
  const plain = await curl(`${stage.apiUrl}/sp/v1/status`);
  assert.match(JSON.parse(plain.out).message, /https only/);
  const before: Json = JSON.parse((await curl('-k', url('status'))).out);
  await stage.stopDaemon('SIGTERM');
  await stage.startDaemon();
  const { tls }: Json = JSON.parse((await curl('-k', url('status'))).out);
  assert.equal(tls.fingerprint, before.tls.fingerprint);
});
