import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LossyRelay } from './lossy-relay.ts';
import { Operator, password, poid } from './operator.ts';
import { eventually, type Json, Stage } from './stage.ts';
import { noteReasons } from '../support/reported-reasons.ts';

let stage: Stage;
let operator: Operator;
let script: string;

before(async () => {
  stage = await Stage.open({ configuration: { pairing: { required: true } } });
  operator = new Operator(stage);
  assert.equal((await poid(stage, ['operator-password'], password)).code, 0);
  const text = await readFile(new URL('../../docs/pairing.md', import.meta.url), 'utf8');
  const [, bash = assert.fail()] = /^```bash\n(.*?)^```/ms.exec(text) ?? [];
  script = path.join(stage.dir, 'pos.sh');
  await writeFile(script, bash);
});
after(() => stage.close());

interface Ran {
  readonly child: ChildProcess;
  readonly said: (what: RegExp) => Promise<void>;
  readonly ended: Promise<{ code: number; out: string; err: string }>;
}

/** The script of docs/pairing.md, as it stands there. */
function pos(posId: string, ...parameters: string[]): Ran {
  const env = { ...process.env, TERMINAL: stage.apiUrl, POS_ID: posId, KEY_FILE: keyFile(posId) };
  const child = spawn('bash', [script, ...parameters], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code, out, err }));
  const said = async (what: RegExp) => {
    const gone = ended.then(() => assert.match(err, what));
    while (!what.test(err)) await Promise.race([once(child.stderr, 'data'), gone]);
  };
  return { child, said, ended };
}

function keyFile(posId: string): string {
  return path.join(stage.dir, `${posId}.key`);
}

async function paired(posId: string): Promise<void> {
  await operator.login();
  await operator.does({ kind: 'pair' });
  const pairing = pos(posId, 'pair');
  const { pairing: shown } = await operator.sees((view) => view.pairing?.stage === 'compare');
  assert.equal(shown.posId, posId);
  assert.match(shown.code, /^\d{6}$/);
  pairing.child.stdin?.end(`${shown.code}\n`);
  await pairing.said(/are right/);
  assert.equal((await operator.does({ kind: 'decide', yes: true, code: shown.code })).status, 200);
  const { code, err } = await pairing.ended;
  assert.equal(code, 0, err);
}

async function called(posId: string, ...parameters: string[]): Promise<{ code: number; json: Json; err: string }> {
  const { code, out, err } = await pos(posId, 'call', ...parameters).ended;
  const json: Json = out === '' ? undefined : JSON.parse(out);
  noteReasons(json);
  return { code, err, json };
}

test('the script of the document pairs a POS and pays; its key is in no log and for nobody else', async () => {
  assert.equal((await stage.payment(stage.saleRequest())).status, 401);
  await paired('POS-1');
  const request = stage.saleRequest();
  const paying = called('POS-1', 'POST', '/sp/v1/payment', JSON.stringify(request));
  await stage.tap('visa');
  const { code, json, err } = await paying;
  assert.equal(code, 0, err);
  assert.equal(json.responseResult, 'SUCCESS');
  assert.equal((await called('POS-1', 'GET', '/sp/v1/status')).json.ready, true);
  assert.equal((await called('POS-1', 'GET', '/sp/v1/capabilities')).code, 0);

  const other = await called('POS-1', 'POST', '/sp/v1/enquiry', JSON.stringify({ posId: 'POS-2', messageId: 'M' }));
  assert.match(other.json.message, /another posId/);
  assert.equal(other.code, 0, 'signed, because the caller is known');

  const file = path.join(stage.stateDir, 'pairings.json');
  const [, key = assert.fail()] = (await readFile(keyFile('POS-1'), 'utf8')).trim().split(' ');
  const [stored] = JSON.parse(await readFile(file, 'utf8'));
  assert.equal(stored.key, key);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.ok(!stage.log.includes(key));
});

/** docs/examples/till.py with the key that the script has agreed on. */
async function sellInPython(url: string): Promise<{ code: number; out: string; err: string }> {
  const file = fileURLToPath(new URL('../../docs/examples/till.py', import.meta.url));
  const child = spawn('python3', [file, url, '30', 'POS-1', keyFile('POS-1')], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = await once(child, 'close');
  return { code, out, err };
}

test('the till in Python signs its calls, and takes no answer that the terminal has not signed', async (t) => {
  const till = sellInPython(stage.apiUrl);
  await stage.tap('visa');
  assert.match((await till).out, /^paid: [0-9A-Z]{26}\n$/, JSON.stringify(await till));

  // Another device says SUCCESS in the terminal's place, and the payment was never made.
  const relay = await LossyRelay.open(() => Number(new URL(stage.apiUrl).port));
  t.after(() => relay.close());
  await stage.host('EDC', { decline: '51' });
  relay.next('forged');
  const deceived = sellInPython(relay.url);
  await stage.tap('visa');
  const { out, err } = await deceived;
  assert.match(err, /an answer that the terminal has not signed/);
  assert.match(out, /^not paid: insufficientFunds/);
  await stage.host('EDC', { mode: 'up' });
});

test('without a signature: 401 on every path but three, and nothing starts', async () => {
  for (const [method, target] of [
    ['POST', 'payment'],
    ['POST', 'enquiry'],
    ['POST', 'cancel'],
    ['POST', 'settlement'],
    ['POST', 'receipt'],
    ['GET', 'status'],
    ['GET', 'capabilities'],
    ['GET', 'events'],
  ] as const) {
    const init = method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {};
    const response = await fetch(`${stage.apiUrl}/sp/v1/${target}`, { method, ...init });
    assert.equal(response.status, 401, target);
    const body: Json = await response.json();
    assert.equal(body.financialImpact, 'NONE');
    assert.match(body.message, /paired points of sale/);
  }
  assert.equal((await fetch(`${stage.apiUrl}/openapi.json`)).status, 200);
  assert.equal((await stage.post('pairing', { posId: 'X', commitment: '00'.repeat(32) })).status, 409);
  await stage.assertDisarmed();
});

test('a POS that shows another code is refused, and a No of the operator too', async () => {
  await operator.login();
  await operator.does({ kind: 'pair' });
  const wrong = pos('POS-9', 'pair');
  const { pairing: shown } = await operator.sees((view) => view.pairing?.stage === 'compare');
  wrong.child.stdin?.end(`${(Number(shown.code) + 1) % 1_000_000}\n`);
  await wrong.said(/NOT right/);
  await operator.does({ kind: 'decide', yes: false, code: shown.code });
  assert.equal((await wrong.ended).code, 1);

  const no = pos('POS-9', 'pair');
  const { pairing: next } = await operator.sees(
    (view) => view.pairing?.stage === 'compare' && view.pairing.code !== shown.code,
  );
  no.child.stdin?.end(`${next.code}\n`);
  await no.said(/are right/);
  await operator.does({ kind: 'decide', yes: false, code: next.code });
  const { code, err } = await no.ended;
  assert.equal(code, 1);
  assert.match(err, /the operator refused/);
  assert.doesNotMatch((await poid(stage, ['pairings'])).out, /POS-9/);
});

test('a key outlives a restart, and ends with unpair while the terminal runs', async () => {
  await stage.stopDaemon('SIGKILL');
  await stage.startDaemon();
  const again = await eventually(
    () => called('POS-1', 'GET', '/sp/v1/status'),
    ({ json }) => json.ready === true || !/sign it again/.test(json.message),
  );
  assert.equal(again.json.ready, true, again.json.message);
  assert.match((await poid(stage, ['pairings'])).out, /^POS-1\tkey [0-9a-f]{16}\tpaired /);
  assert.equal((await poid(stage, ['unpair', 'POS-1'])).code, 0);
  const { code, json } = await called('POS-1', 'GET', '/sp/v1/status');
  assert.match(json.message, /is not known/);
  assert.equal(code, 1, 'not signed');
});
