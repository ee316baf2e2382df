import { type ActorRefFrom, createActor, fromPromise, toPromise } from 'xstate';
import type { Amount } from '../domain/amount.ts';
import { offered, presentsCard } from '../domain/capability.ts';
import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { CollectOutcome, PresentedCard } from '../ports/card-reader.ts';
import type { Clock } from '../ports/clock.ts';
import type { Accepted, Conclusion } from '../ports/journal.ts';
import { type Authorization, transactionMachine } from '../transaction/machine.ts';
import { reversalDue } from '../transaction/recover.ts';
import { type TransactionRecord, transactionRecord } from '../transaction/record.ts';
import { isReferenceRefusal, type ReferenceRefusal, referred } from '../transaction/reference.ts';
import { standing } from '../transaction/standing.ts';
import { authorized } from './authorization.ts';
import type { Order } from './order.ts';
import type { TerminalParts } from './parts.ts';
import { recordTree } from './record-tree.ts';
import type { Recovery } from './recovery.ts';
import type { PaymentRequest, RunningState } from './request.ts';
import { outcomeView, runningView, unknownView } from './view.ts';

type TransactionActor = ActorRefFrom<typeof transactionMachine>;

/** refused: nothing started and nothing was written, the request names an original that it may not. */
export type RunEnd =
  | { readonly kind: 'ended'; readonly record: TransactionRecord }
  | { readonly kind: 'refused'; readonly refusal: ReferenceRefusal };

/** One transaction while the terminal is at it. */
export class TransactionRun {
  readonly id: TerminalTransactionId;
  readonly request: PaymentRequest;
  readonly #parts: TerminalParts;
  readonly #recovery: Recovery;
  #actor: TransactionActor | undefined;
  #cancelledBy: 'pos' | 'merchant' | undefined;

  constructor(id: TerminalTransactionId, request: PaymentRequest, parts: TerminalParts, recovery: Recovery) {
    this.id = id;
    this.request = request;
    this.#parts = parts;
    this.#recovery = recovery;
  }

  /** Whether it came as far as touching a device or a host. */
  get started(): boolean {
    return this.#actor !== undefined;
  }

  /** Before its actor it is still being written down: nothing is armed or sent, a cancel is in time. */
  get state(): RunningState {
    const snapshot = this.#actor?.getSnapshot();
    return !snapshot || snapshot.matches('idle') || snapshot.matches('collecting') ? 'collecting' : 'authorizing';
  }

  cancel(by: 'pos' | 'merchant'): void {
    this.#cancelledBy ??= by;
    this.#actor?.send({ type: 'CANCEL', by });
  }

  /** To the end: what it returns is in the journal. Rejects with JournalError. */
  async transacted(): Promise<RunEnd> {
    const { journal, receipts, screen, onFailure } = this.#parts;
    while (this.#recovery.due) await this.#recovery.now();
    const order = await this.#ordered();
    if (isReferenceRefusal(order)) return { kind: 'refused', refusal: order };
    const { existing } = await journal.open(this.id, this.#accepted(order)).catch((error: unknown) => {
      // A commit that was said to fail may stand all the same, and nothing else would end it.
      this.#recovery.later(this.id);
      throw error;
    });
    // It ended between the question and now: whatever the order of the journal's answers, its identity is taken.
    if (existing !== undefined) return { kind: 'ended', record: await this.#record(existing) };
    this.#actor = this.#started(order);
    await toPromise(this.#actor).catch((error: unknown) => onFailure?.(error));
    const { conclusion } = this.#actor.getSnapshot().context;
    try {
      const record = await this.#ended(conclusion);
      receipts?.poke();
      screen.show(outcomeView(record));
      return { kind: 'ended', record };
    } catch (error) {
      this.#recovery.later(this.id);
      screen.show(unknownView(order.amount));
      throw error;
    }
  }

  /** The request, with what it refers to. Checked here, where no other transaction can come between. */
  async #ordered(): Promise<Order | ReferenceRefusal> {
    const { journal, profiles, rules, receipts } = this.#parts;
    const { type, amount, originalId, tipMinor = 0n, forcedAcquirer, approvalCode, shape } = this.request;
    const printsReceipt = receipts !== undefined && shape === 'A';
    const common = { id: this.id, amount, forcedAcquirer, approvalCode, printsReceipt };
    if (originalId === undefined) {
      if (type === 'VOID') throw new Error('a VOID names its original');
      return { ...common, kind: type, tipMinor };
    }
    const tree = await recordTree(originalId, journal);
    const intent = tree?.record.intent;
    const settled = intent !== undefined && intent.trace.batch !== (await journal.openBatch(intent.acquirerId));
    const possible = intent ? offered(intent.card.brand, profiles) : [];
    const resolved = referred(this.request, tree, settled, possible, rules);
    if (isReferenceRefusal(resolved)) return resolved;
    const original = tree && { record: tree.record, total: standing(tree).total };
    return { ...common, ...resolved, original };
  }

  #accepted({ kind, amount, tipMinor }: Order): Accepted {
    const { posId, messageId, digest, shape, originalId, approvalCode } = this.request;
    return {
      kind: 'accepted',
      posId,
      messageId,
      digest,
      type: kind,
      amountMinor: amount.minor.toString(),
      currency: amount.currency,
      shape,
      ...(tipMinor === 0n ? {} : { tipMinor: tipMinor.toString() }),
      ...(originalId === undefined ? {} : { originalId }),
      ...(approvalCode === undefined ? {} : { approvalCode }),
    };
  }

  #started(order: Order): TransactionActor {
    const { amount } = order;
    const { clock, timeouts, screen } = this.#parts;
    const actor = createActor(transactionMachine.provide({ actors: this.#actors(order) }), {
      input: { amount, collectTimeoutMs: timeouts.collectMs, presentsCard: presentsCard(order.kind) },
      clock: { setTimeout: (fn, ms) => clock.setTimeout(fn, ms), clearTimeout: (id) => clock.clearTimeout(id) },
    });
    actor.subscribe({
      next: (snapshot) => {
        const view = runningView(snapshot, amount);
        if (view) screen.show(view);
      },
      error: () => undefined,
    });
    actor.start();
    actor.send({ type: 'START' });
    if (this.#cancelledBy) actor.send({ type: 'CANCEL', by: this.#cancelledBy });
    return actor;
  }

  /** What the machine's actors do on this terminal. */
  #actors(order: Order) {
    const { reader, journal, timeouts } = this.#parts;
    let collecting: Promise<CollectOutcome> | undefined;
    return {
      collectCard: fromPromise<CollectOutcome, Amount>(({ input: amount, signal }) => {
        const type = order.kind === 'REFUND' ? 'refund' : 'purchase';
        collecting = reader.collect({ amount, type, timeoutMs: timeouts.collectMs }, signal);
        return collecting;
      }),
      disarm: fromPromise<void>(async () => {
        await collecting?.catch(() => undefined);
      }),
      authorize: fromPromise<Authorization, PresentedCard | undefined>(({ input }) =>
        authorized(order, input, this.#parts),
      ),
      reverse: fromPromise<void>(() => this.#reversed()),
      conclude: fromPromise<void, Conclusion>(async ({ input }) => {
        const record = await this.#record(this.id);
        // A commit that was said to fail may stand all the same: then the journal's word holds.
        if (record.conclusion) return;
        await journal.append(this.id, [...reversalDue(record, 'unwritten answer'), { kind: 'ended', ...input }]);
      }),
    };
  }

  async #reversed(): Promise<void> {
    const { journal, forwarder, timeouts, clock } = this.#parts;
    try {
      const record = await this.#record(this.id);
      const due = reversalDue(record, 'unwritten answer');
      if (due.length > 0) await journal.append(this.id, due);
      if (record.intent) await withinMs(forwarder.flush(record.intent.acquirerId), timeouts.reversalWaitMs, clock);
    } catch (error) {
      this.#recovery.later(this.id);
      throw error;
    }
  }

  /** The record as the journal has it. Where the journal failed at the end, the conclusion is the machine's word. */
  async #ended(conclusion: Conclusion | undefined): Promise<TransactionRecord> {
    const record = await this.#record(this.id);
    if (record.conclusion) return record;
    const told = conclusion?.result === 'SUCCESS' ? undefined : conclusion;
    this.#recovery.later(this.id, told);
    return told ? { ...record, conclusion: told } : record;
  }

  async #record(id: TerminalTransactionId): Promise<TransactionRecord> {
    return transactionRecord(id, await this.#parts.journal.read(id));
  }
}

/** Waits for `work`, but not longer than `ms`. */
function withinMs(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(resolve, ms);
    const settled = () => {
      clock.clearTimeout(timer);
      resolve();
    };
    work.then(settled, settled);
  });
}
