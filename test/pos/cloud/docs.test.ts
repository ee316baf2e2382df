import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bundleClient } from '../../../build/client-module.ts';
import { blocksOf } from '../../outside/markdown.ts';
import { needs } from '../../support/needs.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

interface Ran {
  readonly child: ChildProcess;
  /** Resolves once it has said this; rejects if it ends without. */
  readonly said: (what: RegExp) => Promise<void>;
  readonly ended: Promise<{ readonly code: number; readonly out: string }>;
}

function shell(script: string, cwd: string): Ran {
  const node = path.join(root, 'node_modules/.bin');
  const env = { ...process.env, PATH: `${path.join(root, 'bin')}:${node}:${process.env['PATH']}` };
  const child = spawn('bash', ['-euc', script], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: Number(code), out }));
  const said = async (what: RegExp) => {
    const gone = ended.then(() => assert.match(out, what));
    while (!what.test(out)) await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), gone]);
  };
  return { child, said, ended };
}

/** What the operator does at the screen. */
async function operator(screen: string, body: object): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json', origin: screen };
  const response = await fetch(`${screen}/desk`, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.equal(response.status, 200);
  return (await response.json()) as Record<string, string>;
}

/** The six digits, as the screen's stream of events has them. */
async function shownCode(screen: string): Promise<string> {
  const { body } = await fetch(`${screen}/events`);
  let text = '';
  for await (const chunk of (body ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const [, code] = /"code":"(\d{6})"/.exec(text) ?? [];
    if (code !== undefined) return code;
  }
  return assert.fail('the screen went away');
}

test('the ten commands of docs/cloud.md end in a payment', needs('mosquitto', 'openssl'), async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-docs-cloud-'));
  const [broker, api, screenPort, sim] = await freePorts(4);
  const blocks = blocksOf('docs/cloud.md', await readFile(path.join(root, 'docs/cloud.md'), 'utf8'))
    .filter(({ language, mark }) => language === 'sh' && mark.includes('test/pos/cloud/docs.test.ts'))
    .map(({ text }) =>
      text
        .replaceAll('8883', String(broker))
        .replaceAll('127.0.0.1:8090', `127.0.0.1:${sim}`)
        .replace(
          '--config cloud.json',
          `--config cloud.json --port ${api} --screen-port ${screenPort} --sim-port ${sim}`,
        )
        // In the shell of the document it is a child of that shell.
        .replace(/^(?=mosquitto |poid run )/, 'exec ')
        // It has no user of its own here.
        .replace('allow_anonymous false', 'allow_anonymous false\nuser root\nlog_dest stderr'),
    );
  assert.equal(blocks.length, 10);
  const packages = path.join(dir, 'node_modules');
  await mkdir(path.join(packages, 'poid/dist'), { recursive: true });
  await bundleClient(path.join(packages, 'poid/dist/client.js'));
  const { exports } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  await writeFile(path.join(packages, 'poid/package.json'), JSON.stringify({ name: 'poid', type: 'module', exports }));
  await symlink(path.join(root, 'node_modules/mqtt'), path.join(packages, 'mqtt'));
  await copyFile(path.join(root, 'docs/examples/cloud-till.mjs'), path.join(dir, 'cloud-till.mjs'));
  const running: Ran[] = [];
  t.after(async () => {
    for (const { child, ended } of running.toReversed()) {
      child.kill('SIGTERM');
      await ended;
    }
    await rm(dir, { recursive: true, force: true });
  });
  const screen = `http://127.0.0.1:${screenPort}`;
  const env = `export BROKER=mqtts://127.0.0.1:${broker}\n`;
  for (const [at, block] of blocks.entries()) {
    const isPairing = block.endsWith('pair');
    const { session } = isPairing ? await operator(screen, { kind: 'login', password: '135792' }) : {};
    if (isPairing) await operator(screen, { kind: 'pair', session });
    const ran = shell(env + block, dir);
    if (block.startsWith('exec ')) {
      running.push(ran);
      await ran.said(block.startsWith('exec mosquitto') ? /mosquitto version .* running/ : /"state":"connected"/);
      continue;
    }
    if (isPairing) {
      const code = await shownCode(screen);
      ran.child.stdin?.write(`${code}\n`);
      await operator(screen, { kind: 'decide', yes: true, code, session });
    }
    const { code, out } = await ran.ended;
    assert.equal(code, 0, `command ${at + 1}: ${out}`);
    if (at === 8) assert.match(out, /paired\n$/);
    if (at === 9) assert.match(out, /paid: [0-9A-Z]{26}\n/);
  }
});
