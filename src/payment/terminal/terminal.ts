import { ownPosIds, terminalTransactionId, type TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Refusal } from '../../base/domain/reason.ts';
import type { JournalledSettlement } from '../events/settlement.ts';
import { withinMs } from '../../base/ports/pause.ts';
import type { RecordTree } from '../records/transaction-status.ts';
import { isPlanRefusal, type Plan, planPayment } from '../transaction/plan.ts';
import {
  type CancelAnswer,
  type EnquiryAnswer,
  type NotFound,
  type Owner,
  type PayAnswer,
  type SettleAnswer,
  stopping,
  type Restored,
} from './answers.ts';
import { ApprovalQuestions } from './approval-questions.ts';
import { Enquiries } from './enquiries.ts';
import { clockRefusal, latenessOf, isHeld, capabilitiesOf, type Planned, planAgain } from './order-of.ts';
import { ExclusiveWindow } from './exclusive-window.ts';
import {
  Occupancy,
  awaitEnd,
  awaitPayment,
  isOwner,
  isRepeatOf,
  joinPayment,
  ownerOf,
  unknownOutcome,
} from './current-transaction.ts';
import type { RunParts, TerminalParts } from './parts.ts';
import { Recovery } from './recovery.ts';
import type { PaymentRequest, Running, SettlementRequest } from './request.ts';
import { BatchCapacity } from './batch-capacity.ts';
import { Settlements } from './settlements.ts';
import { TransactionRun } from './transaction-run.ts';
import type { Journal } from '../contracts/journal.ts';

const payments = 250;
const settlements = 20;

/** The identities that were taken last, the latest last. Rejects with JournalError. */
async function latestIdentities(journal: Pick<Journal, 'listSlice' | 'latestSettlements'>): Promise<readonly Owner[]> {
  const [{ found }, settled] = await Promise.all([
    journal.listSlice({ order: 'newest', limit: payments }),
    journal.latestSettlements(settlements),
  ]);
  return [...settled, ...found].toReversed();
}

/** A payment waits for the release of an acquirer that is held. */
const releasingMs = 10_000;

/**
 * One terminal: one payment at a time, and one settlement beside it. (posId, messageId) permanently names at most one
 * transaction (I4).
 */
export class Terminal {
  readonly #parts: RunParts;
  readonly #recovery: Recovery;
  readonly #occupancy = new Occupancy();
  readonly #exclusiveWindow: ExclusiveWindow;
  readonly #enquiries: Enquiries;
  readonly #settlements: Settlements;
  #outcomeTimer: unknown;
  /** Ends when it is known whether a held acquirer takes payments again. */
  releasing: Promise<unknown> = Promise.resolve();
  /** The contents of the open batches. A payment reads those that were not read by then. */
  readonly room: Pick<BatchCapacity, 'read' | 'takesBatch'>;

  constructor(parts: TerminalParts) {
    const profiles = [...parts.acquirers.values()].map(({ profile }) => profile);
    const room = (this.room = new BatchCapacity(parts));
    const approvals = new ApprovalQuestions(parts, () => this.#scheduleIdle());
    this.#parts = { ...parts, profiles, room, approvals, isClosing: () => this.#occupancy.isClosing };
    const occupancy = this.#occupancy;
    const { journal, forwarder, clock, receipts, onFailure } = parts;
    const running = () => occupancy.transaction;
    const recovery = (this.#recovery = new Recovery({ journal, forwarder, clock, running, receipts, onFailure }));
    this.#exclusiveWindow = new ExclusiveWindow({ occupancy, recovery, room, clock });
    this.#enquiries = new Enquiries({ journal, clock, occupancy, recovery });
    this.#settlements = new Settlements(this.#parts, occupancy, this.#exclusiveWindow);
    parts.screen.onAction((action) => {
      if (occupancy.transaction === action.transaction) occupancy.payment?.run.act(action);
      else approvals.act(action);
    });
  }

  /** Why no payment can be taken now; undefined if one can. */
  get notReady(): Refusal | undefined {
    if (this.#occupancy.isClosing) return stopping;
    return clockRefusal(this.#parts) ?? this.#parts.methods.modes.find(({ mustBeReady }) => mustBeReady)?.notReady();
  }

  /** The running transaction; the payment if a settlement runs beside it. */
  get running(): (Owner & Running) | undefined {
    return this.#occupancy.running;
  }

  /** Whether a settlement runs, with or without a payment beside it. */
  get isSettling(): boolean {
    return this.#occupancy.settlement !== undefined;
  }

  /**
   * Concludes the transactions that a restart left unfinished, and sends due messages, before the first payment. An
   * interrupted settlement continues beside it.
   */
  async recover(): Promise<void> {
    await this.#recovery.atStart();
    this.#settlements.takeUpIn(0);
    this.#occupancy.recall(latestIdentities(this.#parts.journal));
  }

  /** Runs one payment; or joins the running one, or repeats the answer, of its identity. */
  async pay(request: PaymentRequest, hasWaited = false): Promise<PayAnswer> {
    const occupancy = this.#occupancy;
    const same = occupancy.paymentOf(request);
    if (same && isOwner(same, request)) return joinPayment(same, request);
    const first = this.#admit(request);
    // The commit of the acceptance finds out whether the identity is taken; a known repeat must occupy nothing.
    if (first.kind === 'plan' && !isHeld(first) && this.#isFree(request)) return this.#run(request, first.plan);
    const { posId, messageId } = request;
    const found = await this.#parts.journal.findIdentity(posId, messageId).catch(unknownOutcome);
    if ('kind' in found) return found;
    const { transaction: existing, settlement } = found;
    // Another request may have arrived meanwhile. From here to #occupy there is no await.
    const sameNow = occupancy.paymentOf(request);
    if (sameNow && (!existing || isOwner(sameNow, request))) return joinPayment(sameNow, request);
    if (existing) return this.#answerRepeat(existing, request);
    if (settlement || occupancy.settlementOf(request)) return { kind: 'otherRequest' };
    const now = this.#admit(request);
    if (hasWaited || !isHeld(now))
      return now.kind === 'plan'
        ? (refuseUnlessCompared(request, this.#parts.journal) ?? this.#run(request, now.plan))
        : now;
    await withinMs(this.releasing, releasingMs, this.#parts.clock);
    return this.pay(request, true);
  }

  /**
   * Settles the open batches; or joins the running settlement, or repeats the answer, of its identity. Rejects with
   * JournalError.
   */
  settle(request: SettlementRequest): Promise<SettleAnswer> {
    return this.#settlements.settle(request);
  }

  enquire(posId: string, messageId: string): Promise<EnquiryAnswer> {
    return this.#enquiries.payment(posId, messageId);
  }

  /** A settlement as it stands now; 'running' also if a restart has interrupted it. */
  enquireSettlement(posId: string, messageId: string): Promise<JournalledSettlement | 'running' | undefined> {
    return this.#enquiries.settlement(posId, messageId);
  }

  /** The owner of the payment or settlement with this id. */
  identityOf(id: TerminalTransactionId): Promise<Owner | undefined> {
    return this.#enquiries.identityOf(id);
  }

  /** The answer for a transaction that the terminal does not know. */
  notFound(): NotFound {
    return this.#enquiries.notFound();
  }

  /** A transaction by its own id, with all transactions that refer to it. */
  recall(id: TerminalTransactionId): Promise<RecordTree | undefined> {
    return this.#enquiries.recall(id);
  }

  /** Answers once the terminal is idle again, or at once if it is too late to cancel. */
  async cancel(posId: string, messageId: string): Promise<CancelAnswer> {
    let current = this.#occupancy.paymentOf({ posId, messageId });
    if (!current) {
      const { transaction: id } = await this.#parts.journal.findIdentity(posId, messageId);
      current = this.#occupancy.paymentOf({ posId, messageId });
      if (!current) {
        return id ? { kind: 'ended', ...(await this.#enquiries.readEnd(id)) } : this.#enquiries.notFound();
      }
    }
    if (!current.run.cancellable) return { kind: 'tooLate', state: current.run.running.state };
    current.run.cancel('pos');
    const end = await awaitEnd(current);
    if (end.kind !== 'ended') return end.kind === 'journalFailed' ? end : { kind: 'notFound' };
    const cancelled = end.record.conclusion?.result === 'TRANSACTION_ALREADY_CANCEL';
    return { kind: cancelled ? 'cancelled' : 'ended', record: end.record };
  }

  /** Runs work that changes transactions; nothing else runs meanwhile. Undefined if something is running. */
  runUndisturbed<T>(work: () => Promise<T>): Promise<T | undefined> {
    return this.#exclusiveWindow.runIfIdle(work);
  }

  /** As `runUndisturbed`, once the payment that runs has ended; undefined if that takes too long. */
  runNext<T>(work: () => Promise<T>): Promise<T | undefined> {
    return this.#exclusiveWindow.run(work);
  }

  /** As `runUndisturbed`. If it resolves to true, nothing begins any more: the process is about to end. */
  runLast(work: () => Promise<boolean>): Promise<boolean | undefined> {
    return this.#exclusiveWindow.runIfIdle(async () => (this.#occupancy.isClosing = await work()));
  }

  /** Ends collecting, and waits for authorizing and settling. After this, no device is used. */
  async close(): Promise<void> {
    const occupancy = this.#occupancy;
    occupancy.isClosing = true;
    occupancy.payment?.run.cancel('restart');
    await Promise.allSettled([occupancy.payment?.done, occupancy.settlement?.done, this.#parts.approvals.close()]);
    this.#parts.clock.clearTimeout(this.#outcomeTimer);
    this.#settlements.close();
    await this.#recovery.close();
  }

  /** The plan of a new payment, or why it can't begin now. */
  #admit(request: PaymentRequest): Planned | PayAnswer {
    const { payment, isClosing } = this.#occupancy;
    if (payment) return { kind: 'busy', owner: ownerOf(payment) };
    const plan = planPayment(request, capabilitiesOf(this.#parts));
    if (isPlanRefusal(plan)) return { kind: 'refused', refusal: plan };
    const refusal = isClosing
      ? this.notReady
      : (clockRefusal(this.#parts) ?? latenessOf(request, this.#parts) ?? plan.collects.notReady);
    return refusal ? { kind: 'notReady', ...refusal } : { kind: 'plan', plan };
  }

  /** Nothing has to end before this payment begins, and no other transaction decides about it. */
  #isFree(request: PaymentRequest): boolean {
    const isDue =
      this.#exclusiveWindow.isActive || this.#recovery.due || this.#occupancy.settlementOf(request) !== undefined;
    const isKnowable = !this.#parts.journal.restored && !this.#occupancy.mayBeTaken(request);
    return request.originalId === undefined && !isDue && isKnowable;
  }

  #run(request: PaymentRequest, plan: Plan): Promise<PayAnswer> {
    const { clock, random } = this.#parts;
    const id = terminalTransactionId(clock.now(), random.bytes(10));
    const run = new TransactionRun(id, request, plan, this.#parts, this.#recovery);
    const done = this.#occupy(run, async () => {
      if (this.#exclusiveWindow.isActive) await this.#exclusiveWindow.over().then(() => planAgain(run, this.#parts));
      return run.transact();
    });
    const payment = { request, run, done };
    this.#occupancy.payment = payment;
    return awaitPayment(payment);
  }

  /** Runs `work` after the caller has claimed the terminal, and releases the terminal when it has settled. */
  #occupy<T>(run: TransactionRun, work: () => Promise<T>): Promise<T> {
    const { events } = this.#parts;
    const occupancy = this.#occupancy;
    return Promise.resolve()
      .then(work)
      .finally(() => {
        occupancy.payment = undefined;
        // A run that only repeated an answer, or was refused, was not shown or reported as an event.
        if (!run.started) return;
        this.#scheduleIdle();
        const { settlement } = occupancy;
        events?.emit(settlement ? { state: 'settling', ...ownerOf(settlement) } : { state: 'idle' });
      });
  }

  #scheduleIdle(): void {
    const { screen, clock, timeouts, approvals } = this.#parts;
    clock.clearTimeout(this.#outcomeTimer);
    if (approvals.isActive) return;
    this.#outcomeTimer = clock.setTimeout(() => {
      if (!this.#occupancy.payment?.run.started) screen.show({ scene: 'idle' });
    }, timeouts.outcomeMs);
  }

  async #answerRepeat(id: TerminalTransactionId, request: PaymentRequest): Promise<PayAnswer> {
    const { record, ...amounts } = await this.#enquiries.readEnd(id);
    return isRepeatOf(record, request) ? { kind: 'ended', record, ...amounts } : { kind: 'otherRequest' };
  }
}

const own: readonly string[] = Object.values(ownPosIds);

/**
 * A restored journal lacks the payments after the copy, so a POS that repeats one of them would charge again. Nothing
 * distinguishes a repeat from a new payment. Until the operator has compared the journal with the banks' books, no
 * request of a POS begins anything; undefined if it may. The operator's own menu sells.
 */
function refuseUnlessCompared({ posId }: Owner, { restored }: Pick<Journal, 'restored'>): Restored | undefined {
  if (!restored || own.includes(posId)) return undefined;
  return { kind: 'restored', at: restored.at, ...(restored.lastAt === undefined ? {} : { lastAt: restored.lastAt }) };
}
