import { pause } from '../../base/ports/pause.ts';
import { callerOf, type CallingParts } from './calling.ts';
import { type OpenCall, paymentFields, type QueuedNotice } from './ledger.ts';
import { paymentNotice, refundNotice } from './notification.ts';
import { type Outcome, outcomeOf, type Transaction } from './outcome.ts';
import { refundData, tradeData } from './report.ts';
import { type EcrAnswer, failure, respcd, success } from './wire/answer.ts';

/** How long an answer waits for an outcome that is open, and how often it is asked for. */
export const holdMs = 60_000;
export const holdPollMs = 2_000;
/** After that, and after a start: the pauses between enquiries, the last one again and again. */
const watchMs = [5_000, 15_000, 60_000, 60_000, 60_000, 600_000] as const;
/** Two days. The journal has it, and nobody waits for it any more. */
const watchesMax = 300;
/** A cancel may come while its payment is being begun. */
const cancelPollMs = 100;
const cancelsMax = 100;

const doNotCharge = 'Do not charge again before the outcome is known.';
const notWritten = failure('The terminal can’t write to its disk, and nothing was started. Call the operator.');

interface Running {
  readonly call: OpenCall;
  readonly done: Promise<EcrAnswer>;
  /** It was not begun before, so a refusal leaves nothing to remember. */
  readonly isNew: boolean;
  isCancelled: boolean;
}

/** Runs trades and refunds. They continue if their caller leaves, and each begins at most once. */
export class Payments {
  readonly #parts: CallingParts;
  readonly #running = new Map<string, Running>();
  readonly #watching = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  /** POS whose latest payment was cancelled by themselves: a repeated cancel is answered like the first. */
  readonly #cancelled = new Set<string>();

  constructor(parts: CallingParts) {
    this.#parts = parts;
  }

  get underWay(): number {
    return this.#running.size;
  }

  isRunning(messageId: string): boolean {
    return this.#running.has(messageId);
  }

  /** Takes up what a restart has left undecided. */
  start(): void {
    for (const call of this.#parts.ledger.calls) if (!call.isDecided) this.#watch(call);
  }

  /** The answer to a call; that of the running one if it runs. Never rejects. */
  run(call: OpenCall, isNew: boolean): Promise<EcrAnswer> {
    const same = this.#running.get(call.messageId);
    if (same) return same.done;
    this.#cancelled.delete(call.posId);
    const { promise, resolve } = Promise.withResolvers<EcrAnswer>();
    const running: Running = { call, done: promise, isNew, isCancelled: false };
    this.#running.set(call.messageId, running);
    this.#perform(running)
      .catch((error: Error) => {
        this.#parts.onFailure(error);
        return failure(`The terminal failed. ${doNotCharge}`);
      })
      .then((answer) => {
        this.#running.delete(call.messageId);
        resolve(answer);
      })
      .catch(this.#parts.onFailure);
    return promise;
  }

  /** Cancels what runs for this POS. It names no payment, so it never ends that of another POS. */
  async cancel(posId: string): Promise<EcrAnswer> {
    const own = [...this.#running.values()].filter(({ call }) => call.posId === posId);
    if (own.length === 0) {
      return this.#cancelled.has(posId) ? success() : failure('No payment of this POS is running.');
    }
    const answers = await Promise.all(own.map((each) => this.#cancelOne(each)));
    return answers.find(({ respcd: code }) => code !== respcd.done) ?? success();
  }

  /** Resolves once nothing runs, and nothing is asked any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#running.values()].map((each) => each.done));
    await Promise.all(this.#watching.values());
  }

  async #perform(running: Running): Promise<EcrAnswer> {
    const { ledger } = this.#parts;
    const { call } = running;
    try {
      // From here on a restart knows of it.
      await ledger.flush();
    } catch (error) {
      this.#parts.onFailure(error as Error);
      if (running.isNew) ledger.drop(call.messageId);
      return notWritten;
    }
    if (running.isCancelled) {
      if (running.isNew) ledger.drop(call.messageId);
      this.#cancelled.add(call.posId);
      return { respcd: respcd.cancelled, message: 'The payment is cancelled.' };
    }
    const outcome = await this.#hold(call, await this.#pay(call));
    const answer = await this.#conclude(call, outcome, running.isNew);
    if (answer.respcd === respcd.cancelled && running.isCancelled) this.#cancelled.add(call.posId);
    return answer;
  }

  /** A payment whose batch is closed can't be voided: then it is refunded. Nothing was started by a refusal. */
  async #pay(call: OpenCall): Promise<Outcome> {
    const { calls, ledger } = this.#parts;
    const outcome = outcomeOf(await calls.payment(paymentFields(call), callerOf(call.posId)));
    const isVoid = call.fields['transactionType'] === 'VOID';
    if (!isVoid || outcome.kind !== 'ended' || !outcome.isRefused) return outcome;
    if (outcome.answer.respcd !== respcd.parameters) return outcome;
    const { left: requestAmount = '', ...rest } = call;
    const refund = { ...rest, fields: { ...call.fields, transactionType: 'REFUND', requestAmount } };
    ledger.add(refund);
    await ledger.tryFlush();
    return outcomeOf(await calls.payment(paymentFields(refund), callerOf(call.posId)));
  }

  /** ECR has no way to say that an outcome is open: the answer waits for it. */
  async #hold(call: OpenCall, first: Outcome): Promise<Outcome> {
    const { clock } = this.#parts;
    let outcome = first;
    const untilMs = clock.elapsedMs() + holdMs;
    while (outcome.kind === 'open' && clock.elapsedMs() < untilMs && !this.#closing.signal.aborted) {
      await pause(holdPollMs, clock, this.#closing.signal);
      outcome = await this.#enquire(call);
    }
    return outcome;
  }

  async #enquire({ posId, messageId }: OpenCall): Promise<Outcome> {
    return outcomeOf(await this.#parts.calls.enquiry({ posId, messageId }, callerOf(posId)));
  }

  /** The answer, after everything that follows from the outcome is on the disk. */
  async #conclude(call: OpenCall, outcome: Outcome, isNew = false): Promise<EcrAnswer> {
    const { ledger, clock, shopName, wakeNotifier } = this.#parts;
    switch (outcome.kind) {
      case 'success': {
        const { transaction } = outcome;
        const now = clock.now();
        const original = call.call === 'cancel' ? await this.#originalOf(call) : undefined;
        const data = original ? refundData(transaction, original, now) : tradeData(transaction, { shopName, now });
        if (this.#isDue(call)) {
          ledger.decide(call.messageId, this.#noticesOf(call, transaction, original));
          await ledger.tryFlush();
          wakeNotifier();
        }
        return success(data);
      }
      case 'ended': {
        if (!outcome.isRefused) ledger.decide(call.messageId, []);
        else if (isNew) ledger.drop(call.messageId);
        await ledger.tryFlush();
        return endAnswer(call, outcome.answer);
      }
      case 'open':
        this.#watch(call);
        return failure(`${outcome.message} ${doNotCharge}`);
      default:
        ledger.drop(call.messageId);
        await ledger.tryFlush();
        return failure(outcome.message);
    }
  }

  /**
   * Whether notifications follow from a success: once, when it becomes known; and again when the POS asks for the same
   * payment again, because it waits for a notification that it has not had.
   */
  #isDue({ messageId, call }: OpenCall): boolean {
    const { ledger } = this.#parts;
    const known = ledger.find(messageId);
    if (known && !known.isDecided) return true;
    return call === 'trade' && ledger.notices.every((each) => each.messageId !== messageId);
  }

  #noticesOf(call: OpenCall, transaction: Transaction, original: Transaction | undefined): QueuedNotice[] {
    const { tills, clock } = this.#parts;
    const { posId, messageId } = call;
    const notify = tills.find((each) => each.posId === posId)?.notify;
    if (!notify) return [];
    const at = clock.now();
    const bodies = original
      ? notify.refundTypes.map((type) => refundNotice(transaction, original, { type, number: messageId, at }))
      : [paymentNotice(transaction, at)];
    return bodies.map((body) => ({ messageId, posId, body, failed: 0, unreached: 0, dueAt: at.toISOString() }));
  }

  /** The payment that a refund refers to. */
  async #originalOf({ posId, fields }: OpenCall): Promise<Transaction> {
    const { originalTerminalTransactionId: id = '', posReference: reference = '' } = fields;
    const answer = await this.#parts.calls.enquiry({ terminalTransactionId: id }, callerOf(posId));
    const outcome = outcomeOf(answer);
    return outcome.kind === 'success' ? outcome.transaction : { ...nothingKnown, id, reference };
  }

  #watch(call: OpenCall): void {
    const { messageId } = call;
    if (this.#watching.has(messageId) || this.#closing.signal.aborted) return;
    const watching = this.#watchOutcome(call)
      .catch(this.#parts.onFailure)
      .finally(() => this.#watching.delete(messageId));
    this.#watching.set(messageId, watching);
  }

  async #watchOutcome(call: OpenCall): Promise<void> {
    const { clock, ledger } = this.#parts;
    const { signal } = this.#closing;
    for (let count = 0; count < watchesMax; count++) {
      // The first enquiry after a start comes at once.
      if (count > 0) await pause(watchMs[Math.min(count, watchMs.length) - 1] ?? 0, clock, signal);
      const isUndecided = () => !signal.aborted && ledger.find(call.messageId)?.isDecided === false;
      if (!isUndecided()) return;
      if (this.#running.has(call.messageId)) continue;
      const outcome = await this.#enquire(call);
      // A repeat of the call may have decided it meanwhile, and its notification may have been accepted.
      if (!isUndecided()) return;
      if (outcome.kind !== 'open') return void (await this.#conclude(call, outcome));
    }
    ledger.decide(call.messageId, []);
    await ledger.tryFlush();
  }

  async #cancelOne(running: Running): Promise<EcrAnswer> {
    const { calls, clock } = this.#parts;
    const { call, done: ended } = running;
    running.isCancelled = true;
    const { posId, messageId } = call;
    for (let count = 0; count < cancelsMax; count++) {
      const { status, body } = await calls.cancel({ posId, messageId }, callerOf(posId));
      if (status === 200) return success();
      if (status !== 404) return failure(cancelMessage(body));
      // The terminal has not accepted it yet.
      const isOver = await Promise.race([ended.then(() => true), pause(cancelPollMs, clock).then(() => false)]);
      if (isOver) break;
    }
    const { respcd: code } = await ended;
    return code === respcd.cancelled ? success() : failure('It is too late: the payment has ended.');
  }
}

const nothingKnown: Transaction = {
  id: '',
  reference: '',
  type: '',
  status: '',
  originalId: '',
  minor: 0n,
  finalMinor: 0n,
  refundedMinor: 0n,
  currency: '',
  createdAt: '',
  method: '',
  entryMode: '',
  maskedPan: '',
  approvalCode: '',
  rrn: '',
  batch: '',
  trace: '',
  mid: '',
  tid: '',
};

/** A refund that is not possible is no fault of its fields: the cashier reads why. */
function endAnswer({ call }: OpenCall, answer: EcrAnswer): EcrAnswer {
  return call === 'cancel' && answer.respcd === respcd.parameters ? failure(answer.message) : answer;
}

function cancelMessage(body: unknown): string {
  const { text } = (body ?? {}) as { readonly text?: { readonly en?: unknown } };
  return typeof text?.en === 'string' ? text.en : 'It is too late to cancel.';
}
