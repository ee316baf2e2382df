import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { ownDirectory, poid } from '../cli/poid.ts';
import { SmallDisk } from '../journal/small-disk.ts';
import { eventually, Stage } from './stage.ts';

/** A stage whose terminal keeps its journal on a disk of its own. */
async function onDisk(t: TestContext, kibibytes: number) {
  const stage = await Stage.open();
  await stage.stopDaemon('SIGTERM');
  rmSync(stage.stateDir, { recursive: true });
  const disk = new SmallDisk(stage.stateDir, kibibytes);
  t.after(async () => {
    await stage.stopDaemon('SIGTERM');
    disk.unmount();
    await stage.close();
  });
  await stage.startDaemon();
  return { stage, disk };
}

async function sold(stage: Stage): Promise<void> {
  const { answer } = stage.begun();
  await stage.tap('visa');
  assert.equal((await answer).body.responseResult, 'SUCCESS');
}

async function assertRefused(stage: Stage): Promise<void> {
  const { status, body } = await stage.payment(stage.saleRequest());
  assert.equal(status, 503);
  assert.equal(body.responseResult, 'DATABASE_ERROR');
  assert.equal(body.financialImpact, 'NONE');
  assert.match(body.message, /disk of the journal is full/);
  const answer = await stage.status();
  assert.deepEqual([answer.journal, answer.ready, answer.state], ['full', false, 'idle']);
  assert.match(answer.message, /disk of the journal is full/);
}

test('the disk is full: payments are refused and told why, also after a restart, until there is room', async (t) => {
  const { stage, disk } = await onDisk(t, 32 * 1024);
  await sold(stage);
  assert.equal((await stage.status()).journal, 'ok');
  disk.fill();
  await assertRefused(stage);
  await stage.stopDaemon('SIGKILL');
  await stage.startDaemon();
  await assertRefused(stage);
  disk.free();
  await sold(stage);
  const books = (await stage.posted('EDC')).map(({ kind }) => kind);
  assert.deepEqual(books, ['SALE', 'SALE']);
});

test('full while a card is awaited, unfinished at the restart: nothing is charged, and it goes on when there is room', async (t) => {
  const { stage, disk } = await onDisk(t, 32 * 1024);
  const { request, answer } = stage.begun();
  await eventually(
    () => stage.bench(),
    ({ reader }) => reader.armed,
  );
  disk.fill();
  await stage.stopDaemon('SIGKILL');
  await assert.rejects(answer);
  await stage.startDaemon();
  await assertRefused(stage);
  disk.free();
  await sold(stage);
  const { body } = await stage.post('enquiry', { posId: request.posId, messageId: request.messageId });
  assert.equal(body.responseResult, 'ERROR');
  assert.equal(body.financialImpact, 'NONE');
});

test('a damaged journal, and a read-only disk: the terminal does not start, and says why', async (t) => {
  const dir = await ownDirectory(t);
  const simulator = await Stage.open();
  const disk = new SmallDisk(path.join(simulator.dir, 'disk'), 20 * 1024);
  t.after(async () => {
    disk.unmount();
    await simulator.close();
  });
  const run = (stateDir: string) =>
    poid(t, 'run', '--config', simulator.configuration, '--state-dir', stateDir, '--port', '0', '--screen-port', '0');

  writeFileSync(path.join(dir, 'journal.db'), Buffer.alloc(8192, 0xa5));
  const damaged = await run(dir);
  assert.equal(damaged.code, 1);
  assert.match(damaged.err, /the journal in .* can't be opened: this file is not a journal/);

  disk.makeReadOnly();
  const readOnly = await run(disk.dir);
  assert.equal(readOnly.code, 1);
  assert.match(readOnly.err, /can't be opened: the disk of the journal is read-only/);
});
