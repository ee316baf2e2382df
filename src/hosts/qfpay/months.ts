/**
 * Part of one calendar month in the host's format: `start_time` and `end_time` of an enquiry (QFPay, transaction
 * enquiry).
 */
export interface Span {
  readonly start: string;
  readonly end: string;
}

/** Where to look for an order, besides the host's current month. */
export interface Search {
  readonly spans: readonly Span[];
  /** These and the current month certainly include the order, if the host has it. */
  readonly isWhole: boolean;
}

export interface Times {
  /** The host's time now, if known. All times are the host's local time in milliseconds, as if it were UTC. */
  readonly hostNowMs: number | undefined;
  /** How long ago the order was sent, if this process has sent it. */
  readonly agoMs: number | undefined;
  /** The send time by this machine's clock. */
  readonly sentMs: number;
  /** The host's time when the order was sent, if it was known then. */
  readonly hostAtMs?: number | undefined;
}

const dayMs = 86_400_000;
/**
 * A clock without a battery continues from where it was saved: an order may be younger than its time says, or somewhat
 * older.
 */
const doubtMs = 31 * dayMs;
const monthsMax = 4;

/**
 * An enquiry without times covers the host's current month; its times must lie in one month (published). For an order
 * that this process has sent, the monotonic clock gives its age. An earlier one was sent between the time that this
 * machine's clock showed then and the host's present time, if that clock can have been right.
 */
export function search({ hostAtMs, ...times }: Times): Search {
  const found = byNow(times);
  if (found.isWhole) return found;
  return hostAtMs === undefined ? found : then(found, hostAtMs);
}

/**
 * For an order that was sent before this process started, and whose host time is on record: it reached the host within
 * a day of it.
 */
function then({ spans: others }: Search, hostAtMs: number): Search {
  const around = months(hostAtMs - dayMs, hostAtMs + dayMs).map(spanOf);
  return {
    spans: [...around, ...others.filter(({ start }) => !around.some((each) => each.start === start))],
    isWhole: true,
  };
}

function byNow({ hostNowMs, agoMs, sentMs }: Omit<Times, 'hostAtMs'>): Search {
  const sent = months(sentMs - dayMs, sentMs + dayMs);
  // Which month the host regards as current is not known then, and this machine's clock may be wrong.
  if (hostNowMs === undefined) return { spans: sent.map(spanOf), isWhole: false };
  if (agoMs !== undefined) {
    const leftMs = hostNowMs - agoMs;
    return { spans: spans([...months(leftMs - dayMs, hostNowMs + dayMs), ...sent], hostNowMs), isWhole: true };
  }
  const possible = sentMs <= hostNowMs + dayMs ? months(sentMs - doubtMs, hostNowMs + dayMs) : [];
  if (possible.length > 0 && possible.length <= monthsMax) return { spans: spans(possible, hostNowMs), isWhole: true };
  return { spans: spans([...months(hostNowMs - doubtMs, hostNowMs + dayMs), ...sent], hostNowMs), isWhole: false };
}

/** The months between two times, as 'YYYY-MM', limited to one more than may be asked for. */
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

/**
 * The current month is asked for without times. Near its ends, it is not certain which month the host regards as
 * current, so both are named.
 */
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
