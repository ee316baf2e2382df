import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { WalletClosing } from '../../payment/contracts/wallet-host.ts';

/** What the journal counts at most (terminal/store-and-forward.ts). */
const countedMost = 100;
const keptMost = 1000;

/**
 * What an enquiry can show of the attempts to end a refund. shown: all of them, if there were any. hidden: the last one
 * is younger than the lag of the enquiry. onItsWay: one may still arrive, and end a refund that is shown.
 */
export type EndingsSeen = 'shown' | 'hidden' | 'onItsWay';

interface Endings {
  /** Attempts of the queue, with the present one. */
  attempts: number;
  isOnItsWay: boolean;
  lastMs?: number;
}

/**
 * The attempts of this process to end refunds of unknown outcome. It has none of those that an earlier process made, nor
 * of a refund that it dropped because there were too many: such an attempt may still be on its way.
 */
export class RefundEndings {
  readonly #endings = new Map<TerminalTransactionId, Endings>();
  readonly #clock: Pick<MonotonicClock, 'elapsedMs'>;
  readonly #lagMs: number;

  /** `lagMs`: for how long an enquiry may not show what the host has done. */
  constructor(clock: Pick<MonotonicClock, 'elapsedMs'>, lagMs: number) {
    this.#clock = clock;
    this.#lagMs = lagMs;
  }

  /** An attempt of the queue begins with an enquiry. `before`: the attempts that the journal has counted. */
  begin(id: TerminalTransactionId, before: number): EndingsSeen {
    const known = this.#endings.get(id);
    const isKnown = known ? before <= known.attempts : before === 0;
    const endings = {
      ...known,
      attempts: Math.min(before + 1, countedMost),
      isOnItsWay: known?.isOnItsWay || !isKnown,
    };
    this.#keep(id, endings);
    if (endings.isOnItsWay) return 'onItsWay';
    const { lastMs } = endings;
    return lastMs !== undefined && this.#clock.elapsedMs() - lastMs < this.#lagMs ? 'hidden' : 'shown';
  }

  /** Attempts to end the refund. An attempt without an answer may arrive at any time. */
  async end(id: TerminalTransactionId, attempt: () => Promise<WalletClosing>): Promise<WalletClosing> {
    const before = this.#endings.get(id) ?? { attempts: 0, isOnItsWay: true };
    this.#keep(id, { ...before, isOnItsWay: true });
    const closing = await attempt();
    const request = closing.kind === 'unanswered' ? closing.request : 'arrived';
    if (request === 'notSent') this.#keep(id, before);
    if (request === 'arrived') this.#keep(id, { ...before, lastMs: this.#clock.elapsedMs() });
    return closing;
  }

  #keep(id: TerminalTransactionId, endings: Endings): void {
    this.#endings.delete(id);
    this.#endings.set(id, endings);
    if (this.#endings.size <= keptMost) return;
    const [oldest] = this.#endings.keys();
    if (oldest !== undefined) this.#endings.delete(oldest);
  }
}
