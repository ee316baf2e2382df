import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AcquirerName, Way } from './customer.ts';
import { eventually, type Json, type Stage } from './stage.ts';

/** All acquirers that this terminal settles with, in the order of its configuration. */
export const acquirerNames = ['CUP', 'EDC', 'EPS', 'QR', 'OCTOPUS', 'CASH'] as const satisfies AcquirerName[];

/** Hosts of ISO 8583. */
export const cardHosts = ['CUP', 'EDC', 'EPS'] as const satisfies AcquirerName[];

export type PostingKind = 'SALE' | 'AUTH' | 'OFFLINE_SALE' | 'AUTH_COMP' | 'REFUND';

/** A posting as this test expects it, kept beside the product and by other rules: integers of cents, no events. */
export interface Posting {
  readonly id: string;
  readonly kind: PostingKind;
  readonly way: Way;
  readonly acquirer: AcquirerName;
  readonly currency: string;
  readonly stan: number;
  cents: number;
  tipCents: number;
  /** EPS: cash that the customer took, within `cents`. */
  readonly cashbackCents: number;
  status: 'POSTED' | 'VOIDED' | 'COMPLETED';
  refundedCents: number;
  settled: boolean;
  /** Its refund or void has no known outcome. */
  undecided?: boolean;
  /** Its tip was adjusted; that is possible once. */
  adjusted?: boolean;
  /** The sale that a refund refers to. */
  readonly refundOf?: Posting;
  /** The auth that a completion refers to. */
  readonly completes?: Posting;
  /** A wallet's void is a full refund, in an order of its own. */
  voidedBy?: { readonly id: string; readonly stan: number };
}

/** The posting of an approval. `body`: the answer, in shape A. */
export function booked(kind: PostingKind, way: Way, cents: number, body: Json, more: Partial<Posting> = {}): Posting {
  return {
    id: body.terminalTransactionId,
    kind,
    way,
    acquirer: way.acquirer,
    currency: 'HKD',
    stan: body.transactionResult.trace,
    cents,
    tipCents: 0,
    cashbackCents: 0,
    status: 'POSTED',
    refundedCents: 0,
    settled: false,
    ...more,
  };
}

/** `body`: the answer to the void, in shape A. */
export function bookVoid(original: Posting, body: Json): void {
  original.status = 'VOIDED';
  if (original.refundOf) original.refundOf.refundedCents -= original.cents;
  // The void of a completion restores the auth.
  if (original.completes) original.completes.status = 'POSTED';
  if (original.acquirer === 'QR' && original.kind === 'SALE') {
    original.voidedBy = { id: body.terminalTransactionId, stan: body.transactionResult.trace };
  }
}

/** Resolves when nothing waits for a host any more. */
export async function drained(stage: Stage): Promise<void> {
  await eventually(
    () => stage.status(),
    ({ pendingReversals, pendingAdvices }) => pendingReversals === 0 && pendingAdvices === 0,
  );
}

/**
 * Compares the answers to the POS with the books of hosts and purses: every standing posting there was answered, and
 * there is no other. Cash has no host; its totals are compared at its settlement.
 */
export async function assertHostsAgree(stage: Stage, reported: readonly Posting[]): Promise<void> {
  for (const acquirer of cardHosts) {
    const ledger = (await stage.ledger(acquirer)).filter((entry) => entry.status !== 'REVERSED');
    const ours = reported.filter((posting) => posting.acquirer === acquirer);
    assertSame(ledger.map(cardLine), ours.map(ownCardLine), acquirer);
  }
  const wallets = await stage.ledger('QR');
  const ours = reported.filter(({ acquirer }) => acquirer === 'QR');
  assertSame(walletLines(wallets), ours.flatMap(ownWalletLines), 'QR');
  await assertPurses(stage, reported);
}

function assertSame(theirs: string[], ours: string[], acquirer: string): void {
  assert.deepEqual(theirs.sort(), ours.sort(), `${acquirer}: its books differ from what the POS was told`);
}

function cardLine({ kind, stan, amount, tip, status, account = '', cashbackMinor = '0' }: Json): string {
  const shown = status === 'POSTED' || status === 'VOIDED' || status === 'COMPLETED' ? status : `? ${status}`;
  return `${kind} ${Number(stan)} ${cents(amount)} tip ${cents(tip)} ${shown} ${account} cash ${cashbackMinor}`;
}

function ownCardLine({ kind, stan, status, way, ...posting }: Posting): string {
  const account = posting.acquirer === 'EPS' ? way.instrument : '';
  return `${kind} ${stan} ${posting.cents} tip ${posting.tipCents} ${status} ${account} cash ${posting.cashbackCents}`;
}

/**
 * Orders whose money has moved and stayed: not an unpaid order, not a sale that its own reversal gave back (its number
 * with R appended), and not a refund that was taken back.
 */
function walletLines(ledger: readonly Json[]): string[] {
  const undone = ledger.filter(
    ({ kind, tradeNo, status }) => kind === 'REFUND' && tradeNo.endsWith('-R') && status === 'POSTED',
  );
  const reversed = new Map(undone.map(({ originalTradeNo, amountMinor }) => [originalTradeNo, amountMinor]));
  return ledger.flatMap(({ kind, tradeNo, status, wallet, amountMinor, refundedMinor = '0', originalTradeNo = '' }) => {
    if (status !== 'POSTED' || undone.some((refund) => refund.tradeNo === tradeNo)) return [];
    if (kind === 'REFUND') return [`REFUND ${tradeNo} ${wallet} ${amountMinor} of ${originalTradeNo}`];
    if (reversed.get(tradeNo) === amountMinor && refundedMinor === amountMinor) return [];
    return [`SALE ${tradeNo} ${wallet} ${amountMinor} less ${refundedMinor}`];
  });
}

function ownWalletLines(posting: Posting): string[] {
  const { kind, way, status, refundOf, voidedBy } = posting;
  if (kind === 'REFUND') {
    if (status === 'VOIDED') return [];
    return [`REFUND ${tradeNo(posting)} ${way.instrument} ${posting.cents} of ${refundOf ? tradeNo(refundOf) : ''}`];
  }
  const sale = `SALE ${tradeNo(posting)} ${way.instrument} ${posting.cents}`;
  if (!voidedBy) return [`${sale} less ${posting.refundedCents}`];
  return [
    `${sale} less ${posting.cents}`,
    `REFUND ${tradeNo(voidedBy)} ${way.instrument} ${posting.cents} of ${tradeNo(posting)}`,
  ];
}

/** `out_trade_no`, and the reference of an Octopus deduction: fixtures/README.md. */
function tradeNo({ id, stan }: Pick<Posting, 'id' | 'stan'>): string {
  return `${id}-${stan}`;
}

/** Balances of the cards of fixtures/octopus/cards.json, cents. */
const filled: Readonly<Record<string, number>> = {
  octopus: 50_000,
  'octopus-other': 32_050,
  'octopus-low': 510,
  'octopus-blocked': 10_000,
};

/** Each deduction was answered once, and each purse has lost exactly these amounts. */
async function assertPurses(stage: Stage, reported: readonly Posting[]): Promise<void> {
  const { octopus } = await stage.bench();
  const ours = reported.filter(({ acquirer }) => acquirer === 'OCTOPUS');
  const names = new Map<string, string>(octopus.cards.map(({ cardId, name }: Json) => [cardId, name]));
  assertSame(
    (await stage.octopusLedger()).map(
      ({ reference, cardId, amountMinor, status }) => `${reference} ${names.get(cardId)} ${amountMinor} ${status}`,
    ),
    ours.map((posting) => `${tradeNo(posting)} ${posting.way.instrument} ${posting.cents} POSTED`),
    'OCTOPUS',
  );
  for (const { name, balanceMinor } of octopus.cards) {
    const spent = ours.filter(({ way }) => way.instrument === name).reduce((sum, posting) => sum + posting.cents, 0);
    assert.equal(Number(balanceMinor), (filled[name] ?? 0) - spent, `the purse of ${name}`);
  }
}

/** The journal itself, read with the daemon stopped, by SQL and JSON alone. */
export function assertJournalAgrees(stage: Stage, reported: readonly Posting[]): void {
  const database = new DatabaseSync(path.join(stage.stateDir, 'journal.db'));
  try {
    const rows = database.prepare('SELECT txn_id, body FROM event ORDER BY seq').all();
    const journal = new Map<string, Json>();
    for (const { txn_id: id, body } of rows) {
      const event: Json = JSON.parse(String(body));
      const known = journal.get(String(id)) ?? {};
      journal.set(String(id), { ...known, [event.kind]: event });
    }
    for (const posting of reported) {
      const entry = journal.get(posting.id);
      const name = `${posting.way.name} ${posting.kind} ${posting.stan}`;
      assert.equal(entry?.ended?.result, 'SUCCESS', `${name} was told and is not in the journal`);
      assert.deepEqual(
        [entry.intent.trace.stan, entry.intent.acquirerId, entry.accepted.type],
        [posting.stan, posting.acquirer, askedKind(posting)],
      );
    }
    const kinds: readonly string[] = ['SALE', 'AUTH', 'OFFLINE_SALE', 'AUTH_COMP', 'REFUND'];
    const successes = [...journal.values()].filter(
      (entry) => entry.ended?.result === 'SUCCESS' && kinds.includes(entry.accepted.type),
    );
    assert.equal(successes.length, reported.length, 'the journal has successes that nobody was told of');
  } finally {
    database.close();
  }
}

/** The kind of the request: other cards than UnionPay's have no AUTH_COMP, an offline sale completes their auths. */
function askedKind({ kind, acquirer }: Pick<Posting, 'kind' | 'acquirer'>): Posting['kind'] {
  return acquirer === 'EDC' && kind === 'AUTH_COMP' ? 'OFFLINE_SALE' : kind;
}

/** The expected totals of this acquirer's settlement: count and cents by kind. */
export function expectedTotals(reported: readonly Posting[], acquirer: AcquirerName): Json {
  const totals: Record<string, { count: number; cents: number }> = {};
  for (const { kind, status, settled, ...posting } of reported) {
    if (posting.acquirer !== acquirer || kind === 'AUTH' || status !== 'POSTED' || settled) continue;
    const total = (totals[askedKind({ kind, acquirer })] ??= { count: 0, cents: 0 });
    total.count++;
    total.cents += posting.cents;
  }
  return totals;
}

/** The totals of an answer, in the same form. */
export function reportedTotals(totals: readonly Json[]): Json {
  return Object.fromEntries(
    totals.map(({ transactionType, count, totalAmount }) => [
      transactionType,
      { count, cents: Math.round(totalAmount * 100) },
    ]),
  );
}

export function cents(text: string): number {
  assert.match(text, /^\d+\.\d\d$/);
  return Number(text.replace('.', ''));
}
