import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eventually, type Json, type Stage } from './stage.ts';

export type AcquirerName = 'EDC' | 'CUP';

/** A posting as this test expects it, kept beside the product and by other rules: integers of cents, no events. */
export interface Posting {
  readonly id: string;
  readonly kind: 'SALE' | 'AUTH' | 'OFFLINE_SALE' | 'AUTH_COMP' | 'REFUND';
  readonly acquirer: AcquirerName;
  readonly card: string;
  readonly currency: string;
  readonly stan: number;
  cents: number;
  tipCents: number;
  status: 'POSTED' | 'VOIDED' | 'COMPLETED';
  refundedCents: number;
  settled: boolean;
  /** The sale that a refund refers to. */
  readonly refundOf?: Posting;
  /** The auth that a completion refers to. */
  readonly completes?: Posting;
}

const describe = ({ kind, stan, cents, tipCents, status }: Omit<Posting, 'id' | 'acquirer' | 'card'> | Posting) =>
  `${kind} ${stan} ${cents} tip ${tipCents} ${status}`;

/** Everything that waits for a host is through. */
export async function drained(stage: Stage): Promise<void> {
  await eventually(
    () => stage.status(),
    ({ pendingReversals, pendingAdvices }) => pendingReversals === 0 && pendingAdvices === 0,
  );
}

/**
 * Compares the three books: what the POS was told (`told`), the journal by way of enquiries, and each host's ledger. Of the
 * ledger every posting counts that is not reversed: it must have been told, and nothing else may stand there.
 */
export async function assertHostsAgree(stage: Stage, told: readonly Posting[]): Promise<void> {
  for (const acquirer of ['EDC', 'CUP'] as const) {
    const ledger = (await stage.ledger(acquirer)).filter((entry) => entry.status !== 'REVERSED');
    const theirs = ledger.map((entry) =>
      describe({
        kind: entry.kind,
        stan: Number(entry.stan),
        cents: cents(entry.amount),
        tipCents: cents(entry.tip),
        status: entry.status,
        currency: entry.currency,
        refundedCents: 0,
        settled: entry.settled,
      }),
    );
    const ours = told.filter((posting) => posting.acquirer === acquirer).map(describe);
    assert.deepEqual(theirs.sort(), ours.sort(), `${acquirer}: the host's books differ from what the POS was told`);
  }
}

/** The journal itself, read with the daemon stopped, by SQL and JSON alone. */
export function assertJournalAgrees(stage: Stage, told: readonly Posting[]): void {
  const database = new DatabaseSync(path.join(stage.stateDir, 'journal.db'));
  try {
    const rows = database.prepare('SELECT txn_id, body FROM event ORDER BY seq').all();
    const journal = new Map<string, Json>();
    for (const { txn_id: id, body } of rows) {
      const event: Json = JSON.parse(String(body));
      const known = journal.get(String(id)) ?? {};
      journal.set(String(id), { ...known, [event.kind]: event });
    }
    for (const posting of told) {
      const entry = journal.get(posting.id);
      assert.equal(
        entry?.ended?.result,
        'SUCCESS',
        `${posting.kind} ${posting.stan} was told and is not in the journal`,
      );
      assert.equal(entry.intent.trace.stan, posting.stan);
      assert.equal(entry.accepted.type, posting.kind);
    }
    const kinds: readonly string[] = ['SALE', 'AUTH', 'OFFLINE_SALE', 'AUTH_COMP', 'REFUND'];
    const successes = [...journal.values()].filter(
      (entry) => entry.ended?.result === 'SUCCESS' && kinds.includes(entry.accepted.type),
    );
    assert.equal(successes.length, told.length, 'the journal has successes that nobody was told of');
  } finally {
    database.close();
  }
}

export function cents(text: string): number {
  assert.match(text, /^\d+\.\d\d$/);
  return Number(text.replace('.', ''));
}
