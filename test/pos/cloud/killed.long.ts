import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, test } from 'node:test';
import type { MqttClient } from 'mqtt';
import type { Client, Outcome } from '../../../src/pos/client/client.ts';
import { drained } from '../../e2e/books.ts';
import { eventually, type Json, type Stage } from '../../e2e/stage.ts';
import { Chain, journalOf } from './chain.ts';
import { cloudTill, connected, pairedKey, terminalName } from './cloud-till.ts';

let chain: Chain;
let stage: Stage;
let client: MqttClient;
let till: Client;
/** What the till was told of each payment, by its amount: no two are of the same. */
const reported = new Map<number, Outcome>();
before(async () => {
  chain = await Chain.open();
  stage = await chain.terminal(terminalName, { hosts: ['EDC'], acquirer: { replyTimeoutMs: 60_000 } });
  client = await connected(chain.broker, 'till');
  till = cloudTill(client, await pairedKey(stage.stateDir, 'CLOUD-1'), { holdMs: 2_000, pauseMs: 100 });
});
after(async () => {
  await client?.endAsync(true);
  await chain?.close();
});
afterEach(async () => {
  assert.deepEqual(await stage.unexpected(), []);
});

type Part = 'broker' | 'terminal' | 'sink';

async function kill(parts: readonly Part[]): Promise<void> {
  const ends = {
    broker: () => chain.broker.kill(),
    terminal: () => stage.stopDaemon('SIGKILL'),
    sink: () => chain.killSink(),
  };
  for (const part of parts) await ends[part]();
}

async function restart(parts: readonly Part[]): Promise<void> {
  const starts = {
    broker: () => chain.broker.restart(),
    terminal: () => stage.startDaemon(),
    sink: () => chain.startSink(),
  };
  for (const part of ['broker', 'terminal', 'sink'] as const) if (parts.includes(part)) await starts[part]();
}

/** How far a payment has come when something is killed. */
const moments = {
  waits: {
    name: 'while it waits for its card',
    async reach() {
      await stage.view(({ scene }) => scene === 'chooseMethod' || scene === 'presentCard');
    },
    goOn: () => stage.tap('mastercard'),
  },
  /** The host's answer is on its way. */
  posted: {
    name: 'once its host has booked it, before the host answers',
    async reach(amount: number) {
      await stage.host('EDC', { mode: 'late', delayMs: 3_000 });
      await stage.tap('mastercard');
      await eventually(
        () => stage.posted(),
        (entries) => entries.some((entry) => Number(entry.amount) === amount),
      );
    },
    goOn: async () => undefined,
  },
  /** The till hears nothing: the broker went before. */
  approved: {
    name: 'once it is approved, before the till has heard of it',
    async reach() {
      await moments.waits.reach();
      await chain.broker.kill();
      await stage.tap('mastercard');
      await stage.view(({ scene }) => scene === 'approved');
    },
    goOn: async () => undefined,
  },
} as const;

interface Case {
  readonly moment: keyof typeof moments;
  readonly killed: readonly Part[];
  /** What the till must be told: SUCCESS, or ERROR with this financialImpact. */
  readonly end: 'SUCCESS' | 'NONE' | 'REVERSED';
}

const cases: readonly Case[] = [
  { moment: 'waits', killed: ['broker'], end: 'SUCCESS' },
  { moment: 'waits', killed: ['terminal'], end: 'NONE' },
  { moment: 'waits', killed: ['broker', 'terminal'], end: 'NONE' },
  { moment: 'posted', killed: ['broker'], end: 'SUCCESS' },
  { moment: 'posted', killed: ['terminal'], end: 'REVERSED' },
  { moment: 'posted', killed: ['terminal', 'broker', 'sink'], end: 'REVERSED' },
  { moment: 'approved', killed: ['broker'], end: 'SUCCESS' },
  { moment: 'approved', killed: ['broker', 'terminal'], end: 'SUCCESS' },
];

for (const [index, { moment, killed, end }] of cases.entries()) {
  const at = moments[moment];
  test(`${at.name}, ${killed.join(' and ')} killed: the till is told ${end}, and all books say the same`, async () => {
    const amount = 30 + index;
    const request = stage.saleRequest({ posId: 'CLOUD-1', requestAmount: amount });
    const paying = till.pay(request);
    await at.reach(amount);
    await kill(killed);
    if (!killed.includes('terminal')) await at.goOn();
    // Until it has its answer, the host is as slow as it was.
    else await stage.host('EDC', { mode: 'up' });
    await restart(killed);
    const first = await paying;
    await stage.host('EDC', { mode: 'up' });
    await drained(stage);
    // A reversal that waited is through.
    const outcome = await eventually(
      () => till.outcome(request),
      ({ answer }) => answer?.financialImpact !== 'REVERSAL_PENDING',
    );
    assert.equal(outcome.is, end === 'SUCCESS' ? 'done' : 'notDone', JSON.stringify(outcome));
    // While the reversal was under way nobody could say; otherwise the first word was the last.
    if (end !== 'REVERSED' || first.is !== 'unknown') assert.equal(first.is, outcome.is, JSON.stringify(first));
    assert.equal(outcome.is === 'done' ? 'SUCCESS' : outcome.answer?.financialImpact, end, JSON.stringify(outcome));
    reported.set(amount, outcome);
    await assertAgreed();
  });
}

test('the journal itself, read without the terminal, has each payment once, ended as the till was told', async () => {
  await stage.stopDaemon('SIGTERM');
  const database = new DatabaseSync(path.join(stage.stateDir, 'journal.db'), { readOnly: true });
  try {
    const rows = database.prepare('SELECT txn_id, body FROM event ORDER BY seq').all();
    const events = rows.map(({ txn_id: id, body }): Json => ({ id, ...JSON.parse(String(body)) }));
    const accepted = events.filter(({ kind }) => kind === 'accepted');
    const outcomes = [...reported.values()];
    assert.deepEqual(
      accepted.map(({ messageId }) => messageId),
      outcomes.map(({ answer }) => answer?.messageId),
    );
    for (const [index, { answer }] of outcomes.entries()) {
      const own = (kind: string) => events.filter((event) => event.id === accepted[index].id && event.kind === kind);
      assert.deepEqual(
        own('ended').map(({ result }) => result),
        [answer?.responseResult],
      );
      assert.equal(own('reversalAcknowledged').length, answer?.financialImpact === 'REVERSED' ? 1 : 0);
    }
  } finally {
    database.close();
  }
});

/** The host's books, the journal, the sink and the till have the same payments, with the same ends. */
async function assertAgreed(): Promise<void> {
  const done = [...reported].filter(([, { is }]) => is === 'done').map(([amount]) => amount);
  const effective = (await stage.posted()).map(({ amount }) => Number(amount));
  assert.deepEqual(effective.toSorted(ascending), done, 'the host’s books are not what the till was told');
  const journal = await journalOf(stage);
  assert.deepEqual(journal.map(lineOf), [...reported].map(answerLine), 'the journal is not what the till was told');
  await eventually(
    async () => [...(await chain.entries(terminalName)).values()].map(lineOf).toSorted(),
    (lines) => JSON.stringify(lines) === JSON.stringify(journal.map(lineOf).toSorted()),
    60_000,
  );
  const [row] = await chain.query('SELECT count(*) AS count, sum(amount) AS net FROM books.counted');
  assert.deepEqual(
    [Number(row?.['count']), Number(row?.['net'])],
    [done.length, done.reduce((sum, one) => sum + one, 0)],
  );
  const messages = await chain.query('SELECT seq, body FROM books.message ORDER BY ordinal');
  const places = messages.map(({ seq }) => Number(seq));
  assert.deepEqual(places, places.toSorted(ascending), 'the sink has taken them out of order');
}

const ascending = (one: number, other: number) => one - other;

function lineOf({ messageId, responseResult, financialImpact = '-', transactionResult }: Json): string {
  return [messageId, transactionResult.totalAmount, responseResult, financialImpact].join(' ');
}

function answerLine([amount, { answer }]: [number, Outcome]): string {
  return [answer?.messageId, amount, answer?.responseResult, answer?.financialImpact ?? '-'].join(' ');
}
