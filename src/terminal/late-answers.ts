import { type TerminalTransactionId, terminalTransactionId } from '../domain/identifiers.ts';
import type { AdviceOutcome } from '../ports/acquirer-host.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { CardIntent } from '../events/intent.ts';
import type { Journal } from '../ports/journal.ts';
import type { JournalEvent } from '../events/event.ts';
import type { LateAnswer } from '../ports/late-answer.ts';
import { cardIntentOf } from '../records/payment.ts';
import { readableRecord, type TransactionRecord } from '../records/record.ts';
import type { Forwarder } from './forwarder.ts';
import { adviceOrder, reversalOrder } from '../method/card/message.ts';
import { pause } from '../ports/pause.ts';
import { settlementOrder } from '../method/card/question.ts';
import { declinedTry, strayOf } from '../method/stray.ts';

export interface LateAnswersOptions {
  readonly journal: Journal;
  readonly forwarder: Forwarder;
  readonly clock: Clock;
  readonly random: Random;
  /** It has changed what is on record: of this transaction, where it is one. */
  readonly onHeard?: (what: LateNews, id?: TerminalTransactionId) => void;
  readonly onFailure?: (error: unknown) => void;
}

export type LateNews =
  | 'late approval'
  | 'late answer to an advice'
  | 'late answer to a reversal'
  | 'late answer to a settlement';

interface Heard {
  readonly what: LateNews;
  readonly events: readonly JournalEvent[];
}

/** A disk that fails stays so for a while. */
const pauseMs = 10_000;

/** Answers that wait to be looked up. A host that sends more than this at once is not well, and what it says no news. */
const waitingMax = 1_000;

/**
 * What a host says when nobody waits for it any more belongs to the transaction that it names, and is written there in one commit. An
 * approval of what was called undone queues its reversal (again); a decline changes nothing, because what is in doubt is reversed
 * anyway; the answer to an advice or a reversal takes that one out of its queue. A settlement that the host has agreed to is not asked
 * for again. That its books said otherwise (95) settled nothing, so the same question does no harm.
 */
export class LateAnswers {
  readonly #options: LateAnswersOptions;
  readonly #closing = new AbortController();
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(options: LateAnswersOptions) {
    this.#options = options;
  }

  /** In the order in which they come. Never throws. */
  hear(answer: LateAnswer): void {
    const stan = Number(answer.stan);
    if (!answer.isOurs || !Number.isInteger(stan) || this.#waiting >= waitingMax) return;
    // At once: a reversal that is answered "no record" meanwhile does not conclude what the host has just told of.
    if (answer.isApproval) this.#options.forwarder.heard(answer.acquirerId, stan);
    this.#waiting += 1;
    this.#last = this.#last
      .then(() => this.#kept(answer, stan))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  /** What was heard is written, unless the journal fails. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#last;
  }

  async #kept(answer: LateAnswer, stan: number): Promise<void> {
    const { clock, onFailure } = this.#options;
    for (;;) {
      try {
        return await this.#written(answer, stan);
      } catch (error) {
        onFailure?.(error);
        if (this.#closing.signal.aborted) return;
        await pause(pauseMs, clock, this.#closing.signal);
      }
    }
  }

  async #written(answer: LateAnswer, stan: number): Promise<void> {
    const { journal, forwarder, onHeard } = this.#options;
    if (await settlementTold(answer, stan, journal)) return onHeard?.('late answer to a settlement');
    const id = await journal.traced(answer.acquirerId, stan);
    if (id === undefined) return;
    // One that can't be read is for the operator.
    const record = readableRecord(id, await journal.read(id));
    if (!record || !cardIntentOf(record.intent)) return;
    const declined = declinedTry(record, answer);
    if (declined) return this.#strayed(record, declined, answer);
    const heard = await toldOf(record, answer, (each) => journal.isSettled(each));
    if (!heard) return;
    await journal.append(id, heard.events);
    onHeard?.(heard.what, id);
    void forwarder.flush(answer.acquirerId);
  }

  /** An approval of a try that had been declined: the try that followed it stands, or not, by itself, and this one is taken back. */
  async #strayed(record: TransactionRecord, declined: CardIntent, answer: LateAnswer): Promise<void> {
    const { journal, forwarder, clock, random, onHeard } = this.#options;
    if (record.numberTaken || !answer.approves(reversalOrder({ ...record, intent: declined }))) return;
    const id = terminalTransactionId(clock.now(), random.bytes(10));
    const { accepted, events } = strayOf(record, declined, answer);
    const { existing } = await journal.open(id, accepted, events);
    if (existing === undefined) onHeard?.('late approval', id);
    void forwarder.flush(answer.acquirerId);
  }
}

/** It counts in a batch that is open no more. */
type IsSettled = (id: TerminalTransactionId) => Promise<boolean>;

/** What an answer changes of the transaction with its number; nothing where it says nothing new. */
async function toldOf(record: TransactionRecord, answer: LateAnswer, isSettled: IsSettled): Promise<Heard | undefined> {
  const { advice, reversal, lateApproval } = record;
  if (advice) return adviceTold(record, answer, isSettled);
  if (record.numberTaken) return takenTold(record, answer);
  const order = reversalOrder(record);
  if (answer.approves(order)) return approvalTold(record, answer);
  // A reversal that was queued again is not answered by what was said to the one before.
  if (reversal !== 'queued' || lateApproval) return undefined;
  const outcome = answer.reversed(order);
  // "No record" proves something only by when its question was sent, which it does not say: the next one will be asked in time.
  if (outcome.kind !== 'acknowledged') return undefined;
  const { responseCode } = outcome;
  return { what: 'late answer to a reversal', events: [{ kind: 'reversalAcknowledged', responseCode }] };
}

function approvalTold(
  { conclusion, hostOutcome, reversal, setAside }: TransactionRecord,
  { responseCode = '', rrn = '', reversing }: LateAnswer,
): Heard | undefined {
  // It runs still: whoever is at it decides, or its recovery, and both reverse what is in doubt.
  if (!conclusion && !reversal) return undefined;
  // The answer that it had, once more; or the bank's books, which the operator has asked already.
  const stands = conclusion?.result === 'SUCCESS' && hostOutcome?.kind === 'approved' && !reversal;
  if (stands || setAside === 'POSTED') return undefined;
  const late: JournalEvent = { kind: 'approvedLate', responseCode, rrn };
  // The reversal that is in flight is answered behind this.
  const again: JournalEvent[] = reversing ? [] : [{ kind: 'reversalQueued', reason: 'late approval' }];
  return { what: 'late approval', events: [late, ...again] };
}

/** No message is made of it any more, and the operator has it: what the host says now is for whoever asks the bank. */
function takenTold({ numberTaken: _taken, ...record }: TransactionRecord, answer: LateAnswer): Heard | undefined {
  const { lateApproval, setAside, conclusion } = record;
  if (!conclusion || lateApproval || setAside === 'POSTED' || !answer.approves(reversalOrder(record))) return undefined;
  const { responseCode = '', rrn = '' } = answer;
  const late: JournalEvent = { kind: 'approvedLate', responseCode, rrn };
  const again: JournalEvent[] = setAside === undefined ? [] : [{ kind: 'reversalQueued', reason: 'late approval' }];
  return { what: 'late approval', events: [late, ...again] };
}

/** The host's last word stands; that it posted the advice, against what it said or the bank said before. */
async function adviceTold(
  record: TransactionRecord,
  answer: LateAnswer,
  isSettled: IsSettled,
): Promise<Heard | undefined> {
  const outcome = answer.advised(adviceOrder(record));
  if (outcome.kind !== 'acknowledged' && outcome.kind !== 'rejected') return undefined;
  const { advice, adviceAnswer, setAside } = record;
  const isNews =
    advice === 'queued' ||
    (advice === 'rejected' && outcome.kind === 'acknowledged') ||
    (advice === 'acknowledged' &&
      outcome.kind === 'rejected' &&
      setAside === undefined &&
      // It had it already, and did not say what it did with the first one.
      adviceAnswer?.reason === 'duplicate' &&
      !(await isSettled(record.id)));
  if (!isNews) return undefined;
  if (advice === 'rejected' && (await isTipOfSettled(record, isSettled))) return tipTold(record, outcome);
  const { kind, responseCode } = outcome;
  const told = outcome.kind === 'acknowledged' ? outcome : { rrn: '', hostTime: '', hostDate: '' };
  const { rrn, hostTime, hostDate } = told;
  const answered: JournalEvent = {
    kind: 'adviceAnswered',
    answer: kind,
    ...(outcome.reason === undefined ? {} : { reason: outcome.reason }),
    responseCode,
    rrn,
    hostTime,
    hostDate,
  };
  return { what: 'late answer to an advice', events: [answered] };
}

/** It changes a sale that is settled as it was. */
async function isTipOfSettled(
  { request: { type, originalId } }: TransactionRecord,
  isSettled: IsSettled,
): Promise<boolean> {
  return type === 'TIP_ADJUST' && originalId !== undefined && isSettled(originalId);
}

/** Of a tip that is in no total: listed until the bank has said what became of it. */
function tipTold({ adviceAnswer, setAside }: TransactionRecord, outcome: AdviceOutcome): Heard | undefined {
  if (outcome.kind !== 'acknowledged' || (adviceAnswer?.afterSettlement && setAside === undefined)) return undefined;
  const { kind: _posted, ...told } = outcome;
  const answered: JournalEvent = { kind: 'adviceAnswered', answer: 'rejected', ...told, afterSettlement: true };
  return { what: 'late answer to an advice', events: [answered] };
}

/** Closes the currency that was asked for under this number, as its answer in time would have. */
async function settlementTold(answer: LateAnswer, stan: number, journal: Journal): Promise<boolean> {
  for (const closed of await journal.settlingBatches(answer.acquirerId)) {
    for (const total of closed.currencies) {
      const asked = total.asked?.findLast((each) => each.stan === stan);
      if (!asked || total.result !== undefined) continue;
      if (answer.settled(settlementOrder(closed, total, asked)).kind !== 'balanced') continue;
      const result = asked.trailer ? 'UPLOADED' : 'BALANCED';
      await journal.settledCurrency(closed.acquirerId, closed.batch, total.currency, result);
      return true;
    }
  }
  return false;
}
