import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { Operator, password, poid } from '../e2e/operator.ts';
import type { Json } from '../e2e/stage.ts';
import { operationOf, type Scenes } from './scenes.ts';
import { root } from './tools.ts';

/** A terminal that requires pairing, and clients that are too slow or say too much. */
export async function playClosed(scenes: Scenes, recorded: () => Promise<Json[]>): Promise<void> {
  const { stage } = scenes;
  for (const [operation, body] of [
    ['payment', stage.saleRequest()],
    ['enquiry', {}],
    ['cancel', {}],
    ['settlement', {}],
    ['receipt', {}],
  ] as const) {
    const answer = await stage.post(operation, body);
    if (operation !== 'payment') assert.equal(answer.status, 401);
    else scenes.keep('notPaired', { operation: 'any', summary: 'The call is not signed' }, answer, 401);
  }
  const half = { posId: 'POS-1', commitment: '00'.repeat(32) };
  await scenes.post('pairing', 'pairingClosed', 'The operator has not opened pairing', half, 409);
  const share = { pairingId: '00', posPublicKey: '00'.repeat(32), posNonce: '00'.repeat(32) };
  await scenes.post('pairing/reveal', 'pairingUnknown', 'There is no such pairing', share, 409);
  await pairByScript(scenes);
  const reported = await recorded();
  for (const [call, name, summary] of [
    ['pairing', 'pairing', 'The terminal’s half'],
    ['pairing/reveal', 'paired', 'The operator has said yes'],
  ] as const) {
    const found =
      reported.findLast((each) => each.path === `/sp/v1/${call}` && each.status === 200) ?? assert.fail(call);
    const answer = { status: found.status, body: JSON.parse(found.text) };
    scenes.keep(name, { operation: operationOf(call), summary }, answer, 'SUCCESS');
  }
  await playBareSockets(scenes, recorded);
}

/** Pairs with the script of docs/pairing.md, as it stands there. */
async function pairByScript({ stage }: Scenes): Promise<void> {
  const operator = new Operator(stage);
  assert.equal((await poid(stage, ['operator-password'], password)).code, 0);
  await operator.login();
  await operator.does({ kind: 'pair' });
  const text = await readFile(path.join(root, 'docs/pairing.md'), 'utf8');
  const [, bash = assert.fail('no script')] = /^```bash\n(.*?)^```/ms.exec(text) ?? [];
  const script = path.join(stage.dir, 'pos.sh');
  await writeFile(script, bash);
  const env = { ...process.env, TERMINAL: stage.apiUrl, POS_ID: 'POS-1', KEY_FILE: path.join(stage.dir, 'pos.key') };
  const child = spawn('bash', [script, 'pair'], { env, stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'close');
  const { pairing } = await operator.sees((view) => view.pairing?.stage === 'compare');
  child.stdin.end(`${pairing.code}\n`);
  while (!said.includes('are right')) await once(child.stderr, 'data');
  await operator.does({ kind: 'decide', yes: true, code: pairing.code });
  const [code] = await ended;
  assert.equal(code, 0, said);
}

/** What Node's parser refuses: a client that never finishes, headers without end, no HTTP. */
async function playBareSockets(scenes: Scenes, recorded: () => Promise<Json[]>): Promise<void> {
  const { port } = new URL(scenes.stage.apiUrl);
  for (const [name, summary, text, status] of [
    [
      'requestTimeout',
      'The request did not arrive in time',
      'POST /sp/v1/payment HTTP/1.1\r\nHost: 127.0.0.1\r\n',
      408,
    ],
    ['headersTooLarge', 'The headers are too large', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    [
      'expectation',
      'The header Expect asks for something other than 100-continue',
      'POST /sp/v1/payment HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: more\r\nContent-Length: 0\r\n\r\n',
      417,
    ],
    [
      'otherScheme',
      'The target names another scheme than that of the connection',
      'GET https://127.0.0.1/sp/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
      421,
    ],
    [
      'transferCoded',
      'The Transfer-Encoding is more than chunked',
      'POST /sp/v1/payment HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
      501,
    ],
    ['notHttp', 'This is not HTTP', 'HELLO\r\n\r\n', 400],
  ] as const) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.resume().write(text);
    await once(socket, 'close');
    const bare = (await recorded()).findLast((each) => each.status === status) ?? assert.fail(name);
    scenes.keep(name, { operation: 'any', summary }, { status: bare.status, body: JSON.parse(bare.text) }, status);
  }
}
