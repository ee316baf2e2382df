import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { http, type Json, Stage } from './stage.ts';

/** A journal in which single events were changed on the disk: the terminal starts, and sells and reports all others. */

let stage: Stage;
before(async () => {
  stage = await Stage.open({ hosts: ['EDC'] });
});
after(() => stage.close());

/** What happens to one event of a sale: its kind, and SQL for its new body or time. */
const damage: readonly (readonly [kind: string, set: string])[] = [
  ['accepted', "body = json_remove(body, '$.type')"],
  ['accepted', "body = json_set(body, '$.currency', 'XXQ')"],
  ['accepted', "at = 'yesterday'"],
  ['intent', "body = json_remove(body, '$.trace')"],
  ['answered', "body = json_remove(body, '$.outcome')"],
  ['answered', "body = json_set(body, '$.outcome', 7)"],
  ['ended', "body = json_remove(body, '$.result')"],
  ['ended', 'body = substr(body, 1, 20)'],
];

test('one damaged event makes its own transaction unreadable, and no other', async () => {
  const sold: Json[] = [];
  for (const amount of [...damage.keys(), damage.length]) {
    const { body } = await stage.paid('visa', { requestAmount: 10 + amount });
    assert.equal(body.responseResult, 'SUCCESS');
    sold.push(body);
  }
  await stage.stopDaemon('SIGTERM');
  const database = new DatabaseSync(path.join(stage.stateDir, 'journal.db'));
  for (const [nth, [kind, set]] of damage.entries()) {
    const sql = `UPDATE event SET ${set} WHERE txn_id = ? AND json_extract(body, '$.kind') = ?`;
    const { changes } = database.prepare(sql).run(sold[nth].terminalTransactionId, kind);
    assert.equal(Number(changes), 1, `${kind} ${set}`);
  }
  database.close();
  await stage.startDaemon();

  const intact = sold.at(-1);
  assert.equal((await stage.enquiry(intact)).body.responseResult, 'SUCCESS');
  for (const [nth, [kind, set]] of damage.entries()) {
    const { body } = await stage.enquiry(sold[nth]);
    assert.notEqual(body.responseResult, 'SUCCESS', `${kind} ${set}`);
    assert.equal(body.reason, 'recordUnreadable', `${kind} ${set}`);
  }
  const list = await http('GET', `${stage.apiUrl}/sp/v1/transactions`);
  assert.deepEqual([list.status, list.body.transactions.length], [200, sold.length]);
  const report = await http('GET', `${stage.apiUrl}/sp/v1/report`);
  assert.equal(report.status, 200, JSON.stringify(report.body));
  assert.equal((await stage.paid('visa', { requestAmount: 5 })).body.responseResult, 'SUCCESS');
  // The bank must say what became of those that can't be read.
  assert.equal((await stage.settle({ acquirer: 'EDC' })).status, 200);
});
