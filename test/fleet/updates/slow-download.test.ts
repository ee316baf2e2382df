import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { download } from '../../../src/fleet/updates/download.ts';
import { HttpsExchange } from '../../../src/fleet/updates/https-exchange.ts';
import { hostileServer } from '../../base/dial/hostile-server.ts';
import { bundle, controllerId, Stage } from './stage.ts';

const installed = ['proceeding', 'download', 'downloaded', 'proceeding', 'proceeding'];

/** Where each request for the bundle began. */
function beginnings({ hawkbit }: Stage): number[] {
  return hawkbit.asked
    .filter((each) => each.includes('softwaremodules'))
    .map((each) => Number(/bytes=(\d+)-$/.exec(each)?.[1] ?? 0));
}

test('a download that goes silent is left, and goes on where it stopped', async (t) => {
  const stage = await Stage.open(t);
  stage.silenceMs = 200;
  stage.restartAgent();
  stage.hawkbit.faults.stallAfter = [300_000, 1_000, 0];
  const action = stage.hawkbit.deploy(controllerId, { content: bundle });
  const waits: number[] = [];
  for (let steps = 0; steps < 4; steps++) waits.push(await stage.step());
  assert.deepEqual(beginnings(stage), [0, 300_000, 301_000, 301_000]);
  assert.deepEqual(action.said, installed);
  assert.equal(await stage.installations(), 1);
  assert.equal(stage.warned.filter((each) => each.includes('nothing came for 200 ms')).length, 3);
  // A server in trouble is asked ever more rarely.
  const [first = 0, second = 0, third = 0] = waits;
  assert.ok(first < second && second < third, String(waits));
});

test('over a slow line hawkBit is asked in between, without a warning; a cancellation ends it', async (t) => {
  const stage = await Stage.open(t);
  stage.downloadMs = 300;
  stage.restartAgent();
  stage.hawkbit.faults.trickle = 4_096;
  const action = stage.hawkbit.deploy(controllerId, { content: bundle });
  await stage.step();
  await stage.step();
  const [first, second] = beginnings(stage);
  assert.ok(first === 0 && second !== undefined && second > 0 && second < bundle.length, String(second));
  assert.deepEqual([stage.warned, action.said], [[], ['proceeding', 'download']]);
  stage.hawkbit.cancel(action);
  await stage.step();
  assert.deepEqual(action.said.at(-1), 'cancel closed success');
  assert.equal(await stage.read('home/bundle.raucb.part'), '');
  assert.equal(await stage.installations(), 0);
});

test('and it comes whole in the end', async (t) => {
  const stage = await Stage.open(t);
  stage.downloadMs = 400;
  stage.restartAgent();
  stage.hawkbit.faults.trickle = 16_384;
  const action = stage.hawkbit.deploy(controllerId, { content: bundle });
  for (let steps = 0; steps < 30 && action.said.length < installed.length; steps++) {
    assert.ok((await stage.step()) <= 20_000);
  }
  assert.deepEqual(action.said, installed);
  assert.ok(beginnings(stage).length > 1);
  assert.equal(await stage.installations(), 1);
});

test('a download ends in its time where bytes come that are none of the bundle', { timeout: 20_000 }, async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-trailers-'));
  t.after(() => rm(dir, { recursive: true }));
  const until = new AbortController();
  const port = await hostileServer(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n0\r\nTrailer: ', () =>
      until.abort(),
    );
  });
  const url = new URL(`http://127.0.0.1:${port}`);
  const artifact = { url, size: 9, sha256: '0'.repeat(64) };
  const options = { headers: {}, until: until.signal };
  const { state } = await download(artifact, path.join(dir, 'bundle'), new HttpsExchange({}, 60_000), options);
  assert.equal(state, 'unfinished');
});
