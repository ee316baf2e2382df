import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { WalletClosing } from '../../payment/contracts/wallet-host.ts';
import type { ReversalSent } from '../../payment/events/event.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';

/** What the journal counts at most (terminal/store-and-forward.ts). */
const countedMost = 100;
const keptMost = 1000;

/**
 * What an enquiry can show of the attempts to end a refund. shown: all of them, if there were any. hidden: the last one
 * is younger than the lag of the enquiry. onItsWay: one may still arrive, and end a refund that is shown.
 */
export type EndingsSeen = 'shown' | 'hidden' | 'onItsWay';

type Counted = Pick<TransactionRecord, 'id' | 'reversalAttempts' | 'lastUndo'>;

interface Endings {
  /** Attempts of the queue, with the present one. */
  attempts: number;
  isOnItsWay: boolean;
  lastMs?: number;
}

/**
 * The attempts to end refunds of unknown outcome. Each is journalled before it is sent, and once it has been answered,
 * so that an enquiry after a restart counts as the same enquiry before it.
 */
export class RefundEndings {
  readonly #endings = new Map<TerminalTransactionId, Endings>();
  readonly #journal: Pick<Journal, 'append'>;
  readonly #clock: Pick<MonotonicClock, 'elapsedMs'>;
  readonly #lagMs: number;

  /** `lagMs`: for how long an enquiry may not show what the host has done. */
  constructor(journal: Pick<Journal, 'append'>, clock: Pick<MonotonicClock, 'elapsedMs'>, lagMs: number) {
    this.#journal = journal;
    this.#clock = clock;
    this.#lagMs = lagMs;
  }

  /** An attempt of the queue begins with an enquiry. */
  begin(record: Counted): EndingsSeen {
    const { id, reversalAttempts: before } = record;
    const known = this.#endings.get(id);
    const endings = {
      ...(known && before <= known.attempts ? known : this.#journalled(record)),
      attempts: Math.min(before + 1, countedMost),
    };
    this.#keep(id, endings);
    if (endings.isOnItsWay) return 'onItsWay';
    const { lastMs } = endings;
    return lastMs !== undefined && this.#clock.elapsedMs() - lastMs < this.#lagMs ? 'hidden' : 'shown';
  }

  /** An attempt to end the refund. Without an answer, it may arrive at any time. Rejects with JournalError. */
  async end(record: Counted, attempt: () => Promise<WalletClosing>): Promise<WalletClosing> {
    const { id } = record;
    const before = this.#endings.get(id) ?? { ...this.#journalled(record), attempts: record.reversalAttempts };
    if (record.lastUndo !== 'sent') await this.#write(record, {});
    this.#keep(id, { ...before, isOnItsWay: true });
    const closing = await attempt();
    const request = closing.kind === 'unanswered' ? closing.request : 'arrived';
    if (request === 'notSent') this.#keep(id, before);
    if (request === 'arrived') this.#keep(id, { ...before, lastMs: this.#clock.elapsedMs() });
    const isOver = closing.kind !== 'closed' && request !== undefined && !before.isOnItsWay;
    // The journal must not grow with each attempt, so later ones stay on their way after a restart.
    if (isOver && record.reversalAttempts < countedMost) await this.#write(record, { isAnswered: true });
    return closing;
  }

  /**
   * The attempts of an earlier process, or of a refund that this one dropped because there were too many. When they
   * were answered is not known: not later than now.
   */
  #journalled({ lastUndo }: Counted): Omit<Endings, 'attempts'> {
    if (lastUndo === undefined) return { isOnItsWay: false };
    return lastUndo === 'sent' ? { isOnItsWay: true } : { isOnItsWay: false, lastMs: this.#clock.elapsedMs() };
  }

  async #write({ id, reversalAttempts }: Counted, fields: Pick<ReversalSent, 'isAnswered'>): Promise<void> {
    const attempt = Math.min(reversalAttempts + 1, countedMost);
    await this.#journal.append(id, [{ kind: 'reversalSent', attempt, isExtra: true, ...fields }]);
  }

  #keep(id: TerminalTransactionId, endings: Endings): void {
    this.#endings.delete(id);
    this.#endings.set(id, endings);
    if (this.#endings.size <= keptMost) return;
    const [oldest] = this.#endings.keys();
    if (oldest !== undefined) this.#endings.delete(oldest);
  }
}
