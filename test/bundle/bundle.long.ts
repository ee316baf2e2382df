import assert from 'node:assert/strict';
import { access, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { Caller, sale } from '../bench/caller.ts';
import { Children } from '../bench/children.ts';
import { BenchStage } from '../bench/bench-stage.ts';

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

test('the bundle, without the sources: a sale, its receipt on paper and as a picture, the page; no code is kept', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-bundle-'));
  const children = new Children();
  const pos = new Caller();
  t.after(async () => {
    pos.close();
    await children.endAll();
    await rm(dir, { recursive: true });
  });
  const stage = new BenchStage(dir, children);
  const tree = await stage.installed();
  await assert.rejects(access(path.join(tree, 'src')));
  const { url, configuration } = await stage.simulator();
  const cache = stage.fresh('cache');
  await mkdir(cache);
  const stateDir = stage.fresh('state');
  const env = { NODE_COMPILE_CACHE: cache };
  const daemon = await stage.daemon({ configuration, stateDir, env });

  const customer = pos.does(`${url}/reader/tap`, { card: 'visa', holdMs: 60_000 });
  const sold = (await pos.does(`${daemon.api}/payment`, sale('sold'))) as Record<string, unknown>;
  await customer;
  assert.equal(sold['responseResult'], 'SUCCESS');
  const { terminalTransactionId } = sold;
  const picture = (await pos.does(`${daemon.api}/receipt`, { terminalTransactionId, output: 'PNG' })) as {
    png: string;
  };
  assert.deepEqual(Buffer.from(picture.png, 'base64').subarray(0, 8), pngSignature);
  await pos.does(`${daemon.api}/receipt`, { terminalTransactionId, output: 'PRINT' });

  for (const file of ['/', '/page.js', '/unifont.woff2']) {
    const { status } = await fetch(daemon.screen + file);
    assert.equal(status, 200, file);
  }

  for (const [file, wanted] of [
    ['/docs', /id="call-payment"/],
    ['/client.js', /export \{\s*Client,/],
  ] as const) {
    const answer = await fetch(new URL(file, daemon.api));
    assert.equal(answer.status, 200, file);
    assert.match(await answer.text(), wanted);
  }

  await daemon.stop();
  assert.deepEqual(await readdir(cache), []);
});
