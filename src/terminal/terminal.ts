import { terminalTransactionId, type TerminalTransactionId } from '../domain/identifiers.ts';
import type { Identified } from '../ports/journal.ts';
import type { JournalledSettlement } from '../events/settlement.ts';
import type { TransactionRecord } from '../records/record.ts';
import { presentStatus, type RecordTree } from '../records/standing.ts';
import type { RunParts, TerminalParts } from './parts.ts';
import { TimeLimit, withinMs } from '../ports/pause.ts';
import { recordNow, buildTree } from '../records/record-tree.ts';
import { Recovery } from './recovery.ts';
import { settledSince } from './settlement/settled-since.ts';
import { Room } from './room.ts';
import type { PaymentRequest, Running, SettlementRequest } from './request.ts';
import { settleBatches } from './settlement/settlement.ts';
import { isImpossible, planPayment } from '../transaction/plan.ts';
import type { CancelAnswer, EnquiryAnswer, NotFound, Owner, PayAnswer, SettleAnswer } from './answers.ts';
import {
  awaitPayment,
  isSame,
  joinPayment,
  joinSettlement,
  ownerOf,
  type PaymentOccupant,
  type SettlementOccupant,
} from './occupant.ts';
import { TransactionRun } from './transaction-run.ts';

/** A failing disk usually fails for a while. */
const takeUpMs = 10_000;

/** For this long after a payment its POS may enquire for it: the day of its batch. */
const rememberedMs = 86_400_000;

/** How long a settlement waits for the running payment, and for another running settlement. */
const lullMs = 300_000;
const turnMs = 120_000;

/**
 * One terminal: one payment at a time, and one settlement beside it. (posId, messageId) names at most one transaction,
 * for ever (I4).
 */
export class Terminal {
  readonly #parts: RunParts;
  readonly #recovery: Recovery;
  #payment: PaymentOccupant | undefined;
  #settlement: SettlementOccupant | undefined;
  /** Set while a batch is being closed or the operator decides: no payment begins before it settles. */
  #lulled: Promise<unknown> | undefined;
  #outcomeTimer: unknown;
  #takeUpTimer: unknown;
  #closing = false;

  constructor(parts: TerminalParts) {
    const profiles = [...parts.acquirers.values()].map(({ profile }) => profile);
    this.#parts = { ...parts, profiles, room: new Room(parts) };
    const { journal, forwarder, clock, onFailure } = parts;
    const running = () => this.#payment?.run.id;
    const prints = parts.receipts !== undefined;
    this.#recovery = new Recovery({ journal, forwarder, clock, running, prints, onFailure });
    parts.screen.onAction((action) => {
      if (this.#payment?.run.id === action.transaction) this.#payment.run.act(action);
    });
  }

  /** Why no payment can be taken now; undefined if one can. */
  get notReady(): string | undefined {
    if (this.#closing) return 'the terminal is stopping';
    return this.#parts.methods.modes.find(({ mustBeReady }) => mustBeReady)?.notReady();
  }

  /** What runs now; the payment if a settlement runs beside it. */
  get running(): (Owner & Running) | undefined {
    if (this.#payment) return { ...ownerOf(this.#payment), ...this.#payment.run.running };
    return this.#settlement && { ...ownerOf(this.#settlement), state: 'settling' };
  }

  /** Whether a settlement runs, with or without a payment beside it. */
  get isSettling(): boolean {
    return this.#settlement !== undefined;
  }

  /**
   * Concludes what a restart left unfinished, and sends the reversals that are due, before the first payment. A
   * settlement that was interrupted continues beside the payments: its batches are closed to new entries.
   */
  async recover(): Promise<void> {
    await this.#recovery.atStart();
    this.#takeUpIn(0);
  }

  /**
   * Runs one payment; or joins the running payment, or repeats the answer, of the same identity. Rejects with
   * JournalError.
   */
  async pay(request: PaymentRequest): Promise<PayAnswer> {
    const same = this.#paymentOf(request);
    if (same) return joinPayment(same, request);
    const { transaction: existing, settlement } = await this.#identify(request);
    // Another request may have arrived meanwhile. From here to #occupy there is no await.
    const sameNow = this.#paymentOf(request);
    if (sameNow) return joinPayment(sameNow, request);
    if (existing) return this.#answerRepeat(existing, request);
    if (settlement || this.#settlementOf(request)) return { kind: 'otherRequest' };
    if (this.#payment) return { kind: 'busy', owner: ownerOf(this.#payment) };
    const { profiles, methods } = this.#parts;
    const plan = planPayment(request, { profiles, modes: methods.modes });
    if (isImpossible(plan)) return { kind: 'refused', refusal: { result: 'INVALID_PARAMETER', ...plan } };
    const reason = this.#closing ? this.notReady : plan.notReady;
    if (reason) return { kind: 'notReady', reason };
    const run = new TransactionRun(this.#newId(), request, plan, this.#parts, this.#recovery);
    const done = this.#occupy(async () => {
      await this.#lulled?.catch(() => undefined);
      return run.transact();
    });
    this.#payment = { request, run, done };
    return awaitPayment(this.#payment);
  }

  /**
   * Settles the open batches; or joins the running settlement, or repeats the answer, of the same identity. Rejects
   * with JournalError.
   */
  async settle(request: SettlementRequest): Promise<SettleAnswer> {
    for (let turns = 0; ; turns++) {
      const same = this.#settlementOf(request);
      if (same) return joinSettlement(same, request);
      const { transaction: payment, settlement: existing } = await this.#identify(request);
      const sameNow = this.#settlementOf(request);
      if (sameNow) return joinSettlement(sameNow, request);
      if (!existing && (payment || this.#paymentOf(request))) return { kind: 'otherRequest' };
      if (existing?.digest === request.digest && existing.results) return { kind: 'ended', settlement: existing };
      // A settlement that a restart interrupted has no results: the same request continues it.
      if (existing && existing.digest !== request.digest) return { kind: 'otherRequest' };
      if (this.#closing) return { kind: 'notReady', reason: 'the terminal is stopping' };
      if (this.#payment) return { kind: 'busy', owner: ownerOf(this.#payment) };
      if (!this.#settlement) return joinSettlement(this.#settles(request, existing?.id), request);
      if (turns > 0) return { kind: 'busy', owner: ownerOf(this.#settlement) };
      await withinMs(this.#settlement.done, turnMs, this.#parts.clock);
    }
  }

  /** Finds the payment or settlement of this identity. */
  #identify({ posId, messageId }: Owner): Promise<Identified> {
    return this.#parts.journal.findIdentity(posId, messageId);
  }

  async enquire(posId: string, messageId: string): Promise<EnquiryAnswer> {
    const run = this.#paymentOf({ posId, messageId });
    if (run) return { kind: 'running', ...run.run.running };
    const { transaction: id } = await this.#identify({ posId, messageId });
    // The payment may have started while the journal was read.
    const runNow = this.#paymentOf({ posId, messageId });
    if (runNow) return { kind: 'running', ...runNow.run.running };
    const tree = id && (await this.recall(id));
    return tree ? { kind: 'ended', record: tree.record, status: presentStatus(tree) } : this.#notFoundAnswer();
  }

  /** A settlement as it stands now; 'running' also if a restart has interrupted it. */
  async enquireSettlement(posId: string, messageId: string): Promise<JournalledSettlement | 'running' | undefined> {
    const { journal } = this.#parts;
    const { settlement: found } = await journal.findIdentity(posId, messageId);
    if (found?.results) return settledSince(found, journal);
    return found || this.#settlementOf({ posId, messageId }) ? 'running' : undefined;
  }

  /** A transaction by its own id, with all transactions that refer to it. */
  async recall(id: TerminalTransactionId): Promise<RecordTree | undefined> {
    const tree = await buildTree(id, this.#parts.journal);
    return tree && { ...tree, record: this.#withToldEnd(tree.record) };
  }

  /** Answers once the terminal is idle again, or at once if it is too late to cancel. */
  async cancel(posId: string, messageId: string): Promise<CancelAnswer> {
    let occupant = this.#paymentOf({ posId, messageId });
    if (!occupant) {
      const { transaction: id } = await this.#identify({ posId, messageId });
      occupant = this.#paymentOf({ posId, messageId });
      if (!occupant) return id ? { kind: 'ended', record: await this.#record(id) } : this.#notFoundAnswer();
    }
    if (!occupant.run.cancellable) return { kind: 'tooLate', state: occupant.run.running.state };
    occupant.run.cancel('pos');
    const end = await occupant.done;
    if (end.kind === 'refused') return { kind: 'notFound' };
    const cancelled = end.record.conclusion?.result === 'TRANSACTION_ALREADY_CANCEL';
    return { kind: cancelled ? 'cancelled' : 'ended', record: end.record };
  }

  /**
   * Runs work that changes the state of transactions. Nothing else runs or begins meanwhile. Resolves to undefined if
   * something is running.
   */
  async runUndisturbed<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#payment || this.#settlement || this.#lulled || this.#closing) return undefined;
    return this.#lull(work);
  }

  /** Ends collecting, and waits for authorizing and settling. After this, no device is used. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#payment?.run.cancel('merchant');
    await Promise.allSettled([this.#payment?.done, this.#settlement?.done]);
    this.#parts.clock.clearTimeout(this.#outcomeTimer);
    this.#parts.clock.clearTimeout(this.#takeUpTimer);
    await this.#recovery.close();
  }

  #settles(request: SettlementRequest, id = this.#newId()): SettlementOccupant {
    const { posId, messageId } = request;
    const counter = {
      lull: <T>(work: () => Promise<T>) => this.#lull(work),
      isStopping: () => this.#closing,
    };
    const done = Promise.resolve()
      .then(() => {
        this.#parts.events?.tell({ state: 'settling', posId, messageId });
        return settleBatches(id, request, this.#parts, counter);
      })
      .finally(() => {
        this.#settlement = undefined;
        this.#parts.room.forget();
        if (!this.#payment) this.#parts.events?.tell({ state: 'idle' });
      });
    // Also if the settlement was never journalled: then there is nothing to continue.
    done.catch(() => this.#takeUpIn(takeUpMs));
    this.#settlement = { request, done };
    return this.#settlement;
  }

  /**
   * Runs `work` while no payment runs; none begins before it is over. Resolves to undefined if the running payment
   * takes too long.
   */
  async #lull<T>(work: () => Promise<T>): Promise<T | undefined> {
    const limit = new TimeLimit(lullMs, this.#parts.clock);
    try {
      for (let running = this.#runs(); running; running = this.#runs()) {
        if (limit.isOver) return undefined;
        await withinMs(running, lullMs, this.#parts.clock);
      }
      const lulled = this.#concludeDue()
        .then(work)
        .finally(() => {
          this.#lulled = undefined;
          // The open batches may have changed.
          this.#parts.room.forget();
        });
      this.#lulled = lulled;
      return await lulled;
    } finally {
      limit.end();
    }
  }

  #runs(): Promise<unknown> | undefined {
    return this.#payment?.done ?? this.#lulled;
  }

  /**
   * Concludes what recovery still has to do: a sale whose answer could not be written is in no total, but perhaps in
   * the host's books.
   */
  async #concludeDue(): Promise<void> {
    while (this.#recovery.due) await this.#recovery.now();
  }

  /** Continues settlements that a restart or a failing journal has interrupted. Rejects with JournalError. */
  async #takeUp(): Promise<void> {
    for (const settlement of await this.#parts.journal.unfinishedSettlements()) {
      const { kind } = await this.settle(settlement);
      // The terminal is busy, or the journal still fails: tried again later.
      if (kind !== 'ended') return this.#takeUpIn(takeUpMs);
    }
  }

  #takeUpIn(ms: number): void {
    const { clock, onFailure } = this.#parts;
    clock.clearTimeout(this.#takeUpTimer);
    if (this.#closing) return;
    this.#takeUpTimer = clock.setTimeout(() => {
      this.#takeUp().catch((error: unknown) => {
        onFailure?.(error);
        this.#takeUpIn(takeUpMs);
      });
    }, ms);
  }

  #notFoundAnswer(): NotFound {
    const { journal, clock } = this.#parts;
    const agoMs = clock.now().getTime() - new Date(journal.since ?? 0).getTime();
    // A negative age means that the clock is behind, so the real age is not known.
    return {
      kind: 'notFound',
      ...(journal.since !== undefined && agoMs < rememberedMs ? { since: journal.since } : {}),
    };
  }

  #newId(): TerminalTransactionId {
    const { clock, random } = this.#parts;
    return terminalTransactionId(clock.now(), random.bytes(10));
  }

  /** Runs `work` after the caller has claimed the terminal, and releases the terminal when it has settled. */
  #occupy<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#parts;
    clock.clearTimeout(this.#outcomeTimer);
    return Promise.resolve()
      .then(work)
      .finally(() => {
        this.#payment = undefined;
        this.#scheduleIdle();
        const { events } = this.#parts;
        events?.tell(this.#settlement ? { state: 'settling', ...ownerOf(this.#settlement) } : { state: 'idle' });
      });
  }

  #scheduleIdle(): void {
    const { screen, clock, timeouts } = this.#parts;
    this.#outcomeTimer = clock.setTimeout(() => {
      if (!this.#payment) screen.show({ scene: 'idle' });
    }, timeouts.outcomeMs);
  }

  #paymentOf(identity: Owner): PaymentOccupant | undefined {
    return this.#payment && isSame(this.#payment, identity) ? this.#payment : undefined;
  }

  #settlementOf(identity: Owner): SettlementOccupant | undefined {
    return this.#settlement && isSame(this.#settlement, identity) ? this.#settlement : undefined;
  }

  async #answerRepeat(id: TerminalTransactionId, request: PaymentRequest): Promise<PayAnswer> {
    const record = await this.#record(id);
    return record.request.digest === request.digest ? { kind: 'ended', record } : { kind: 'otherRequest' };
  }

  async #record(id: TerminalTransactionId): Promise<TransactionRecord> {
    return this.#withToldEnd(await recordNow(id, this.#parts.journal));
  }

  /** Adds the conclusion that was told first, if the journal could not store it. */
  #withToldEnd(record: TransactionRecord): TransactionRecord {
    const runs = this.#payment?.run.id === record.id;
    return runs ? record : this.#recovery.withToldEnd(record);
  }
}
