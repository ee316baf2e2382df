import { ownPosIds } from '../domain/identifiers.ts';
import type { Clock } from '../ports/clock.ts';
import type { SettlementRequest } from './request.ts';
import type { SettleAnswer } from './terminal.ts';

export interface DailySettlementOptions {
  /** 'hh:mm' in the terminal's own time zone. */
  readonly at: string;
  readonly clock: Clock;
  readonly settle: (request: SettlementRequest) => Promise<SettleAnswer>;
  readonly onFailure: (error: unknown) => void;
}

/** A terminal that is busy, or a host that is down, is tried again this much later. */
const retryMs = 60_000;

/**
 * Settles all batches once a day. Its identity is the date, so a restart at that minute settles nothing twice. Returns the way
 * to stop.
 */
export function settleDaily({ at, clock, settle, onFailure }: DailySettlementOptions): () => void {
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  let timer: unknown;
  let attempt = 0;
  let stopped = false;

  const schedule = () => {
    const now = clock.now();
    const next = new Date(now);
    next.setHours(hours, minutes, 0, 0);
    if (next <= now) next.setDate(next.getDate() + 1);
    attempt = 0;
    timer = clock.setTimeout(() => void run(dateOf(next)), next.getTime() - now.getTime());
  };

  const run = async (date: string): Promise<void> => {
    const messageId = attempt === 0 ? date : `${date}/${attempt}`;
    const answer = await settle({ posId: ownPosIds.terminal, messageId, digest: 'daily' }).catch((error: unknown) => {
      onFailure(error);
      return undefined;
    });
    if (stopped) return;
    if (answer?.kind === 'ended' && !answer.settlement.results?.some(({ result }) => result === 'FAILED'))
      return schedule();
    // One that ended is written down under its identity: the next try has another.
    if (answer?.kind === 'ended') attempt++;
    timer = clock.setTimeout(() => void run(date), retryMs);
  };

  schedule();
  return () => {
    stopped = true;
    clock.clearTimeout(timer);
  };
}

function dateOf(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `daily ${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
