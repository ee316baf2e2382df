import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { testsThatNeed } from '../support/needs.ts';
import { ServerEvents } from './server-events.ts';
import { Stage } from './stage.ts';

const { after, before, test } = testsThatNeed('nginx');

let stage: Stage;
let dir: string;
let proxy: ChildProcess | undefined;
let url: string;

before(async () => {
  stage = await Stage.open({ hosts: ['EDC'] });
  dir = await mkdtemp(path.join(tmpdir(), 'poid-nginx-'));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${dir}/${each};`);
  // Its defaults: HTTP/1.0 to the terminal, what it answers collected before it is passed on.
  const configuration = `daemon off; master_process off; pid ${dir}/pid; error_log ${dir}/error; events {}
    http { access_log off; gzip on; gzip_types *; ${paths.join(' ')}
      server { listen 127.0.0.1:${port}; location / { proxy_pass ${stage.apiUrl}; } } }`;
  await writeFile(path.join(dir, 'nginx.conf'), configuration);
  proxy = spawn('nginx', ['-p', dir, '-e', `${dir}/error`, '-c', `${dir}/nginx.conf`], { stdio: 'ignore' });
  await awaitAnswer(`${url}/sp/v1/status`);
});
after(async () => {
  if (proxy?.exitCode === null) {
    const exited = once(proxy, 'exit');
    proxy.kill('SIGKILL');
    await exited;
  }
  await stage.close();
  await rm(dir, { recursive: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : assert.fail();
}

/** Until nginx listens. */
async function awaitAnswer(at: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if ((await fetch(at).catch(() => undefined))?.ok) return;
    await pause(50);
  }
  assert.fail(`nginx does not answer: ${await readFile(path.join(dir, 'error'), 'utf8')}`);
}

/** What is kept back by the proxy does not come at all. */
function inTime<T>(promise: Promise<T>, what: string): Promise<T> {
  promise.catch(() => undefined);
  const end = pause(10_000, undefined, { ref: false }).then(() => assert.fail(`${what} did not come through nginx`));
  return Promise.race([promise, end]);
}

test('each event of a sale comes through nginx with its defaults when it happens', async (t) => {
  const events = await inTime(ServerEvents.open(`${url}/sp/v1/events`), 'the stream');
  t.after(() => events.close());
  const next = async () => {
    const { data } = (await inTime(events.next(), 'an event')) ?? assert.fail('the stream has ended');
    return JSON.parse(data).state;
  };
  assert.equal(await next(), 'idle');
  const { answer } = stage.begun();
  // The customer comes only once the till has heard that the terminal waits.
  assert.equal(await next(), 'collecting');
  await stage.tap('visa');
  const states = new Set<string>();
  while (!states.has('approved')) states.add(await next());
  assert.equal((await answer).body.responseResult, 'SUCCESS');
});
