import { type AcquirerId, type TerminalTransactionId, terminalTransactionId } from '../../domain/identifiers.ts';
import type { CardIntent } from '../../events/intent.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal.ts';
import type { LateAnswer } from '../../ports/late-answer.ts';
import { pause } from '../../ports/pause.ts';
import { cardIntentOf } from '../../records/payment.ts';
import { readableRecord, type TransactionRecord } from '../../records/record.ts';
import type { Queue } from '../order.ts';
import { declinedTry, strayOf } from '../stray.ts';
import type { CardAcquirer } from './acquirer.ts';
import { judgeLateAnswer, type LateNews } from './late-answer.ts';
import { concludeSettlement } from './late-settlement.ts';
import { reversalOrder } from './message.ts';

export interface LateAnswersOptions {
  readonly journal: Journal;
  readonly forwarder: Pick<Queue, 'flush'>;
  readonly acquirers: ReadonlyMap<AcquirerId, Pick<CardAcquirer, 'markHeard'>>;
  readonly clock: Clock;
  readonly random: Random;
  /** It has changed what is on record: of this transaction, where it is one. */
  readonly onHeard?: (what: LateNews | 'late answer to a settlement', id?: TerminalTransactionId) => void;
  readonly onFailure?: (error: unknown) => void;
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
    if (answer.isApproval) this.#options.acquirers.get(answer.acquirerId)?.markHeard(stan);
    this.#waiting += 1;
    this.#last = this.#last
      .then(() => this.#keep(answer, stan))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  /** What was heard is written, unless the journal fails. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#last;
  }

  async #keep(answer: LateAnswer, stan: number): Promise<void> {
    const { clock, onFailure } = this.#options;
    for (;;) {
      try {
        return await this.#write(answer, stan);
      } catch (error) {
        onFailure?.(error);
        if (this.#closing.signal.aborted) return;
        await pause(pauseMs, clock, this.#closing.signal);
      }
    }
  }

  async #write(answer: LateAnswer, stan: number): Promise<void> {
    const { journal, forwarder, onHeard } = this.#options;
    if (await concludeSettlement(answer, stan, journal)) return onHeard?.('late answer to a settlement');
    const id = await journal.findByTrace(answer.acquirerId, stan);
    if (id === undefined) return;
    // One that can't be read is for the operator.
    const record = readableRecord(id, await journal.read(id));
    if (!record || !cardIntentOf(record.intent)) return;
    const declined = declinedTry(record, answer);
    if (declined) return this.#takeBackTry(record, declined, answer);
    const heard = await judgeLateAnswer(record, answer, (each) => journal.isSettled(each));
    if (!heard) return;
    await journal.append(id, heard.events);
    onHeard?.(heard.what, id);
    void forwarder.flush(answer.acquirerId);
  }

  /** An approval of a try that had been declined: the try that followed it stands, or not, by itself, and this one is taken back. */
  async #takeBackTry(record: TransactionRecord, declined: CardIntent, answer: LateAnswer): Promise<void> {
    const { journal, forwarder, clock, random, onHeard } = this.#options;
    if (record.numberTaken || !answer.approves(reversalOrder({ ...record, intent: declined }))) return;
    const id = terminalTransactionId(clock.now(), random.bytes(10));
    const { accepted, events } = strayOf(record, declined, answer);
    const { existing } = await journal.open(id, accepted, events);
    if (existing === undefined) onHeard?.('late approval', id);
    void forwarder.flush(answer.acquirerId);
  }
}
