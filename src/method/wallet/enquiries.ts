import type { Clock } from '../../ports/clock.ts';
import type { WalletFinding, WalletHost, WalletOrder } from '../../ports/wallet-host.ts';
import { pause, TimeLimit } from '../../ports/pause.ts';

/** A finding that will not change by itself. */
export type SettledFinding = Exclude<WalletFinding, { kind: 'waiting' | 'unknown' | 'noSuchOrder' | 'notFound' }>;

export function isSettled(finding: WalletFinding): finding is SettledFinding {
  return finding.kind !== 'waiting' && finding.kind !== 'unknown' && !isUnshown(finding);
}

/** The host shows no such order. That alone ends nothing. */
export function isUnshown({ kind }: WalletFinding): boolean {
  return kind === 'noSuchOrder' || kind === 'notFound';
}

/** Nobody has paid it, or it was given back whole, and nobody can pay it any more. */
export function isOver(kind: WalletFinding['kind']): boolean {
  return kind === 'closed' || kind === 'declined' || kind === 'refunded';
}

export interface EnquiryTerms {
  readonly clock: Clock;
  readonly pollMs: number;
  /** Gives up after this long, with the last finding; never, where a signal ends it. */
  readonly mostMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Enquires until `enough` is found, the time is over, or the signal is aborted. Nothing is ever guessed: what it returns is
 * what the host said last.
 */
export async function enquireUntil(
  order: WalletOrder,
  host: Pick<WalletHost, 'enquire'>,
  { clock, pollMs, mostMs, signal }: EnquiryTerms,
  enough: (finding: WalletFinding) => boolean = isSettled,
): Promise<WalletFinding> {
  const limit = mostMs === undefined ? undefined : new TimeLimit(mostMs - pollMs, clock);
  try {
    for (;;) {
      const finding = await host.enquire(order);
      if (enough(finding) || signal?.aborted || limit?.isOver) return finding;
      await pause(pollMs, clock, signal);
      if (signal?.aborted) return finding;
    }
  } finally {
    limit?.end();
  }
}
