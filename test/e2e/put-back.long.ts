import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { eventually, type Json, Stage } from './stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ hosts: ['EDC'], acquirer: { replyTimeoutMs: 5_000 } });
});
afterEach(() => stage.close());

const image = () => path.join(stage.dir, 'image');
const kept = () => cpSync(stage.stateDir, image(), { recursive: true });

/** The files of the image are written over those that are there, names and inodes stay. */
function writtenOver(): void {
  for (const name of readdirSync(image()).filter((each) => /^journal\.(db|db-wal)$/.test(each)))
    writeFileSync(path.join(stage.stateDir, name), readFileSync(path.join(image(), name)));
}

async function sold(): Promise<Json> {
  const { body } = await stage.paid('visa');
  assert.equal(body.responseResult, 'SUCCESS');
  return body;
}

const enquired = ({ posId, messageId }: Json) => stage.post('enquiry', { posId, messageId });
const ended = () =>
  eventually(
    async () => stage.running,
    (isRunning) => !isRunning,
  );
const stans = async () => (await stage.ledger()).map(({ stan }) => stan);

/** A payment that the host has posted, and whose answer is under way. */
async function underway() {
  await stage.host('EDC', { mode: 'late', delayMs: 1_500 });
  const begun = stage.begun();
  await stage.tap('visa');
  await eventually(
    () => stage.posted(),
    (posted) => posted.length === 1,
  );
  return begun;
}

test('the state directory is gone while the host answers: UNKNOWN, and the approval in hand is reversed', async () => {
  const { request, answer } = await underway();
  rmSync(stage.stateDir, { recursive: true });
  const { status, body } = await answer;
  assert.deepEqual([status, body.responseResult], [503, 'UNKNOWN']);
  await ended();
  assert.deepEqual(
    (await stage.ledger()).map((each) => each.status),
    ['REVERSED'],
  );

  // A new journal can't know what was before it, and does not say that nothing was paid.
  await stage.host('EDC', { mode: 'up' });
  await stage.startDaemon();
  const again = await enquired(request);
  assert.deepEqual(
    [again.status, again.body.responseResult, again.body.financialImpact],
    [404, 'NOT_FOUND', 'UNKNOWN'],
  );
  assert.match(again.body.message, /journal of this terminal goes back to 20/);
  assert.equal((await stage.status()).journalFault, undefined);
  await sold();
});

test('an older copy is written over the journal while it is in use: nothing more is sent with it, and it is told', async () => {
  await sold();
  kept();
  const { request, answer } = stage.begun();
  await stage.tap('visa');
  const { body: later } = await answer;
  assert.equal(later.responseResult, 'SUCCESS');
  // What is written over while the terminal commits counts as its own write: its last receipt is on paper first.
  await eventually(
    () => stage.status(),
    ({ waitingReceipts }) => waitingReceipts === 0,
  );
  writtenOver();
  // It finds out by itself, before anybody pays.
  await ended();
  await stage.startDaemon();
  assert.match((await stage.status()).journalFault, /older copy/);
  assert.equal((await enquired(later)).body.financialImpact, 'UNKNOWN');
  assert.partialDeepStrictEqual((await stage.status()).discrepancies, [{ kind: 'journalRestored' }]);
  // The till repeats the sale that is lost: it is not charged again.
  const repeated = await stage.payment(request);
  assert.deepEqual([repeated.status, repeated.body.reason], [409, 'beforeJournal']);
  // Nor is anything else that may be a repeat, until the operator has compared.
  const other = await stage.payment({ ...request, messageId: 'another' });
  assert.deepEqual([other.status, other.body.reason], [409, 'beforeJournal']);
  assert.equal((await stage.posted()).length, 2);
});

test('an older directory is put back whole: undetected, and no later sale’s number is used again', async () => {
  await sold();
  await stage.stopDaemon('SIGTERM');
  kept();
  await stage.startDaemon();
  for (let each = 0; each < 4; each++) await sold();
  await stage.stopDaemon('SIGTERM');
  rmSync(stage.stateDir, { recursive: true });
  cpSync(image(), stage.stateDir, { recursive: true });
  await stage.startDaemon();
  assert.equal((await stage.status()).journalFault, undefined);
  // Never answered: its reversal must meet nothing but itself.
  await stage.host('EDC', { mode: 'silent' });
  const { answer } = stage.begun();
  await stage.tap('visa');
  await eventually(
    () => stage.posted(),
    (posted) => posted.length === 6,
  );
  await stage.host('EDC', { mode: 'up' });
  assert.notEqual((await answer).body.responseResult, 'SUCCESS');
  await sold();
  assert.deepEqual(
    (await stage.ledger()).map((each) => each.status),
    [...Array.from({ length: 5 }, () => 'POSTED'), 'REVERSED', 'POSTED'],
  );
  assert.equal(new Set(await stans()).size, 7);
  assert.deepEqual(await stage.unexpected(), []);
});
