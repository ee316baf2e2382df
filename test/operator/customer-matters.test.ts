import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { AuditEntry } from '../../src/operator/audit.ts';
import type { TransactionRecord } from '../../src/payment/records/record.ts';
import { approves, postsAndIsSilent } from '../payment/terminal/scripted-host.ts';
import { about, ended, Stage } from '../payment/terminal/stage.ts';
import { confirmation } from './bare-menu.ts';
import { openMenu } from './stage-menu.ts';

/** A sale that the bank confirmed was refunded, and its host reverses it late. */

let stage: Stage;
let audit: AuditEntry[];
let reported: string[];
let refund: TransactionRecord;
beforeEach(async () => {
  [audit, reported] = [[], []];
  stage = new Stage();
  stage.edc.onRequest = () => postsAndIsSilent;
  stage.edc.onReversal = () => ({ kind: 'refused', responseCode: '96' });
  const sale = ended(await stage.paid());
  stage.edc.onRequest = () => approves;
  await stage.journal.append(sale.id, [{ kind: 'setAside', outcome: 'POSTED' }]);
  refund = ended(await stage.paid(about('REFUND', 'M-2', sale)));
  await stage.journal.append(sale.id, [{ kind: 'reversalAcknowledged', responseCode: '00' }]);
});
afterEach(async () => {
  await stage.forwarder.close();
  stage.close();
  assert.deepEqual(stage.failures, []);
});

async function opened() {
  const { menu, session } = await openMenu(stage, {
    audit: { write: async (entry) => void audit.push(entry) },
    onGivenBack: (id) => void reported.push(id),
  });
  await menu.refresh();
  const waiting = async () => (await menu.handle({ kind: 'waiting', session })).body['customerMatters'];
  const ask = (kind: 'settledWithCustomer' | 'givenBackInCash', matter?: string) =>
    menu.handle({ kind, session, confirmation, transaction: refund.id, ...(matter ? { matter } : {}) });
  return { menu, waiting, ask };
}

test('the operator sees it with the void that settles it, and marks it as settled: once', async () => {
  const { menu, waiting, ask } = await opened();
  assert.equal(menu.view.customerMatters, 1);
  assert.partialDeepStrictEqual(await waiting(), [
    {
      id: refund.id,
      kind: 'REFUND',
      matter: 'refundOfReversed',
      amount: '30.00',
      ofTransaction: refund.request.originalId,
      isReturnable: false,
      void: { act: 'VOID', kind: 'VOID_REFUND', amount: '30.00' },
    },
  ]);
  assert.equal((await ask('settledWithCustomer', 'countedLate')).body['reason'], 'notWaiting');
  assert.equal((await ask('givenBackInCash')).body['reason'], 'notWaiting');
  assert.equal((await ask('settledWithCustomer', 'refundOfReversed')).status, 200);
  assert.deepEqual([await waiting(), menu.view.customerMatters, reported], [[], undefined, [refund.id]]);
  const { event } = stage.journal.store.read(refund.id).at(-1) ?? assert.fail('nothing written');
  const [{ session } = assert.fail('no audit')] = audit.filter(({ action }) => action === 'settledWithCustomer');
  assert.deepEqual(event, { kind: 'settledWithCustomer', matter: 'refundOfReversed', who: 'OPERATOR', session });
  const states = audit.flatMap(({ action, state }) => (action === 'settledWithCustomer' ? [state] : []));
  assert.deepEqual(states, ['asked', 'refused', 'asked', 'done']);
  assert.equal((await ask('settledWithCustomer', 'refundOfReversed')).body['reason'], 'notWaiting');
});

test('it is listed after a restart too', async () => {
  await stage.forwarder.close();
  await stage.restart();
  assert.partialDeepStrictEqual(await (await opened()).waiting(), [{ id: refund.id }]);
});

test('a journal that the version before may still read gets no such event', async () => {
  stage.journal.takes = (kind) => kind !== 'settledWithCustomer';
  const { ask } = await opened();
  assert.equal((await ask('settledWithCustomer', 'refundOfReversed')).body['reason'], 'onTrial');
});
