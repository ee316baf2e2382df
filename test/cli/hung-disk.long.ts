import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { BenchStage } from '../bench/bench-stage.ts';
import { Caller, sale } from '../bench/caller.ts';
import { Children } from '../bench/children.ts';
import { SlowDisk } from '../bench/slow-disk.ts';
import { NotifySocket } from '../observability/notify-socket.ts';

/** A daemon under systemd's eyes, and a disk whose fsync takes as long as is asked for. */
async function slowDisk(t: TestContext, watchdogMs: number) {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-hung-'));
  const children = new Children();
  const pos = new Caller();
  t.after(async () => {
    pos.close();
    await children.endAll();
    await rm(dir, { recursive: true });
  });
  const stage = new BenchStage(dir, children);
  const native = await stage.native();
  assert.ok(typeof native === 'object', 'there is no C compiler (cc)');
  const { url, configuration } = await stage.simulator();
  const disk = new SlowDisk(stage, native.slowFsync);
  const socket = await NotifySocket.open(t);
  const env = {
    ...disk.env,
    NOTIFY_SOCKET: socket.address,
    WATCHDOG_USEC: String(watchdogMs * 1_000),
  };
  const daemon = await stage.daemon({ configuration, stateDir: stage.fresh('state'), env });
  return { daemon, pos, url, socket, disk };
}

test('while the disk of the journal hangs the watchdog is not fed, and the status says so in time', async (t) => {
  const beatMs = 50;
  const { daemon, pos, url, socket, disk } = await slowDisk(t, 2 * beatMs);
  const fed = () => socket.reported.filter((each) => each === 'WATCHDOG=1').length;
  const journal = async () => {
    const status = (await (await fetch(`${daemon.api}/status`)).json()) as Record<string, unknown>;
    assert.equal(status['ready'], status['journal'] === 'ok');
    return status['journal'];
  };
  while (fed() < 5) await socket.times(socket.reported.length + 1);
  disk.delayMs = 3_600_000;
  // Its first commit hangs; after that it waits for a card. A status that waited for the disk would never say silent.
  const sold = pos.does(`${daemon.api}/payment`, sale('hangs'));
  while (disk.delayed === 0) await pause(1);
  // What the journal answered before has been told by then. Each of these answers takes more than ten beats.
  assert.equal(await journal(), 'silent');
  await socket.mark();
  const atFirst = fed();
  for (let times = 0; times < 3; times++) assert.equal(await journal(), 'silent');
  await socket.mark();
  assert.equal(fed(), atFirst);
  disk.delayMs = 0;
  // It was not killed here: the disk is back, and so is the sign of life.
  const reached = fed() + 5;
  while (fed() < reached) await socket.times(socket.reported.length + 1);
  await pos.does(`${url}/reader/tap`, { card: 'visa', holdMs: 60_000 });
  assert.equal(((await sold) as Record<string, unknown>)['responseResult'], 'SUCCESS');
  await daemon.stop();
});
