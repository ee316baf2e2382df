import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { oldestUsable, schemaVersion } from '../../src/journal/schema.ts';
import { armed, eventually, type Json, Stage } from './stage.ts';

/** A version that was installed and is not accepted yet, and then is, while a customer pays. */

let image: string;
let stage: Stage;
before(async () => {
  image = mkdtempSync(path.join(tmpdir(), 'poid-image-'));
  writeFileSync(path.join(image, 'version'), '2.0.0\n');
  writeFileSync(path.join(image, 'accepted'), '1.0.0\n');
  stage = await Stage.open({ environment: { POID_IMAGE_DIR: image } });
});
after(async () => {
  await stage.close();
  rmSync(image, { recursive: true });
});

async function schema(): Promise<Json> {
  const { journalSchema, journalMigration } = await stage.status();
  return [journalSchema, journalMigration];
}

test('on trial it sells, also after a kill; once accepted it lets a payment end, starts anew and migrates', async () => {
  const sales: Json[] = [];
  const sell = async (whileWaiting: () => Promise<void> = async () => undefined) => {
    const { request, answer } = stage.begun();
    await eventually(
      async () => armed(await stage.bench()),
      (waiting) => waiting.length > 0,
    );
    await whileWaiting();
    await stage.tap('visa');
    assert.equal((await answer).body.responseResult, 'SUCCESS');
    sales.push(request);
  };
  assert.deepEqual(await schema(), [oldestUsable, 'onTrial']);
  await sell();
  await stage.stopDaemon('SIGKILL');
  await stage.startDaemon();
  assert.deepEqual(await schema(), [oldestUsable, 'onTrial']);
  await sell(async () => writeFileSync(path.join(image, 'accepted'), '2.0.0\n'));
  await eventually(
    async () => stage.running,
    (runs) => !runs,
  );
  await stage.startDaemon();
  assert.deepEqual(await schema(), [schemaVersion, undefined]);
  await sell();
  for (const request of sales) assert.equal((await stage.enquiry(request)).body.responseResult, 'SUCCESS');
  const { body } = await stage.settle();
  assert.equal(body.responseResult, 'SUCCESS');
  assert.equal((await stage.posted()).length, sales.length);
});
