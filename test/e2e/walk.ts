import assert from 'node:assert/strict';
import {
  acquirerNames,
  assertHostsAgree,
  assertJournalAgrees,
  drained,
  expectedTotals,
  reportedTotals,
} from './books.ts';
import { Chance } from './chance.ts';
import { Shop } from './shop.ts';
import { Stage } from './stage.ts';
import * as cards from './walk-cards.ts';
import * as counter from './walk-counter.ts';
import * as references from './walk-references.ts';
import * as wallets from './walk-wallets.ts';

type Operation = (shop: Shop) => Promise<void>;

/** The operations of a shop with their weights. */
const operations: readonly (readonly [weight: number, name: string, operation: Operation])[] = [
  [12, 'sale', cards.sale],
  [4, 'auth', cards.auth],
  [4, 'offline', cards.offline],
  [4, 'refund', cards.refund],
  [4, 'decline', cards.decline],
  [8, 'outage', cards.outage],
  [2, 'chipRefuses', cards.chipRefuses],
  [5, 'eps', cards.eps],
  [2, 'epsWrongPin', cards.epsWrongPin],
  [1, 'epsCancelled', cards.epsCancelled],
  [2, 'epsOutage', cards.epsOutage],
  [10, 'wallet', wallets.wallet],
  [1, 'walletDeclined', wallets.walletDeclined],
  [3, 'walletAsked', wallets.walletAsked],
  [3, 'codeCancelled', wallets.codeCancelled],
  [4, 'walletOutage', wallets.walletOutage],
  [6, 'octopus', counter.octopus],
  [1, 'octopusTooLittle', counter.octopusTooLittle],
  [2, 'octopusTorn', counter.octopusTorn],
  [4, 'cash', counter.cash],
  [2, 'change', counter.change],
  [4, 'cancel', counter.cancel],
  [8, 'linkedRefund', references.linkedRefund],
  [10, 'void', references.voids],
  [4, 'wrongVoid', references.wrongVoid],
  [4, 'tip', references.tip],
  [4, 'completion', references.completion],
  [4, 'repeat', repeat],
  [1, 'settle', (shop) => settle(shop, shop.chance.once(3))],
];

const pot = operations.flatMap(([weight, name, operation]) =>
  Array.from({ length: weight }, () => ({ name, operation })),
);

/** A POS without an answer sends its last request again: it gets the same answer, and nothing new starts. */
async function repeat({ last, stage }: Shop): Promise<void> {
  // An unknown outcome may be known by now.
  if (last?.answer.status !== 200 || last.answer.body.responseResult === 'UNKNOWN') return;
  const again = await stage.payment(last.request);
  assert.equal(again.body.terminalTransactionId, last.answer.body.terminalTransactionId);
  assert.equal(again.body.responseResult, last.answer.body.responseResult);
}

async function settle({ stage, postings }: Shop, mismatch: boolean): Promise<void> {
  await drained(stage);
  const hosts = mismatch ? (['EDC', 'CUP', 'EPS'] as const) : [];
  for (const id of hosts) await stage.host(id, { mode: 'up', mismatch: true });
  const { body } = await stage.settle();
  assert.equal(body.responseResult, 'SUCCESS', JSON.stringify(body));
  assert.equal(body.settlements.length, acquirerNames.length);
  for (const { acquirer, totals, result } of body.settlements) {
    assert.deepEqual(reportedTotals(totals), expectedTotals(postings, acquirer), `${acquirer} settled other totals`);
    const uploaded = mismatch && ['EDC', 'CUP', 'EPS'].includes(acquirer);
    assert.ok(result === 'BALANCED' || (uploaded && result === 'UPLOADED'), `${acquirer}: ${result}`);
  }
  for (const posting of postings) if (posting.kind !== 'AUTH') posting.settled = true;
  for (const id of hosts) await stage.host(id, { mode: 'up' });
}

async function compare({ stage, postings }: Shop): Promise<void> {
  await drained(stage);
  await assertHostsAgree(stage, postings);
  await stage.assertDisarmed();
  assert.deepEqual(await stage.unexpected(), []);
}

/** A random walk on a stage of its own. Prints its seed, and on failure its operations. */
export async function walked(seed: number, steps: number): Promise<void> {
  const timeouts = { reversalWaitMs: 1_000, walletPollMs: 10, walletResolveMs: 60 };
  const stage = await Stage.open({
    // Short, but longer than a busy machine hesitates: a later answer is an unknown outcome.
    acquirer: { replyTimeoutMs: 1_000 },
    configuration: { printer: undefined, timeouts },
  });
  const shop = new Shop(stage, new Chance(seed));
  const log: string[] = [];
  try {
    for (let step = 1; step <= steps; step++) {
      const { name, operation } = shop.chance.of(pot);
      log.push(name);
      await operation(shop);
      if (step % 50 === 0) await compare(shop);
    }
    await compare(shop);
    await settle(shop, false);
    await compare(shop);
    await stage.stopDaemon('SIGTERM');
    assertJournalAgrees(stage, shop.postings);
  } catch (error) {
    console.error(`walk with seed ${seed} failed after: ${log.slice(-12).join(' ')} (step ${log.length})`);
    throw error;
  } finally {
    await stage.close();
  }
}
