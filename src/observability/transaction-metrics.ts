import { Counter, Histogram, type Registry } from 'prom-client';
import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { JournalEvent } from '../payment/events/event.ts';
import type { SettledBatch } from '../payment/events/settlement.ts';
import type { MonotonicClock } from '../base/ports/clock.ts';
import type { JournalWatcher } from '../payment/contracts/journal.ts';
import type { TerminalEvent, TerminalEvents } from '../payment/contracts/terminal-events.ts';
import { instrumentOf } from '../payment/records/payment.ts';

/** Milliseconds of the monotonic clock, at the ends of a transaction's phases. */
interface Underway {
  readonly type: string;
  method: string;
  acquirer: string;
  readonly acceptedMs: number;
  isAsked?: true;
  presentedMs?: number;
  intendedMs?: number;
  endedMs?: number;
}

/** From a commit on a fast disk to a customer who looks for a card. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
/** Receipts that wait for paper for so long are not timed any more. */
const followedMax = 1_000;

/** Counts and times of transactions, from the events that are durable. No amount, no number and no till is a label. */
export class TransactionMetrics implements JournalWatcher, TerminalEvents {
  readonly #clock: Pick<MonotonicClock, 'elapsedMs'>;
  readonly #underway = new Map<string, Underway>();
  readonly #ended: Counter<'type' | 'method' | 'outcome' | 'reason'>;
  readonly #changed: Counter<'outcome'>;
  readonly #phases: Histogram<'phase'>;
  readonly #reversals: Counter<'reason'>;
  readonly #answers: Counter<'acquirer' | 'code'>;
  readonly #settlements: Counter<'acquirer' | 'result'>;

  constructor(registry: Registry, clock: Pick<MonotonicClock, 'elapsedMs'>) {
    this.#clock = clock;
    const registers = [registry];
    this.#ended = new Counter({
      name: 'poid_transactions_total',
      help: 'Transactions that ended in this process, by kind, method, outcome and reason',
      labelNames: ['type', 'method', 'outcome', 'reason'],
      registers,
    });
    this.#changed = new Counter({
      name: 'poid_outcomes_later_total',
      help: 'Outcomes of transactions of an earlier process, or that became another later',
      labelNames: ['outcome'],
      registers,
    });
    this.#phases = new Histogram({
      name: 'poid_phase_seconds',
      help:
        'Time of a phase: customer (accepted to presented), intent (presented to intent on disk), host (to its answer ' +
        'on disk), answer (to told), print (ended to printed)',
      labelNames: ['phase'],
      buckets,
      registers,
    });
    this.#reversals = new Counter({
      name: 'poid_reversals_total',
      help: 'Reversals that were queued, by why',
      labelNames: ['reason'],
      registers,
    });
    this.#answers = new Counter({
      name: 'poid_host_answers_total',
      help: 'Answers of hosts by response code; the code is none where no answer came',
      labelNames: ['acquirer', 'code'],
      registers,
    });
    this.#settlements = new Counter({
      name: 'poid_settled_batches_total',
      help: 'Batches that were settled or tried to be, by result',
      labelNames: ['acquirer', 'result'],
      registers,
    });
  }

  wrote(id: TerminalTransactionId, events: readonly JournalEvent[]): void {
    for (const event of events) this.#note(id, event);
  }

  settled(_id: TerminalTransactionId, results: readonly SettledBatch[]): void {
    for (const { acquirerId: acquirer, result } of results) this.#settlements.inc({ acquirer, result });
  }

  emit({ state, terminalTransactionId: id }: Omit<TerminalEvent, 'at'>): void {
    const known = id === undefined ? undefined : this.#underway.get(id);
    if (id === undefined || !known) return;
    if (state === 'collecting') known.isAsked = true;
    else if (state === 'authorizing' && known.isAsked && known.presentedMs === undefined) {
      known.presentedMs = this.#clock.elapsedMs();
      this.#phases.observe({ phase: 'customer' }, seconds(known.presentedMs - known.acceptedMs));
    } else if (known.endedMs !== undefined) {
      this.#phases.observe({ phase: 'answer' }, seconds(this.#clock.elapsedMs() - known.endedMs));
    }
  }

  #note(id: string, event: JournalEvent): void {
    const now = this.#clock.elapsedMs();
    const known = this.#underway.get(id);
    switch (event.kind) {
      case 'accepted':
        this.#follow(id, { type: event.type, method: 'none', acquirer: 'none', acceptedMs: now });
        break;
      case 'intent':
        if (!known) break;
        known.acquirer = event.acquirerId;
        known.method = instrumentOf(event).scheme;
        known.intendedMs = now;
        if (known.presentedMs !== undefined)
          this.#phases.observe({ phase: 'intent' }, seconds(now - known.presentedMs));
        break;
      case 'answered': {
        const { outcome } = event;
        const code = 'responseCode' in outcome ? (outcome.responseCode ?? 'none') : 'none';
        this.#answers.inc({ acquirer: known?.acquirer ?? 'none', code });
        if (known?.intendedMs !== undefined) this.#phases.observe({ phase: 'host' }, seconds(now - known.intendedMs));
        break;
      }
      case 'reversalQueued':
        this.#reversals.inc({ reason: event.reason });
        break;
      case 'ended': {
        const { outcome, reason = 'none' } = event;
        if (!known || known.endedMs !== undefined) this.#changed.inc({ outcome });
        else this.#ended.inc({ type: known.type, method: known.method, outcome, reason });
        if (known) known.endedMs ??= now;
        break;
      }
      case 'receiptPrinted':
        if (known?.endedMs !== undefined) this.#phases.observe({ phase: 'print' }, seconds(now - known.endedMs));
        this.#underway.delete(id);
        break;
      default:
    }
  }

  #follow(id: string, underway: Underway): void {
    this.#underway.set(id, underway);
    if (this.#underway.size <= followedMax) return;
    const [oldest] = this.#underway.keys();
    if (oldest !== undefined) this.#underway.delete(oldest);
  }
}

function seconds(ms: number): number {
  return ms / 1_000;
}
