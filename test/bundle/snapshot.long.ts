import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { Caller, sale } from '../bench/caller.ts';
import { Children } from '../bench/children.ts';
import { BenchStage, type RunningDaemon } from '../bench/bench-stage.ts';

const run = promisify(execFile);
const secret = 'not-to-be-kept-5f1c9a';
const dir = await mkdtemp(path.join(tmpdir(), 'poid-snapshot-'));
const children = new Children();
const pos = new Caller();
const stage = new BenchStage(dir, children);
const tree = await stage.installed();
const dist = path.join(tree, 'dist');
const makeSnapshot = () => run(path.join(tree, 'bin/poid'), ['snapshot'], { env: { ...process.env, SECRET: secret } });
const blobs = async () => (await readdir(dist)).filter((each) => each.endsWith('.blob'));
const { url, configuration } = await stage.simulator();

after(async () => {
  pos.close();
  await children.endAll();
  await rm(dir, { recursive: true });
});

interface Started extends RunningDaemon {
  readonly isFromSnapshot: boolean;
}

/** In a state directory of its own. */
async function startTerminal(env: Readonly<Record<string, string>> = {}): Promise<Started> {
  const daemon = await stage.daemon({ configuration, stateDir: stage.fresh('state'), env });
  const isFromSnapshot = readFileSync(`/proc/${daemon.pid}/cmdline`, 'latin1').includes('--snapshot-blob');
  return { ...daemon, isFromSnapshot };
}

async function sell({ api }: RunningDaemon): Promise<Record<string, unknown>> {
  const customer = pos.does(`${url}/reader/tap`, { card: 'visa', holdMs: 60_000 });
  const sold = (await pos.does(`${api}/payment`, sale('sold'))) as Record<string, unknown>;
  await customer;
  assert.equal(sold['responseResult'], 'SUCCESS');
  return sold;
}

test('from the snapshot: a sale, its receipt as a picture and on paper, the pages, the documents', async () => {
  await makeSnapshot();
  const daemon = await startTerminal();
  assert.ok(daemon.isFromSnapshot);
  const { terminalTransactionId } = await sell(daemon);
  const { png } = (await pos.does(`${daemon.api}/receipt`, { terminalTransactionId, output: 'PNG' })) as {
    png: string;
  };
  assert.equal(Buffer.from(png, 'base64').toString('latin1', 1, 4), 'PNG');
  await pos.does(`${daemon.api}/receipt`, { terminalTransactionId, output: 'PRINT' });
  for (const file of ['/', '/page.js', '/unifont.woff2']) {
    assert.equal((await fetch(daemon.screen + file)).status, 200, file);
  }
  for (const file of ['/docs', '/client.js', '/openapi.json']) {
    assert.equal((await fetch(new URL(file, daemon.api))).status, 200, file);
  }
  await daemon.stop();
});

test('no chance, time, environment or secret is kept from one start to the next', async () => {
  await makeSnapshot();
  const sales: Record<string, unknown>[] = [];
  for (const zone of ['Asia/Tokyo', 'Europe/Madrid']) {
    const daemon = await startTerminal({ TZ: zone });
    assert.ok(daemon.isFromSnapshot);
    const { body } = await pos.call('GET', `${daemon.api}/status`);
    assert.equal((body as { clock: { timeZone: string } }).clock.timeZone, zone);
    sales.push(await sell(daemon));
    await daemon.stop();
  }
  const [one = '', other = ''] = sales.map((each) => String(each['terminalTransactionId']));
  // Its end is chance alone.
  assert.notEqual(one.slice(-12), other.slice(-12), `${one}, ${other}`);
  const [blob = ''] = await blobs();
  const bytes = await readFile(path.join(dist, blob));
  assert.ok(!bytes.includes(secret) && !bytes.includes(Buffer.from(secret, 'utf16le')));
});

test('a snapshot that is damaged, of another bundle, or not there: the terminal starts from its bundle', async () => {
  await makeSnapshot();
  const named = path.join(dist, 'snapshot.id');
  const id = await readFile(named, 'utf8');
  await writeFile(named, `${'0'.repeat(32)}\n`);
  const other = await startTerminal();
  assert.ok(!other.isFromSnapshot);
  await sell(other);
  await other.stop();
  await assert.rejects(makeSnapshot(), /this runtime is not the one that the bundle was made for/);
  await writeFile(named, id);
  const [blob = ''] = await blobs();
  await truncate(path.join(dist, blob), 4_000_000);
  const damaged = await startTerminal({ CACHE_DIRECTORY: stage.fresh('cache') });
  assert.ok(!damaged.isFromSnapshot);
  await damaged.stop();
  await rm(path.join(dist, blob));
  const without = await startTerminal();
  assert.ok(!without.isFromSnapshot);
  await without.stop();
});

test('another snapshot takes the place of the one before, and is tried once for each machine', async () => {
  await writeFile(path.join(dist, 'start-old.blob'), '');
  await makeSnapshot();
  assert.equal((await blobs()).length, 1);
  const cache = stage.fresh('cache');
  const daemon = await startTerminal({ CACHE_DIRECTORY: cache });
  assert.ok(daemon.isFromSnapshot);
  const id = (await readFile(path.join(dist, 'snapshot.id'), 'utf8')).trim();
  assert.ok((await readdir(cache)).includes(`${id}.fits`));
  await daemon.stop();
  // As the unit leaves it after an end that was not in order.
  await writeFile(path.join(cache, 'unclean'), '');
  const afterwards = await startTerminal({ CACHE_DIRECTORY: cache });
  assert.ok(!afterwards.isFromSnapshot);
  await afterwards.stop();
});
