import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { EcrLedger, QueuedNotice } from './ledger.ts';
import { notificationSignature } from './notification.ts';

/** Where the notifications of a POS are sent. */
export interface NoticeTarget {
  readonly url: string;
  readonly key: string;
  /** PEM. */
  readonly ca?: string;
}

/**
 * accepted: 200 and SUCCESS. unreached: no connection, so the server has not heard of it. failed: anything else; the
 * server may have taken it.
 */
export type PostResult = 'accepted' | 'unreached' | 'failed';

/** Sends one notification. Never rejects. */
export type Post = (
  target: NoticeTarget,
  notice: { readonly body: string; readonly signature: string },
  signal: AbortSignal,
) => Promise<PostResult>;

const minuteMs = 60_000;
/**
 * Pauses after an attempt that has failed (camela-qfpay/docs@93ed926, en/integration/common-api/
 * 04-async-notifications.md). After the last one the notification is given up.
 */
export const retryMs = [2, 10, 10, 60, 120, 360, 900].map((minutes) => minutes * minuteMs);
/** Before these, where there was no connection: a repeat can't be a second one for its receiver. */
export const quickRetryMs = [2_000, 10_000] as const;

/** Of one POS that are under way at one time. */
const underWayMax = 4;

export interface NotifierParts {
  readonly ledger: EcrLedger;
  readonly targetOf: (posId: string) => NoticeTarget | undefined;
  readonly post: Post;
  readonly clock: MonotonicClock;
  readonly onFailure: (error: Error) => void;
}

/** Sends the queued notifications when they are due, until their server has accepted them. */
export class Notifier {
  readonly #parts: NotifierParts;
  readonly #closing = new AbortController();
  readonly #underWay = new Map<QueuedNotice, Promise<void>>();
  /** When each is due, on the clock's elapsed time: from then on the machine's clock may be set. */
  readonly #dueMs = new WeakMap<QueuedNotice, number>();
  #timer: unknown;
  #givenUp = 0;

  constructor(parts: NotifierParts) {
    this.#parts = parts;
  }

  get state(): { readonly waiting: number; readonly givenUp: number } {
    return { waiting: this.#parts.ledger.notices.length, givenUp: this.#givenUp };
  }

  /** Sends what is due. Does not wait. */
  wake(): void {
    const { clock, ledger } = this.#parts;
    clock.clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    const waiting = ledger.notices.filter((each) => !this.#underWay.has(each));
    for (const each of waiting.filter((one) => this.#waitMs(one) === 0)) this.#begin(each);
    const next = waiting.filter((each) => !this.#underWay.has(each)).map((each) => this.#waitMs(each));
    // What is due and has no place is begun when another one ends.
    const later = next.filter((ms) => ms > 0);
    if (later.length > 0) this.#timer = clock.setTimeout(() => this.wake(), Math.min(...later));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#parts.clock.clearTimeout(this.#timer);
    await Promise.all(this.#underWay.values());
  }

  /** No longer than its present pause: the clock may have been set back since it was queued. */
  #waitMs(notice: QueuedNotice): number {
    const { clock } = this.#parts;
    const elapsedMs = clock.elapsedMs();
    const known = this.#dueMs.get(notice);
    if (known !== undefined) return Math.max(0, known - elapsedMs);
    const left = Date.parse(notice.dueAt) - clock.now().getTime();
    const most = pauseMs(notice.failed, notice.unreached) ?? 0;
    const waitMs = Math.min(Math.max(0, Number.isNaN(left) ? 0 : left), most);
    this.#dueMs.set(notice, elapsedMs + waitMs);
    return waitMs;
  }

  #begin(notice: QueuedNotice): void {
    const own = [...this.#underWay.keys()].filter(({ posId }) => posId === notice.posId);
    // The second type of a refund is sent after the first, so that the order is that of the queue.
    if (own.length >= underWayMax || own.some(({ messageId }) => messageId === notice.messageId)) return;
    const sending = this.#send(notice)
      .catch((error: Error) => this.#parts.onFailure(error))
      .finally(() => {
        this.#underWay.delete(notice);
        this.wake();
      });
    this.#underWay.set(notice, sending);
  }

  async #send(notice: QueuedNotice): Promise<void> {
    const { ledger, targetOf, post } = this.#parts;
    const target = targetOf(notice.posId);
    if (!target) return this.#giveUp(notice, 'its POS is not configured any more');
    const { body } = notice;
    const signature = notificationSignature(body, target.key);
    const result = await post(target, { body, signature }, this.#closing.signal);
    if (result === 'accepted') {
      ledger.replaceNotice(notice);
      ledger.noteAnswer(notice.messageId);
      return ledger.tryFlush();
    }
    // Interrupted by the stop: the next start sends it again.
    if (this.#closing.signal.aborted) return;
    const isUnreached = result === 'unreached' && notice.unreached < quickRetryMs.length;
    const next = isUnreached
      ? { ...notice, unreached: notice.unreached + 1 }
      : { ...notice, unreached: quickRetryMs.length, failed: notice.failed + 1 };
    const ms = pauseMs(next.failed, next.unreached);
    if (ms === undefined) return this.#giveUp(notice, 'its server has not accepted it');
    ledger.replaceNotice(notice, { ...next, dueAt: this.#dueIn(ms) });
    await ledger.tryFlush();
  }

  #dueIn(ms: number): string {
    return new Date(this.#parts.clock.now().getTime() + ms).toISOString();
  }

  #giveUp(notice: QueuedNotice, why: string): Promise<void> {
    const { ledger, onFailure } = this.#parts;
    this.#givenUp += 1;
    onFailure(new Error(`the notification of ${notice.messageId} is given up: ${why}`));
    ledger.replaceNotice(notice);
    return ledger.tryFlush();
  }
}

/** The pause after so many attempts; undefined after the last one. */
function pauseMs(failed: number, unreached: number): number | undefined {
  if (failed > 0) return retryMs[failed - 1];
  return unreached === 0 ? 0 : quickRetryMs[unreached - 1];
}
