import { type ActorRefFrom, createActor, toPromise } from 'xstate';
import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { Accepted } from '../events/accepted.ts';
import type { Conclusion } from '../events/conclusion.ts';
import type { Order } from '../method/order.ts';
import type { ScreenAction } from '../ports/screen.ts';
import { recordNow } from '../records/record-tree.ts';
import type { TransactionRecord } from '../records/record.ts';
import { type Answered, type Canceller, transactionMachine } from '../transaction/machine.ts';
import type { Plan } from '../transaction/plan.ts';
import { isReferenceRefusal, type ReferenceRefusal } from '../transaction/reference.ts';
import { transactionActors } from './actors.ts';
import { Announcer } from './announcer.ts';
import { orderOf } from './order-of.ts';
import type { RunParts } from './parts.ts';
import type { Recovery } from './recovery.ts';
import type { PaymentRequest, Running } from './request.ts';
import { runningOf } from './running-view.ts';
import { Sessions } from './sessions.ts';

type TransactionActor = ActorRefFrom<typeof transactionMachine>;

/** refused: nothing started and nothing was written, the request names what it may not. */
export type RunEnd =
  | { readonly kind: 'ended'; readonly record: TransactionRecord }
  | { readonly kind: 'refused'; readonly refusal: ReferenceRefusal };

/** One transaction while the terminal is at it. */
export class TransactionRun {
  readonly id: TerminalTransactionId;
  readonly request: PaymentRequest;
  readonly #plan: Plan;
  readonly #parts: RunParts;
  readonly #recovery: Recovery;
  readonly #announcer: Announcer;
  #actor: TransactionActor | undefined;
  #sessions: Sessions | undefined;
  #cancelledBy: Canceller | undefined;

  constructor(id: TerminalTransactionId, request: PaymentRequest, plan: Plan, parts: RunParts, recovery: Recovery) {
    this.id = id;
    this.request = request;
    this.#plan = plan;
    this.#parts = parts;
    this.#recovery = recovery;
    this.#announcer = new Announcer(id, request, parts);
  }

  /** Whether it came as far as touching a device or a host. */
  get started(): boolean {
    return this.#actor !== undefined;
  }

  /** Before its actor it is still being written down: nothing is armed or sent, a cancel is in time. */
  get running(): Running {
    const snapshot = this.#actor?.getSnapshot();
    if (typeof snapshot?.value !== 'object') {
      return { state: snapshot?.status === 'done' ? 'authorizing' : 'collecting' };
    }
    return runningOf(snapshot, this.#parts.methods);
  }

  /** Whether a cancel can still keep the customer from being charged. */
  get cancellable(): boolean {
    const snapshot = this.#actor?.getSnapshot();
    if (!snapshot || snapshot.matches('idle') || snapshot.matches('collecting')) return true;
    return snapshot.can({ type: 'CANCEL', by: 'pos' });
  }

  cancel(by: Canceller): void {
    this.#cancelledBy ??= by;
    this.#actor?.send({ type: 'CANCEL', by });
  }

  /** What the merchant or the customer does on the terminal's own page. What does not fit the moment does nothing. */
  act(action: ScreenAction): void {
    switch (action.kind) {
      case 'cancel':
        return this.cancel('merchant');
      case 'choose':
        return this.#actor?.send({ type: 'CHOOSE', mode: action.mode });
      case 'wallet':
        return this.#actor?.send({ type: 'WALLET', scheme: action.scheme });
      default:
        // The account, the cash: what only the method at hand asks for.
        return this.#give(this.#sessions?.current?.act?.(action));
    }
  }

  #give(answer: Answered | undefined): void {
    if (answer) this.#actor?.send({ type: 'GIVEN', answer });
  }

  /** To the end: what it returns is in the journal. Rejects with JournalError. */
  async transact(): Promise<RunEnd> {
    const { journal, receipts, onFailure } = this.#parts;
    while (this.#recovery.due) await this.#recovery.now();
    const order = await orderOf(this.id, this.request, this.#plan, this.#parts);
    if (isReferenceRefusal(order)) return { kind: 'refused', refusal: order };
    const { existing } = await journal.open(this.id, this.#acceptance(order)).catch((error: unknown) => {
      // A commit that was said to fail may stand all the same, and nothing else would end it.
      this.#recovery.later(this.id);
      throw error;
    });
    // It ended between the question and now: whatever the order of the journal's answers, its identity is taken.
    if (existing !== undefined) return { kind: 'ended', record: await recordNow(existing, journal) };
    const { methods, ...parts } = this.#parts;
    const sessions = new Sessions(order, methods, { ...parts, progress: this.#announcer.progress });
    this.#sessions = sessions;
    const actor = this.#start(order, sessions);
    await toPromise(actor).catch((error: unknown) => onFailure?.(error));
    const { conclusion } = actor.getSnapshot().context;
    // What the customer gave was for this one payment: it is gone whatever came of it.
    const forgotten = sessions.forget();
    try {
      const record = await this.#readEnd(conclusion);
      receipts?.poke();
      this.#announcer.end(record);
      return { kind: 'ended', record };
    } catch (error) {
      this.#recovery.later(this.id);
      this.#announcer.endUnknown();
      throw error;
    } finally {
      await forgotten;
    }
  }

  #acceptance({ kind, amount, tipMinor, cashbackMinor }: Order): Accepted {
    const { posId, messageId, digest, shape, printedBy, originalId, approvalCode } = this.request;
    return {
      kind: 'accepted',
      posId,
      messageId,
      digest,
      type: kind,
      amountMinor: amount.minor.toString(),
      currency: amount.currency,
      shape,
      printedBy,
      ...(tipMinor === 0n ? {} : { tipMinor: tipMinor.toString() }),
      ...(originalId === undefined ? {} : { originalId }),
      ...(approvalCode === undefined ? {} : { approvalCode }),
      ...(cashbackMinor === undefined ? {} : { cashbackMinor: cashbackMinor.toString() }),
    };
  }

  #start(order: Order, sessions: Sessions): TransactionActor {
    const { amount, collects } = order;
    const { clock, timeouts } = this.#parts;
    const actors = transactionActors(this.id, sessions, collects.defaultMode, this.#parts, this.#recovery);
    const actor = createActor(transactionMachine.provide({ actors }), {
      input: { amount, collectTimeoutMs: timeouts.collectMs, walletTimeoutMs: timeouts.walletMs, ...collects },
      clock: { setTimeout: (fn, ms) => clock.setTimeout(fn, ms), clearTimeout: (id) => clock.clearTimeout(id) },
    });
    this.#actor = actor;
    this.#announcer.follow(actor, order, sessions);
    actor.start();
    actor.send({ type: 'START' });
    if (this.#cancelledBy) actor.send({ type: 'CANCEL', by: this.#cancelledBy });
    return actor;
  }

  /** The record as the journal has it. Where the journal failed at the end, the conclusion is the machine's word. */
  async #readEnd(conclusion: Conclusion | undefined): Promise<TransactionRecord> {
    const record = await recordNow(this.id, this.#parts.journal);
    if (record.conclusion) return record;
    const told = conclusion?.result === 'SUCCESS' ? undefined : conclusion;
    this.#recovery.later(this.id, told);
    return told ? { ...record, conclusion: told } : record;
  }
}
