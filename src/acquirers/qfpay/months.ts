/** Part of one calendar month, as the host writes it: an enquiry's `start_time` and `end_time` (QFPay, transaction enquiry). */
export interface Span {
  readonly start: string;
  readonly end: string;
}

/** Where an order is to be looked for beside the host's current month. */
export interface Search {
  readonly spans: readonly Span[];
  /** These and the current month surely hold it, if the host has it at all. */
  readonly isWhole: boolean;
}

export interface Times {
  /** The host's time now, where it told it. All are milliseconds of its own time of day as if it were UTC. */
  readonly hostNowMs: number | undefined;
  /** How long ago the order left, where that was in this process. */
  readonly agoMs: number | undefined;
  /** When the order was sent and what time it is now, by this machine's clock. */
  readonly sentMs: number;
  readonly nowMs: number;
  /** The host's time when the order was sent, where it had told it by then. */
  readonly hostAtMs?: number | undefined;
}

const dayMs = 86_400_000;
/** A machine's clock without a battery goes on where it was saved: an order may be younger than it says, or somewhat older. */
const doubtMs = 31 * dayMs;
const monthsMax = 4;

/**
 * Without times an enquiry looks at the host's current month; its times must lie in one month (published). An order that left in
 * this process is as old as time that passed tells. One of before is between what this machine's clock said then and the host's
 * now, if that clock can have been right.
 */
export function search({ hostAtMs, ...times }: Times): Search {
  const found = byNow(times);
  if (found.isWhole) return found;
  return hostAtMs === undefined ? found : then(found, hostAtMs);
}

/** An order that left before this process began was at its host within the day, and its time then is on record. */
function then({ spans: others }: Search, hostAtMs: number): Search {
  const around = months(hostAtMs - dayMs, hostAtMs + dayMs).map(spanOf);
  return {
    spans: [...around, ...others.filter(({ start }) => !around.some((each) => each.start === start))],
    isWhole: true,
  };
}

function byNow({ hostNowMs, agoMs, sentMs, nowMs }: Omit<Times, 'hostAtMs'>): Search {
  const sent = months(sentMs - dayMs, sentMs + dayMs);
  if (hostNowMs === undefined) return { spans: spans(sent, nowMs), isWhole: false };
  if (agoMs !== undefined) {
    const leftMs = hostNowMs - agoMs;
    return { spans: spans([...months(leftMs - dayMs, hostNowMs + dayMs), ...sent], hostNowMs), isWhole: true };
  }
  const possible = sentMs <= hostNowMs + dayMs ? months(sentMs - doubtMs, hostNowMs + dayMs) : [];
  if (possible.length > 0 && possible.length <= monthsMax) return { spans: spans(possible, hostNowMs), isWhole: true };
  return { spans: spans([...months(hostNowMs - doubtMs, hostNowMs + dayMs), ...sent], hostNowMs), isWhole: false };
}

/** Every month of a time, as 'YYYY-MM'; no more than can be asked for. */
function months(fromMs: number, toMs: number): string[] {
  const found: string[] = [];
  const last = monthOf(toMs);
  const cursor = new Date(fromMs);
  cursor.setUTCDate(1);
  while (found.length <= monthsMax && monthOf(cursor.getTime()) <= last) {
    found.push(monthOf(cursor.getTime()));
    cursor.setUTCMonth(cursor.getUTCMonth() + 1);
  }
  return found;
}

/** The current month is asked for without times, but near its ends nobody knows which one the host takes it for. */
function spans(wanted: readonly string[], nowMs: number): Span[] {
  const around = months(nowMs - dayMs, nowMs + dayMs);
  const current = around.length === 1 ? around[0] : undefined;
  return [...new Set(wanted)].filter((month) => month !== current).map(spanOf);
}

function spanOf(month: string): Span {
  const [year = 0, of = 0] = month.split('-').map(Number);
  const days = new Date(Date.UTC(year, of, 0)).getUTCDate();
  return { start: `${month}-01 00:00:00`, end: `${month}-${days} 23:59:59` };
}

function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
