import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type {
  ReversalOutcome,
  SettlementOrder,
  SettlementOutcome,
} from '../../../src/payment/contracts/acquirer-host.ts';
import { countUndecidedBatches } from '../../../src/operator/waiting-batch.ts';
import { unsettledMoney } from '../../../src/payment/records/unsettled.ts';
import { settled } from '../../support/manual-clock.ts';
import { acknowledges, approves, type HostScript } from './scripted-host.ts';
import { ended, sale, Stage } from './stage.ts';

/** The host counts everything that it has when it is asked, as real hosts do: also what was posted after the batch. */

const EDC = acquirerId('EDC');
const silent = { kind: 'unknown', reason: 'no-answer' } as const;

let stage: Stage;
let cleared: Set<number>;
let settlements: number;
beforeEach(() => {
  stage = new Stage();
  cleared = new Set();
  settlements = 0;
  stage.edc.onSettlement = compares;
});
afterEach(() => {
  assert.deepEqual(stage.failures, []);
  stage.close();
});

/** Trace numbers that the host has posted and not cleared. */
function open(): number[] {
  return [...stage.edc.books].filter(([stan, state]) => state === 'POSTED' && !cleared.has(stan)).map(([stan]) => stan);
}

/** An 0500 balances if the host has as many sales; its trailer always does, and clears what was uploaded. */
function compares({ totals, trailer }: SettlementOrder): SettlementOutcome {
  const { edc } = stage;
  if (trailer) {
    for (const { original } of edc.uploads) cleared.add(original.trace.stan);
    return { kind: 'balanced' };
  }
  if (totals.sales.count !== open().length) return { kind: 'mismatch' };
  for (const stan of open()) cleared.add(stan);
  return { kind: 'balanced' };
}

/** The host posts the next sale. Its answer waits until the returned function is called. */
function heldSale(messageId: string) {
  const { promise, resolve } = Promise.withResolvers<HostScript>();
  const reached = Promise.withResolvers<void>();
  stage.edc.onRequest = ({ trace }) => {
    stage.edc.books.set(trace.stan, 'POSTED');
    stage.edc.onRequest = () => approves;
    reached.resolve();
    return promise;
  };
  const answer = stage.paid(sale(messageId));
  return {
    posted: reached.promise,
    lost: async () => {
      resolve({ posted: true, outcome: silent });
      await settled();
      await stage.clock.advance(5_000);
      await answer;
    },
    approved: async () => {
      resolve(approves);
      await answer;
    },
  };
}

/**
 * Each 0500 is answered by the host's books when it arrives, but the answer waits until the returned function is
 * called.
 */
function heldQuestion() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  stage.edc.onSettlement = async (order) => {
    stage.edc.onSettlement = compares;
    asked.resolve();
    await promise;
    return compares(order);
  };
  return { asked: asked.promise, answer: resolve };
}

function heldReversal() {
  const { promise, resolve } = Promise.withResolvers<ReversalOutcome>();
  stage.edc.onReversal = () => promise;
  return () => {
    stage.edc.onReversal = () => acknowledges;
    resolve(acknowledges);
  };
}

async function settle() {
  const messageId = `S-${(settlements += 1)}`;
  const answer = await stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: EDC });
  assert.ok(answer.kind === 'ended');
  return answer.settlement.results ?? [];
}

/** The message does not ask anyone to call the bank, and terminal and host have no open money. */
async function assertAgreed(results: Awaited<ReturnType<typeof settle>>): Promise<void> {
  const [result] = results;
  assert.deepEqual([result?.result, result?.reason], ['BALANCED', undefined]);
  assert.deepEqual(stage.edc.uploads, [], 'nothing had to be uploaded');
  await assertQuiet();
}

async function assertQuiet(): Promise<void> {
  const { journal } = stage;
  assert.equal(await countUndecidedBatches({ journal, acquirers: [EDC] }), 0);
  assert.deepEqual(await unsettledMoney(journal), []);
  assert.deepEqual(open(), []);
}

describe('a sale that the host has temporarily while it is asked for a batch', () => {
  beforeEach(async () => {
    ended(await stage.paid(sale('M-1')));
  });

  test('1: its answer is lost, and it is reversed after "books differ"', async () => {
    const question = heldQuestion();
    const take = heldReversal();
    const settling = settle();
    await question.asked;
    const held = heldSale('M-2');
    await held.posted;
    question.answer();
    await settled();
    await held.lost();
    take();
    await assertAgreed(await settling);
  });

  test('2: its reversal is on the way when "books differ" arrives', async () => {
    const question = heldQuestion();
    const take = heldReversal();
    const settling = settle();
    await question.asked;
    const held = heldSale('M-2');
    await held.posted;
    await held.lost();
    assert.equal(stage.edc.reversalsInFlight, 1);
    question.answer();
    await settled();
    take();
    await assertAgreed(await settling);
  });

  test('3: it is reversed before "books differ" arrives', async () => {
    let release: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (release = resolve));
    const asked = Promise.withResolvers<void>();
    const computed = Promise.withResolvers<void>();
    stage.edc.onSettlement = async (order) => {
      stage.edc.onSettlement = compares;
      asked.resolve();
      await computed.promise;
      const outcome = compares(order);
      await late;
      return outcome;
    };
    const settling = settle();
    await asked.promise;
    const held = heldSale('M-2');
    await held.posted;
    computed.resolve();
    await settled();
    await held.lost();
    assert.equal([...stage.edc.books.values()].at(-1), 'REVERSED');
    release();
    await assertAgreed(await settling);
  });

  test('4: the answer to the settlement is lost, and the settlement is repeated while the reversal waits', async () => {
    stage.edc.onSettlement = () => {
      stage.edc.onSettlement = compares;
      return { kind: 'unanswered' };
    };
    const [failed] = await settle();
    assert.equal(failed?.result, 'FAILED');
    stage.edc.onReversal = () => ({ kind: 'unanswered' });
    const held = heldSale('M-2');
    await held.posted;
    await held.lost();
    stage.edc.onReversal = () => acknowledges;
    await assertAgreed(await settle());
  });

  test('5: the answer to the settlement is lost while the sale is posted; its repeat follows the reversal', async () => {
    const lost = Promise.withResolvers<SettlementOutcome>();
    const asked = Promise.withResolvers<void>();
    stage.edc.onSettlement = () => {
      stage.edc.onSettlement = compares;
      asked.resolve();
      return lost.promise;
    };
    const settling = settle();
    await asked.promise;
    const held = heldSale('M-2');
    await held.posted;
    lost.resolve({ kind: 'unanswered' });
    assert.equal((await settling)[0]?.result, 'FAILED');
    await held.lost();
    await assertAgreed(await settle());
  });

  test('6: the host refuses its reversal for a while: the batch waits, and the bank is not asked', async () => {
    const question = heldQuestion();
    stage.edc.onReversal = () => ({ kind: 'refused', responseCode: '96' });
    const settling = settle();
    await question.asked;
    const held = heldSale('M-2');
    await held.posted;
    await held.lost();
    question.answer();
    const [waiting] = await settling;
    assert.deepEqual([waiting?.result, waiting?.reason], ['FAILED', 'reversals or advices have not reached the host']);
    assert.equal(await countUndecidedBatches({ journal: stage.journal, acquirers: [EDC] }), 0);
    stage.edc.onReversal = () => acknowledges;
    await assertAgreed(await settle());
  });

  test('7: the host first had no record of it, and posts it after the batch was closed', async () => {
    stage.edc.onRequest = () => ({ posted: false, outcome: silent });
    stage.edc.onReversal = () => ({ kind: 'noRecord', responseCode: '25' });
    const { id } = ended(await stage.paid(sale('M-2')));
    await stage.clock.advance(120_000);
    assert.deepEqual(stage.journal.store.pending(), []);
    stage.edc.onRequest = () => approves;
    const question = heldQuestion();
    const settling = settle();
    await question.asked;
    const number = stage.edc.requests.at(-1)?.trace.stan ?? assert.fail();
    stage.edc.books.set(number, 'POSTED');
    stage.edc.onReversal = () => acknowledges;
    stage.journal.store.append(id, [
      { kind: 'approvedLate', responseCode: '00', rrn: '000000000009' },
      { kind: 'reversalQueued', reason: 'late approval' },
    ]);
    question.answer();
    await assertAgreed(await settling);
  });

  test('8: two such sales, one after the other', async () => {
    const question = heldQuestion();
    const settling = settle();
    await question.asked;
    const first = heldSale('M-2');
    await first.posted;
    question.answer();
    await settled();
    const again = heldQuestion();
    await first.lost();
    await again.asked;
    const second = heldSale('M-3');
    await second.posted;
    again.answer();
    await settled();
    await second.lost();
    await assertAgreed(await settling);
  });
});

test('9: the batch is empty and its answer is lost: the bank is not asked for a sale', async () => {
  const question = heldQuestion();
  const settling = settle();
  await question.asked;
  const held = heldSale('M-1');
  await held.posted;
  question.answer();
  await settled();
  await held.lost();
  await assertAgreed(await settling);
});

test('10: a sale approved during the settlement is in the next batch, whose settlement balances', async () => {
  ended(await stage.paid(sale('M-1')));
  const question = heldQuestion();
  const settling = settle();
  await question.asked;
  const held = heldSale('M-2');
  await held.posted;
  await held.approved();
  question.answer();
  const [uploaded] = await settling;
  assert.equal(uploaded?.result, 'UPLOADED');
  assert.match(uploaded?.reason ?? '', /the next settlement compares them/);
  assert.doesNotMatch(uploaded?.reason ?? '', /ask the bank/);
  const [next] = await settle();
  assert.deepEqual([next?.result, next?.reason], ['BALANCED', undefined]);
  await assertQuiet();
});

describe('the bank is still asked', () => {
  const unknownToUs = () => stage.edc.books.set(999, 'POSTED');

  test('about a posting that no payment of this terminal explains', async () => {
    ended(await stage.paid(sale('M-1')));
    unknownToUs();
    const [uploaded] = await settle();
    assert.equal(uploaded?.result, 'UPLOADED');
    assert.match(uploaded?.reason ?? '', /ask the bank/);
    assert.equal(stage.edc.settlements.filter(({ trailer }) => !trailer).length, 1, 'asked once');
  });

  test('although a sale was reversed in the meantime', async () => {
    ended(await stage.paid(sale('M-1')));
    unknownToUs();
    const question = heldQuestion();
    const settling = settle();
    await question.asked;
    const held = heldSale('M-2');
    await held.posted;
    question.answer();
    await settled();
    await held.lost();
    const [uploaded] = await settling;
    assert.match(uploaded?.reason ?? '', /ask the bank/);
    assert.equal(stage.edc.settlements.filter(({ trailer }) => !trailer).length, 2, 'asked once more, not for ever');
  });

  test('at the next settlement, if an approved sale hid the difference', async () => {
    ended(await stage.paid(sale('M-1')));
    unknownToUs();
    const question = heldQuestion();
    const settling = settle();
    await question.asked;
    const held = heldSale('M-2');
    await held.posted;
    await held.approved();
    question.answer();
    assert.doesNotMatch((await settling)[0]?.reason ?? '', /ask the bank/);
    assert.match((await settle())[0]?.reason ?? '', /ask the bank/);
  });
});
