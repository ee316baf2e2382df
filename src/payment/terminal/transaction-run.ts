import { type ActorRefFrom, createActor, toPromise } from 'xstate';
import { type TerminalTransactionId, posDetailsOf } from '../../base/domain/identifiers.ts';
import type { Refusal } from '../../base/domain/reason.ts';
import type { Conclusion } from '../events/conclusion.ts';
import type { StoredEvent } from '../events/event.ts';
import type { Order } from '../method/order.ts';
import type { OpenedTransaction } from '../contracts/journal.ts';
import type { ScreenAction } from '../contracts/screen.ts';
import { type Ended, readEnd } from '../records/present.ts';
import { recordNow } from '../records/record-tree.ts';
import { type TransactionRecord, transactionRecord } from '../records/record.ts';
import {
  type Answered,
  type Canceller,
  transactionMachine,
  type Asking,
  type Collecting,
  type TransactionActors,
} from '../transaction/machine.ts';
import type { Plan } from '../transaction/plan.ts';
import { isReferenceRefusal, type ReferenceRefusal } from '../transaction/reference.ts';
import { Announcer } from './announcer.ts';
import { latenessOf, orderOf } from './order-of.ts';
import { OptionQuestions } from './option-questions.ts';
import type { RunParts } from './parts.ts';
import type { Recovery } from './recovery.ts';
import type { PaymentRequest, Running } from './request.ts';
import { runningOf } from './running-view.ts';
import { Sessions } from './sessions.ts';
import type { ClockDoubt } from '../../base/domain/clock-doubt.ts';
import type { Accepted } from '../events/accepted.ts';
import type { CollectMode } from '../../base/domain/payment-scheme.ts';
import { awaitScreen, endCollecting } from '../method/collecting.ts';
import type { CodeSession } from '../method/payment-method.ts';
import { withinMs } from '../../base/ports/pause.ts';
import { faultCode } from '../transaction/decide.ts';
import { knownEnd, reversalDue, slipEvents } from '../transaction/recover.ts';

type TransactionActor = ActorRefFrom<typeof transactionMachine>;

/**
 * otherRequest: a settlement has this identity. refused: nothing was started or written, because the request names an
 * original that does not allow it. notReady: neither, because the device that it needs is absent, or its time is over.
 */
export type RunEnd =
  | ({ readonly kind: 'ended' } & Ended)
  | { readonly kind: 'otherRequest' }
  | { readonly kind: 'refused'; readonly refusal: ReferenceRefusal }
  | ({ readonly kind: 'notReady' } & Refusal);

/** One transaction while it occupies the terminal. */
export class TransactionRun {
  readonly id: TerminalTransactionId;
  readonly request: PaymentRequest;
  plan: Plan;
  readonly #parts: RunParts;
  readonly #recovery: Recovery;
  readonly #announcer: Announcer;
  #actor: TransactionActor | undefined;
  #sessions: Sessions | undefined;
  #questions: OptionQuestions | undefined;
  #cancelledBy: Canceller | undefined;
  /** The journal has not answered yet whether the identity is taken. */
  #isDoubtful = true;

  constructor(id: TerminalTransactionId, request: PaymentRequest, plan: Plan, parts: RunParts, recovery: Recovery) {
    this.id = id;
    this.request = request;
    this.plan = plan;
    this.#parts = parts;
    this.#recovery = recovery;
    this.#announcer = new Announcer(id, request, parts);
  }

  /** Whether the machine was started, so that the payment may have been shown, and a host asked. */
  get started(): boolean {
    return this.#actor !== undefined;
  }

  /** Whether there may be an outcome, of this run or of an earlier one of the same identity. */
  get mayHaveOutcome(): boolean {
    return this.started || this.#isDoubtful;
  }

  /** Until the machine starts, the request is being journalled: at most a device is armed, and a cancel is in time. */
  get running(): Running {
    const snapshot = this.#actor?.getSnapshot();
    const merchantId = this.#sessions?.order.merchantId;
    const merchant = merchantId === undefined ? {} : { merchantId };
    if (typeof snapshot?.value !== 'object') {
      return { state: snapshot?.status === 'done' ? 'authorizing' : 'collecting', ...merchant };
    }
    return { ...runningOf(snapshot, this.#parts.methods, this.#questions), ...merchant };
  }

  /** Whether a cancel can still prevent the charge. */
  get cancellable(): boolean {
    const snapshot = this.#actor?.getSnapshot();
    if (!snapshot || snapshot.matches('idle') || snapshot.matches('collecting')) return true;
    return snapshot.can({ type: 'CANCEL', by: 'pos' });
  }

  cancel(by: Canceller): void {
    this.#cancelledBy ??= by;
    if (!this.#actor) this.#sessions?.stopAhead();
    this.#actor?.send({ type: 'CANCEL', by });
  }

  /** Handles an action on the terminal's own page. An action that does not fit the present step is ignored. */
  act(action: ScreenAction): void {
    switch (action.kind) {
      case 'cancel':
        return this.cancel('merchant');
      case 'choose':
        return this.#actor?.send({ type: 'CHOOSE', mode: action.mode });
      case 'wallet':
        return this.#actor?.send({ type: 'WALLET', scheme: action.scheme });
      default:
        return this.#answer(action);
    }
  }

  /** Handles an action that the question of an option understands, or else the current method: an account, cash. */
  #answer(action: ScreenAction): void {
    const answer = this.#questions?.act(action);
    if (answer === 'shown') this.#actor?.send({ type: 'ENTERED' });
    else if (answer) this.#actor?.send({ type: 'ANSWER', answer });
    else this.#give(this.#sessions?.current?.act?.(action));
  }

  #give(answer: Answered | undefined): void {
    if (answer) this.#actor?.send({ type: 'GIVEN', answer });
  }

  /** Runs the transaction to its end. Its result is in the journal. Rejects with JournalError. */
  async transact(): Promise<RunEnd> {
    const { receipts, onFailure } = this.#parts;
    const order = await this.#prepare().catch((error: unknown) => ({ error }));
    if ('error' in order) return this.#knownOr(order.error);
    if (isReferenceRefusal(order)) return (await this.#known()) ?? { kind: 'refused', refusal: order };
    if ('notReady' in order) return (await this.#known()) ?? { kind: 'notReady', ...order.notReady };
    // The work before may have taken long.
    const late = latenessOf(this.request, this.#parts);
    if (late) return (await this.#known()) ?? { kind: 'notReady', ...late };
    const { methods, ...parts } = this.#parts;
    const sessions = (this.#sessions = new Sessions(order, methods, { ...parts, progress: this.#announcer.progress }));
    const known = await this.#accept(order, sessions);
    if (known) return known;
    const questions = new OptionQuestions(this.request, this.plan.questions ?? [], sessions, this.#parts);
    this.#questions = questions;
    const actor = this.#start(order, sessions, questions);
    await toPromise(actor).catch((error: unknown) => onFailure?.(error));
    const { conclusion, stored } = actor.getSnapshot().context;
    // The presented data was for this payment only, so it is erased after every outcome.
    const forgotten = sessions.forget();
    try {
      const record = await this.#readEnd(conclusion, stored);
      receipts?.wake();
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

  async #prepare(): ReturnType<typeof orderOf> {
    while (this.#recovery.due) await this.#recovery.now();
    return orderOf(this.id, this.request, this.plan, this.#parts);
  }

  /**
   * Writes the acceptance, while the reader is armed. The machine begins once it is durable: nothing is shown,
   * reported, sent or concluded before. Returns what the identity stands for if it is taken; then, and if the journal
   * fails, nothing is left armed.
   */
  async #accept(order: Order, sessions: Sessions): Promise<RunEnd | undefined> {
    const { journal, clockDoubt } = this.#parts;
    try {
      const opening = journal.open(this.id, acceptanceOf(order, this.request, clockDoubt?.now()));
      // If the customer is asked first, the amount is not known yet.
      if (!this.plan.questions && !this.#cancelledBy) sessions.armAhead();
      const opened = await opening;
      if (opened.existing !== undefined || opened.settlement) await sessions.disarm();
      return await this.#answerOf(opened);
    } catch (error) {
      // A commit that reported an error may still be on disk, and nothing else would conclude the transaction.
      this.#recovery.later(this.id);
      await sessions.disarm();
      return this.#knownOr(error);
    }
  }

  /** The transaction that already has the identity; throws the error of the journal if it is new. */
  async #knownOr(error: unknown): Promise<RunEnd> {
    const known = await this.#known();
    if (known) return known;
    throw error;
  }

  /**
   * The transaction that already has the identity of this request; undefined if it is new. If the journal can't be
   * read, no answer may state that nothing was started.
   */
  async #known(): Promise<RunEnd | undefined> {
    const { posId, messageId } = this.request;
    const { transaction, settlement } = await this.#parts.journal.findIdentity(posId, messageId);
    const isOther = transaction !== undefined && transaction !== this.id;
    return this.#answerOf({ ...(isOther ? { existing: transaction } : {}), ...(settlement ? { settlement } : {}) });
  }

  async #answerOf({ existing, settlement }: OpenedTransaction): Promise<RunEnd | undefined> {
    if (existing === undefined) {
      this.#isDoubtful = false;
      return settlement && { kind: 'otherRequest' };
    }
    const ended = await readEnd(existing, this.#parts.journal);
    return { kind: 'ended', ...ended, record: this.#recovery.withReportedEnd(ended.record) };
  }

  #start(order: Order, sessions: Sessions, questions: OptionQuestions): TransactionActor {
    const { amount, collects, collectMs } = order;
    const { clock, timeouts, approvals } = this.#parts;
    approvals.begin(this.id);
    const actors = transactionActors(this.id, sessions, questions, this.#parts, this.#recovery);
    const actor = createActor(transactionMachine, {
      input: {
        actors,
        amount,
        collectTimeoutMs: collectMs,
        walletTimeoutMs: timeouts.walletMs,
        questionMs: questions.questionMs,
        ...collects,
      },
      clock: { setTimeout: (fn, ms) => clock.setTimeout(fn, ms), clearTimeout: (id) => clock.clearTimeout(id) },
    });
    this.#actor = actor;
    this.#announcer.follow(actor, sessions, questions);
    actor.start();
    actor.send({ type: 'START' });
    this.#announcer.catchUp();
    if (this.#cancelledBy) actor.send({ type: 'CANCEL', by: this.#cancelledBy });
    return actor;
  }

  /**
   * The record from the journal: an approval as the commit of its answer has left it. If the journal failed at the end,
   * the machine's conclusion is reported.
   */
  async #readEnd(conclusion?: Conclusion, stored?: readonly StoredEvent[]): Promise<TransactionRecord> {
    const approved = stored && transactionRecord(this.id, stored);
    if (approved?.conclusion?.result === 'SUCCESS') return approved;
    const record = await recordNow(this.id, this.#parts.journal);
    if (record.conclusion) return record;
    const reported = conclusion?.result === 'SUCCESS' ? undefined : conclusion;
    this.#recovery.later(this.id, reported);
    return reported ? { ...record, conclusion: reported } : record;
  }
}

/** The journal's record of a request, before anything of it is shown, reported or sent. */
function acceptanceOf(
  { kind, amount, tipMinor, cashbackMinor, merchantId }: Order,
  request: PaymentRequest,
  clockDoubt: ClockDoubt | undefined,
): Accepted {
  const { posId, messageId, digest, shape, printedBy, originalId, approvalCode, splitOf } = request;
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
    ...(splitOf === undefined ? {} : { splitOf }),
    ...(cashbackMinor === undefined ? {} : { cashbackMinor: cashbackMinor.toString() }),
    ...posDetailsOf(request),
    ...(merchantId === undefined ? {} : { merchantId }),
    ...(clockDoubt === undefined ? {} : { clockDoubt }),
  };
}

type ActorParts = Pick<RunParts, 'journal' | 'forwarder' | 'timeouts' | 'clock'>;

/** Implements the machine's actors for one transaction. */
function transactionActors(
  id: TerminalTransactionId,
  sessions: Sessions,
  questions: OptionQuestions,
  parts: ActorParts,
  recovery: Recovery,
): TransactionActors {
  const { journal } = parts;
  const code = (): CodeSession => {
    const session = sessions.current?.code;
    if (!session) throw new Error('no code is shown by this method');
    return session;
  };
  const choosing = collectWhileChoosing(sessions, questions);
  return {
    keepAnswer: (answer) => questions.keep(answer),
    collect: async (mode, signal) =>
      mode === undefined ? choosing(signal) : collect(mode, sessions, questions, signal),
    ask: async (asking, signal) => ask(asking, sessions, signal),
    disarm: () => sessions.disarm(),
    askCode: async (asked) => {
      questions.fix();
      return sessions.askCode(asked);
    },
    awaitPayment: async (_nothing, signal) => code().awaitPayment(signal),
    withdraw: async () => code().withdraw(),
    authorize: async () => {
      questions.fix();
      return sessions.authorize();
    },
    completeCard: async () => {
      if (!sessions.current?.complete) throw new Error('this method has no card to complete');
      return sessions.current.complete();
    },
    reverse: () => reverse(id, parts, recovery),
    conclude: async (conclusion) => {
      const record = await recordNow(id, journal);
      // A commit that reported an error may still be on disk: then the journal decides.
      if (record.conclusion) return;
      const due = reversalDue(record, 'unwritten answer');
      const end = knownEnd(record, conclusion);
      const slip = sessions.order.printsReceipt ? slipEvents(record, end) : [];
      await journal.append(id, [...due, { kind: 'ended', ...end }, ...slip]);
    },
  };
}

/**
 * While the merchant chooses, the default mode is armed. If its device fails, the merchant continues choosing without
 * it.
 */
function collectWhileChoosing(
  sessions: Sessions,
  questions: OptionQuestions,
): (signal: AbortSignal) => Promise<Collecting> {
  let isLost = false;
  return async (signal) => {
    const { defaultMode, modes } = sessions.order.collects;
    if (defaultMode === undefined || isLost) return awaitScreen(signal);
    const { mode } = sessions.at(defaultMode);
    const collected = await sessions.collect(defaultMode, signal).catch((error: unknown): Collecting => {
      isLost = true;
      const left = modes.filter((each) => sessions.deviceOf(each) !== mode.device);
      return left.length > 0 ? { kind: 'lost', modes: left } : deviceEnd(mode.device, error);
    });
    return collected.kind === 'collected' ? questions.afterPresenting(defaultMode, collected) : collected;
  };
}

async function collect(
  name: CollectMode,
  sessions: Sessions,
  questions: OptionQuestions,
  signal: AbortSignal,
): Promise<Collecting> {
  const { mode } = sessions.at(name);
  const collected = await sessions.collect(name, signal).catch((error: unknown) => deviceEnd(mode.device, error));
  return collected.kind === 'collected' ? questions.afterPresenting(name, collected) : collected;
}

async function ask({ mode: name, asks, again }: Asking, sessions: Sessions, signal: AbortSignal): Promise<Answered> {
  const { mode, session } = sessions.at(name);
  if (!session.ask) throw new Error(`${name} asks no questions`);
  return session.ask(asks, again, signal).catch((error: unknown) => deviceEnd(mode.questions?.[asks]?.device, error));
}

function deviceEnd(device = 'device', error: unknown): Extract<Answered, { kind: 'ended' }> {
  return endCollecting({ kind: 'device', device, code: faultCode(error) });
}

/** Gives the queued reversal its first attempt, for a limited time. */
async function reverse(id: TerminalTransactionId, parts: ActorParts, recovery: Recovery): Promise<void> {
  const { journal, forwarder, timeouts, clock } = parts;
  try {
    const record = await recordNow(id, journal);
    const due = reversalDue(record, 'unwritten answer');
    if (due.length > 0) await journal.append(id, due);
    if (record.intent) await withinMs(forwarder.flush(record.intent.acquirerId), timeouts.reversalWaitMs, clock);
  } catch (error) {
    recovery.later(id);
    throw error;
  }
}
