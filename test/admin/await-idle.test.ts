import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { serveScreen } from '../../src/screen/server.ts';
import { ownDirectory, Poid, poid } from '../cli/poid.ts';
import { served } from '../screen/watcher.ts';

const example = readFileSync(new URL('../../systemd/poid.json', import.meta.url), 'utf8');

/** The configuration of a terminal whose screen is at that port. */
async function configured(t: TestContext, port: number): Promise<string> {
  const file = path.join(await ownDirectory(t), 'poid.json');
  await writeFile(file, JSON.stringify({ ...(JSON.parse(example) as object), screen: { port } }));
  return file;
}

test('waits while a payment and a settlement run, and returns when the terminal is idle', async (t) => {
  const screen = await served(t);
  let state = 'collecting';
  screen.serveStatus(async () => ({ state }));
  const command = new Poid(t, ['await-idle', '--config', await configured(t, screen.port)]);
  await command.said(/^waiting: the terminal is collecting\n/);
  state = 'settling';
  await command.said(/settling\n/);
  state = 'idle';
  const { code, out } = await command.ended;
  assert.match(out, /\nthe terminal is idle\n$/);
  assert.equal(code, 0);
});

test('still busy after the time that it was given: 3', async (t) => {
  const screen = await served(t);
  screen.serveStatus(async () => ({ state: 'authorizing' }));
  const { code, out } = await poid(t, 'await-idle', '--wait', '0', '--config', await configured(t, screen.port));
  assert.deepEqual([code, out], [3, 'waiting: the terminal is authorizing\nthe terminal is still busy\n']);
});

test('asked for, it also waits until no reversal waits for its host', async (t) => {
  const screen = await served(t);
  let pendingReversals: number | undefined = 1;
  screen.serveStatus(async () => ({ state: 'idle', pendingReversals }));
  const file = await configured(t, screen.port);
  assert.equal((await poid(t, 'await-idle', '--config', file)).code, 0);
  const command = new Poid(t, ['await-idle', '--reversals', '--config', file]);
  await command.said(/^waiting: the terminal has reversals that no host has acknowledged\n/);
  pendingReversals = 0;
  assert.equal((await command.ended).code, 0);
  pendingReversals = undefined;
  assert.equal((await poid(t, 'await-idle', '--reversals', '--config', file)).code, 1);
});

test('nobody listens: 0', async (t) => {
  const screen = await serveScreen(0);
  const file = await configured(t, screen.port);
  await screen.close();
  const { code, out } = await poid(t, 'await-idle', '--config', file);
  assert.deepEqual([code, out], [0, 'the terminal does not run\n']);
});

test('no status, and one that can’t be read: 1, at once', async (t) => {
  const screen = await served(t);
  const file = await configured(t, screen.port);
  for (const report of [undefined, async () => Promise.reject(new Error('the disk')), async () => ({ state: 1 })]) {
    if (report) screen.serveStatus(report);
    const { code, out } = await poid(t, 'await-idle', '--config', file);
    assert.equal(code, 1);
    assert.match(out, /its state is unknown/);
  }
});

test('a wrong time, a word too many: 2', async (t) => {
  for (const parameters of [['--wait', '3601'], ['--wait', '-1'], ['--wait', 'long'], ['now']]) {
    assert.equal((await poid(t, 'await-idle', ...parameters)).code, 2, parameters.join(' '));
  }
});
