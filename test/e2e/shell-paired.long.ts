import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Operator, password, poid } from './operator.ts';
import { ShellTill } from './shell-till.ts';
import { Stage } from './stage.ts';

/** The commands of a till against a terminal that has a certificate of its own and asks for a key. */

let stage: Stage;
let url: string;
let fingerprint: string;
before(async () => {
  stage = await Stage.open({ configuration: { http: { tls: true }, pairing: { required: true } } });
  url = stage.apiUrl.replace('http:', 'https:');
  [fingerprint = assert.fail(stage.log)] = /(?:[0-9A-F]{2}:){31}[0-9A-F]{2}/.exec(stage.log) ?? [];
});
after(() => stage.close());

async function run(...words: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const till = new ShellTill(url, words);
  till.type('');
  return till.ended;
}

test('its certificate is refused by itself, by another fingerprint, and taken by its own', async () => {
  const unknown = await run('status');
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /its certificate is its own: compare its fingerprint/);
  const other = await run(
    'status',
    '--fingerprint',
    fingerprint.replace(/^../, (byte) => (byte === '00' ? '01' : '00')),
  );
  assert.match(other.err, /its certificate has another fingerprint/);
  const refused = await run('pay', '30', '--fingerprint', fingerprint);
  assert.deepEqual([refused.code, /\[notPaired\]/.test(refused.out)], [1, true], refused.out + refused.err);
});

test('it pairs by the digits, and then pays, enquires and follows', async () => {
  const operator = new Operator(stage);
  assert.equal((await poid(stage, ['operator-password'], password)).code, 0);
  await operator.login();
  await operator.does({ kind: 'pair' });
  const key = path.join(stage.dir, 'pos.key');
  const trust = ['--pos', 'POS-1', '--fingerprint', fingerprint];
  const pairing = new ShellTill(url, ['pair', key, ...trust]);
  const { pairing: compared } = await operator.sees((view) => view.pairing?.stage === 'compare');
  pairing.type(compared.code);
  await pairing.says(/press Yes/);
  await operator.does({ kind: 'decide', yes: true, code: compared.code });
  const paired = await pairing.ended;
  assert.equal(paired.code, 0, paired.err);
  assert.equal((await stat(key)).mode & 0o777, 0o600);
  assert.match(await readFile(key, 'utf8'), /^[0-9a-f]{16} [0-9a-f]{64}\n$/);
  assert.equal((await run('pair', key, ...trust)).code, 1, 'a key is not written over');

  const signed = [...trust, '--key', key];
  const paying = new ShellTill(url, ['pay', '30', '--id', 'P-1', '--json', ...signed]);
  await paying.says(/present a card/);
  await stage.tap('visa');
  const paid = await paying.ended;
  assert.deepEqual([paid.code, JSON.parse(paid.out).responseResult], [0, 'SUCCESS'], paid.err);
  assert.equal((await run('enquire', 'P-1', ...signed)).code, 0);
  const foreign = await run('enquire', 'P-1', ...signed, '--pos', 'POS-2', '--wait', '1');
  assert.equal(foreign.code, 7, foreign.out);
  const pem = path.join(stage.stateDir, 'tls.pem');
  const byCertificate = await run('status', '--pos', 'POS-1', '--ca', pem, '--key', key);
  assert.match(byCertificate.out, /^ready/, byCertificate.err);
});
