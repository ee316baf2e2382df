import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { posResponse } from '../../src/pos/api/pos-response.ts';
import { readEnd } from '../../src/payment/records/present.ts';
import { reportFigures } from '../../src/payment/records/report-figures.ts';
import type { TransactionRecord } from '../../src/payment/records/record.ts';
import { ReadingTurns } from '../../src/payment/terminal/reading-turns.ts';
import { Reports } from '../../src/payment/terminal/reports.ts';
import { receiptOf } from '../../src/payment/terminal/receipt-of.ts';
import { receiptLines } from '../../src/receipt/lines.ts';
import { receiptText } from '../../src/receipt/line.ts';
import { settled } from '../support/manual-clock.ts';
import { begun } from '../payment/terminal/method-stage.ts';
import { postsAndIsSilent } from '../payment/terminal/scripted-host.ts';
import { card } from '../payment/terminal/scripted-reader.ts';
import { ended, everything, Stage } from '../payment/terminal/stage.ts';
import { printParts } from '../pos/api/served.ts';
import { confirmation } from './bare-menu.ts';
import { openMenu } from './stage-menu.ts';

/** An EPS sale of 30.00 with 10.00 of cash back whose answer was lost, and that the bank has confirmed by telephone. */

let stage: Stage;
let pulses: number;
let reported: string[];
beforeEach(() => {
  [pulses, reported] = [0, []];
  stage = new Stage(undefined, everything);
});
afterEach(async () => {
  await stage.forwarder.close();
  stage.close();
  assert.deepEqual(stage.failures, []);
});

/** An EPS sale whose reversal its host refuses. */
async function unanswered(fields: { readonly cashbackMinor?: bigint } = { cashbackMinor: 1000n }) {
  stage.eps.onRequest = () => postsAndIsSilent;
  stage.eps.onReversal = () => ({ kind: 'refused', responseCode: '96' });
  const { answer } = await begun(stage, 'EPS', 'M-1', fields);
  const asked = stage.trace.count('pin pad: armed') + 1;
  stage.reader.answer({
    kind: 'card',
    card: { ...card(), entryMode: 'MAGSTRIPE', aid: '', appName: '', emv: new Map() },
  });
  await settled();
  stage.act({ kind: 'account', account: 'SAVINGS' });
  await stage.trace.seen('pin pad: armed', asked);
  stage.pinPad.enter();
  await settled();
  const record = ended(await answer);
  assert.equal(await stage.forwarder.flush(stage.eps.id), false);
  return record.id;
}

type Id = TransactionRecord['id'];

async function opened(id: Id) {
  const { menu, session } = await openMenu(stage, {
    acquirers: ['EDC', 'EPS', 'CASH'],
    onGivenBack: (each) => void reported.push(each),
    machine: {
      devices: () => [],
      addresses: () => [],
      openDrawer: async () => {
        pulses += 1;
        return 'opened';
      },
    },
  });
  const ask = (kind: 'givenBackInCash' | 'settledWithCustomer', matter = 'cashNotGiven') =>
    menu.handle({
      kind,
      session,
      confirmation,
      transaction: id,
      ...(kind === 'settledWithCustomer' ? { matter } : {}),
    });
  const decide = (outcome: 'POSTED' | 'NOT_POSTED') =>
    menu.handle({ kind: 'setAside', session, transaction: id, outcome });
  const listed = async () => {
    const { body } = await menu.handle({ kind: 'waiting', session });
    const all = body['customerMatters'] as readonly { matter: string; amount: string; isReturnable: boolean }[];
    return all.map(({ matter, amount, isReturnable }) => [matter, amount, isReturnable]);
  };
  return { menu, ask, decide, listed };
}

/** What the drawer must have more than before, in all batches. */
async function drawerMinor() {
  const { journal, acquirers } = stage;
  const read = await new Reports({ journal, acquirers: acquirers.acquirers, turns: new ReadingTurns() }).read();
  assert.ok(typeof read !== 'string');
  return reportFigures(read).cash.map(({ minor }) => minor);
}

async function enquired() {
  const answer = await stage.terminal.enquire('POS-1', 'M-1');
  if (answer.kind !== 'ended') return assert.fail(answer.kind);
  return posResponse(answer.record, printParts, answer);
}

test('its cash back is listed, and the POS learns of it', async () => {
  const id = await unanswered();
  const { menu, decide, listed } = await opened(id);
  assert.deepEqual(await listed(), []);
  assert.equal((await decide('POSTED')).status, 200);
  await menu.refresh();
  assert.deepEqual([await listed(), menu.view.customerMatters], [[['cashNotGiven', '10.00', true]], 1]);
  assert.deepEqual(reported, [id]);
  const body = await enquired();
  assert.partialDeepStrictEqual(body, {
    reason: 'confirmedPosted',
    customerMatters: [
      { kind: 'CASH_NOT_GIVEN', paymentMethod: 'EPS', amount: 10, state: 'OPEN', terminalTransactionId: id },
    ],
  });
  assert.match(
    String(body['message']),
    /Do not charge again; give the goods; its cash back was not given to the customer: HKD 10\.00 is to be settled/,
  );
  assert.deepEqual(await drawerMinor(), [], 'nothing was taken from the drawer');
});

test('the operator hands it out: once, and the report has it as taken from the drawer', async () => {
  const id = await unanswered();
  const { ask, decide, listed } = await opened(id);
  assert.equal((await ask('givenBackInCash')).body['reason'], 'notWaiting');
  await decide('POSTED');
  assert.equal((await ask('givenBackInCash')).status, 200);
  assert.partialDeepStrictEqual(stage.journal.store.read(id).at(-1)?.event, {
    kind: 'givenBackInCash',
    amountMinor: '1000',
    drawer: { acquirerId: 'EPS', batch: stage.journal.store.openBatch(acquirerId('EPS')) },
  });
  assert.deepEqual([await listed(), pulses, await drawerMinor()], [[], 1, [-1000n]]);
  assert.partialDeepStrictEqual(await enquired(), { customerMatters: [{ state: 'SETTLED', amount: 10 }] });
  assert.equal((await ask('givenBackInCash')).body['reason'], 'notWaiting');
  assert.equal((await ask('settledWithCustomer')).body['reason'], 'notWaiting');
  assert.equal(pulses, 1);
});

test('or settles it with the customer: then no cash is missing', async () => {
  const id = await unanswered();
  const { ask, decide, listed } = await opened(id);
  await decide('POSTED');
  assert.equal((await ask('settledWithCustomer')).status, 200);
  assert.deepEqual([await listed(), pulses, await drawerMinor()], [[], 0, []]);
  assert.equal((await ask('givenBackInCash')).body['reason'], 'notWaiting');
});

test('it is listed after a restart too', async () => {
  const id = await unanswered();
  await (await opened(id)).decide('POSTED');
  await stage.forwarder.close();
  await stage.restart();
  assert.deepEqual(await (await opened(id)).listed(), [['cashNotGiven', '10.00', true]]);
});

test('a sale without cash back leaves nothing to give', async () => {
  const plain = await unanswered({});
  const { decide, listed } = await opened(plain);
  await decide('POSTED');
  assert.deepEqual(await listed(), []);
});

test('one that the bank does not have leaves nothing to give', async () => {
  const id = await unanswered();
  const { decide, listed } = await opened(id);
  await decide('NOT_POSTED');
  assert.deepEqual(await listed(), []);
});

for (const [what, act, owed] of [
  ['before the cash was given: the goods alone', undefined, '20.00'],
  ['after the cash was given: goods and cash', 'givenBackInCash', '30.00'],
  ['after it was settled: what the operator settled is not known', 'settledWithCustomer', '30.00'],
] as const) {
  test(`its host reverses it late, ${what}`, async () => {
    const id = await unanswered();
    const { ask, decide, listed } = await opened(id);
    await decide('POSTED');
    if (act) await ask(act);
    await stage.journal.append(id, [{ kind: 'reversalAcknowledged', responseCode: '00' }]);
    assert.deepEqual(await listed(), [['reversedLate', owed, false]]);
  });
}

test('what was handed out stays in the report, also once a late reversal is settled with the customer', async () => {
  const id = await unanswered();
  const { ask, decide } = await opened(id);
  await decide('POSTED');
  assert.equal((await ask('givenBackInCash')).status, 200);
  await stage.journal.append(id, [{ kind: 'reversalAcknowledged', responseCode: '00' }]);
  assert.equal((await ask('settledWithCustomer', 'reversedLate')).status, 200);
  assert.deepEqual(await drawerMinor(), [-1000n]);
});

test('a copy of its receipt says that the bank has confirmed it', async () => {
  const id = await unanswered();
  const { decide } = await opened(id);
  const copy = async () => {
    const { record } = await readEnd(id, stage.journal);
    const shop = { name: 'Shop', address: '', phone: '', email: '', logo: '' };
    const terms = { copy: 'MERCHANT', duplicate: true, shop, timeZone: 'Asia/Hong_Kong', language: 'en' } as const;
    return receiptText(receiptLines(receiptOf(record, terms), 42), 42);
  };
  await decide('POSTED');
  const text = await copy();
  assert.match(text, /CONFIRMED BY THE BANK\n *DO NOT REPEAT IT/);
  assert.doesNotMatch(text, /NOT KNOWN|ASK BEFORE/);
});
