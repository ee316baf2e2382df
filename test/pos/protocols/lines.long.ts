import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, afterEach, before, test } from 'node:test';
import { type Json, Stage } from '../../e2e/stage.ts';

let stage: Stage;
let dir: string;
before(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-lines-'));
  const posProtocols = { lines: { socket: path.join(dir, 'pos'), secrets: { 'POS-1': 'one' } } };
  const program = path.join(import.meta.dirname, 'poid.ts');
  stage = await Stage.open({ program, configuration: { posProtocols } });
});
after(async () => {
  await stage.close();
  rmSync(dir, { recursive: true });
});
afterEach(async () => {
  await stage.assertDisarmed();
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', { force: true });
});

/** One call on a connection of its own. */
async function ask(call: string, request: Json): Promise<Json> {
  const client = connect(path.join(dir, 'pos'));
  client.write(`${JSON.stringify({ id: '1', call, secret: 'one', request })}\n`);
  const [line] = await once(createInterface({ input: client }), 'line');
  client.destroy();
  return JSON.parse(line).body;
}

const identity = (messageId: string) => ({ posId: 'POS-1', messageId });
const sale = (messageId: string) => ({
  ...identity(messageId),
  transactionType: 'SALE',
  requestAmount: 30,
  currency: 'HKD',
  preferredEntryMode: 'CARD',
});

test('pays, enquires and repeats: the host books once, and HTTP tells the same', async () => {
  const paid = ask('payment', sale('L-1'));
  await stage.tap('visa');
  const answer = await paid;
  assert.equal(answer.responseResult, 'SUCCESS');
  const described = [await ask('payment', sale('L-1')), await ask('enquiry', identity('L-1'))];
  described.push((await stage.enquiry(identity('L-1'))).body);
  for (const each of described) {
    assert.deepEqual(
      [each.responseResult, each.terminalTransactionId, each.transactionResult.approvalCode],
      ['SUCCESS', answer.terminalTransactionId, answer.transactionResult.approvalCode],
    );
  }
  assert.equal((await ask('payment', { ...sale('L-1'), requestAmount: 31 })).reason, 'messageIdReused');
  assert.deepEqual(
    (await stage.posted()).map(({ amount }) => Number(amount)),
    [30],
  );
});

test('cancels: nothing is booked, and the terminal is idle', async () => {
  const before = await stage.posted();
  const paid = ask('payment', sale('L-2'));
  await stage.view(({ scene }) => scene === 'presentCard');
  const cancelled = await ask('cancel', identity('L-2'));
  assert.deepEqual([cancelled.responseResult, cancelled.financialImpact], ['SUCCESS', 'NONE']);
  assert.equal((await paid).responseResult, 'TRANSACTION_ALREADY_CANCEL');
  assert.deepEqual(await stage.posted(), before);
});

test('the status has what the protocol reports of itself', async () => {
  const { protocols } = await ask('status', undefined);
  assert.deepEqual(Object.keys(protocols), ['lines']);
});
