import { type AcquirerId, type TerminalTransactionId, terminalTransactionId } from '../../base/domain/identifiers.ts';
import type { CardIntent } from '../../payment/events/intent.ts';
import type { Clock, Random } from '../../base/ports/clock.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { LateAnswer } from '../../payment/contracts/late-answer.ts';
import { pause } from '../../base/ports/pause.ts';
import { cardIntentOf } from '../../payment/records/payment.ts';
import { readableRecord, type TransactionRecord } from '../../payment/records/record.ts';
import type { Queue } from '../../payment/method/order.ts';
import { declinedTry, unmatchedApprovalOf } from '../../payment/method/unmatched-approval.ts';
import type { CardAcquirer } from './acquirer.ts';
import { judgeLateAnswer, type LateNews } from './late-answer.ts';
import { reversalOrder } from './message.ts';
import { settlementOrder } from './question.ts';
import type { StoredEvent } from '../../payment/events/event.ts';

/** A host that has approved and reversed one request this often is faulty: further approvals change nothing. */
const approvalsMax = 16;

/**
 * Whether a late approval repeats one that the journal has. While the reversal waits, it takes back whatever the host
 * has approved. Afterwards the approval is the one that the host has reversed, unless the host had no record of it or
 * gives it another number (field 37).
 */
function isRepeatedApproval(
  { lateApproval, reversal }: TransactionRecord,
  events: readonly StoredEvent[],
  { isApproval, responseCode = '', rrn = '' }: Pick<LateAnswer, 'isApproval' | 'responseCode' | 'rrn'>,
): boolean {
  if (!isApproval || !lateApproval) return false;
  if (reversal === 'queued') return true;
  const answered = events.findLast(({ event }) => event.kind === 'reversalAcknowledged')?.event;
  // The code of an approval is never that of "no record".
  const isReversed = answered?.kind === 'reversalAcknowledged' && answered.responseCode === responseCode;
  if (reversal !== 'acknowledged' || !isReversed) return false;
  const isSame = rrn !== '' && rrn === lateApproval.rrn;
  return isSame || events.filter(({ event }) => event.kind === 'approvedLate').length >= approvalsMax;
}

export interface LateAnswersOptions {
  readonly journal: Journal;
  readonly forwarder: Pick<Queue, 'enqueue'>;
  readonly acquirers: { get(id: AcquirerId): Pick<CardAcquirer, 'markHeard'> | undefined };
  readonly clock: Clock;
  readonly random: Random;
  /** A late answer has changed the journal. `id`: the transaction that it changed, if it is one. */
  readonly onHeard?: (what: LateNews | 'late answer to a settlement', id?: TerminalTransactionId) => void;
  readonly onFailure?: (error: unknown) => void;
}

/** A failing disk usually fails for a while. */
const pauseMs = 10_000;

/**
 * Maximum number of answers of one acquirer that wait to be looked up. A host that sends more at once is faulty, and
 * the rest is dropped.
 */
const waitingMax = 1_000;

/** The answers of one acquirer, in the order of arrival. Those of another one do not wait for them. */
interface Lane {
  waiting: number;
  last: Promise<void>;
}

/**
 * Handles answers that no request waits for any more (I10). Each is written to the transaction that it names, in one
 * commit. The approval of an undone transaction queues its reversal (again), but not if a host repeats it. A decline
 * changes nothing, because an unknown outcome is reversed anyway. The answer to an advice or a reversal removes it from
 * its queue. A settlement that the host has agreed to is not asked for again; "books differ" (95) settles nothing, so
 * the same question does no harm.
 */
export class LateAnswers {
  readonly #options: LateAnswersOptions;
  readonly #closing = new AbortController();
  readonly #lanes = new Map<AcquirerId, Lane>();

  constructor(options: LateAnswersOptions) {
    this.#options = options;
  }

  /** Handles the answers of each acquirer in the order of arrival. Never throws. */
  hear(answer: LateAnswer): void {
    const stan = Number(answer.stan);
    if (!answer.isOurs || !Number.isInteger(stan)) return;
    // Done at once: if the reversal is answered "no record" meanwhile, it must not conclude a request that the host has
    // just reported on.
    if (answer.isApproval) this.#options.acquirers.get(answer.acquirerId)?.markHeard(stan);
    const lane = this.#lane(answer.acquirerId);
    if (lane.waiting >= waitingMax) return;
    lane.waiting += 1;
    lane.last = lane.last
      .then(() => this.#keep(answer, stan))
      .finally(() => {
        lane.waiting -= 1;
      });
  }

  #lane(acquirerId: AcquirerId): Lane {
    const known = this.#lanes.get(acquirerId);
    if (known) return known;
    const lane: Lane = { waiting: 0, last: Promise.resolve() };
    this.#lanes.set(acquirerId, lane);
    return lane;
  }

  /** Resolves once the answers received so far are written, unless the journal fails. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#lanes.values()].map(({ last }) => last));
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
    // A record that can't be read is left to the operator.
    const events = await journal.read(id);
    const record = readableRecord(id, events);
    if (!record) return;
    // Looked for first: after a declined card the customer may have paid by another method.
    const declined = declinedTry(record, answer);
    if (isOfOtherSite(declined ?? cardIntentOf(record.intent), answer)) return;
    if (declined) return this.#takeBackTry(record, declined, answer);
    if (!cardIntentOf(record.intent) || isRepeatedApproval(record, events, answer)) return;
    const heard = await judgeLateAnswer(record, answer, (each) => journal.isSettled(each));
    if (!heard) return;
    await forwarder.enqueue(answer.acquirerId, () => journal.append(id, heard.events));
    onHeard?.(heard.what, id);
  }

  /**
   * An attempt that had been declined was approved after all. It is reversed as a transaction of its own; the attempt
   * that followed it is not affected.
   */
  async #takeBackTry(record: TransactionRecord, declined: CardIntent, answer: LateAnswer): Promise<void> {
    const { journal, forwarder, clock, random, onHeard } = this.#options;
    if (record.numberTaken || !answer.approves(reversalOrder({ ...record, intent: declined }))) return;
    const id = terminalTransactionId(clock.now(), random.bytes(10));
    const { accepted, events } = unmatchedApprovalOf(record, declined, answer);
    const { existing } = await forwarder.enqueue(answer.acquirerId, () => journal.open(id, accepted, events));
    if (existing === undefined) onHeard?.('late approval', id);
  }
}

/** Without shared books, an answer of one site can't refer to a message to another site, even with its trace number. */
function isOfOtherSite(intent: CardIntent | undefined, { site }: Pick<LateAnswer, 'site'>): boolean {
  return site !== undefined && intent?.site !== undefined && site !== intent.site;
}

/**
 * Closes the currency that was asked for under this number, as an answer in time would have. Returns false if it
 * answers no currency.
 */
async function concludeSettlement(answer: LateAnswer, stan: number, journal: Journal): Promise<boolean> {
  const { acquirerId } = answer;
  // Also batches that the bank has denied: the operator is told of the contradiction.
  for (const closed of [...(await journal.settlingBatches(acquirerId)), ...(await journal.deniedBatches(acquirerId))]) {
    for (const total of closed.currencies) {
      const asked = total.asked?.findLast((each) => each.stan === stan);
      if (!asked || total.result !== undefined) continue;
      if (answer.settlementOutcome(settlementOrder(closed, total, asked)).kind !== 'balanced') continue;
      const result = asked.trailer ? 'UPLOADED' : 'BALANCED';
      await journal.recordResult(closed.acquirerId, closed.batch, total.currency, result);
      return true;
    }
  }
  return false;
}
