import type { WalletIntent } from './contract.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { WalletClosing, WalletFinding, WalletHost, WalletOrder } from '../../payment/contracts/wallet-host.ts';
import { pause, TimeLimit } from '../../base/ports/pause.ts';

/** A finding that does not change by itself any more. */
export type SettledFinding = Exclude<WalletFinding, { kind: 'waiting' | 'unknown' | 'noSuchOrder' | 'notFound' }>;

export function isSettled(finding: WalletFinding): finding is SettledFinding {
  return finding.kind !== 'waiting' && finding.kind !== 'unknown' && !isUnshown(finding);
}

/** The host shows no such order. That alone is no proof. */
export function isUnshown({ kind }: WalletFinding): boolean {
  return kind === 'noSuchOrder' || kind === 'notFound';
}

/** Nobody has paid the order, or it was fully refunded, and nobody can pay it any more. */
export function isOver(kind: WalletFinding['kind']): boolean {
  return kind === 'closed' || kind === 'declined' || kind === 'refunded';
}

/** A shown code stays payable after a declined payment, because the customer may try again with another account. */
export function isPayable({ kind }: WalletFinding, { wallet: { entryMode } }: Pick<WalletIntent, 'wallet'>): boolean {
  return kind === 'declined' && entryMode === 'QR_PRESENT';
}

/**
 * Whether nobody can pay the order any more, according to an enquiry after `closing`. For a shown code whose payment
 * was declined, the host must also have answered the closing.
 */
export function isEnded(closing: WalletClosing, finding: WalletFinding, intent: Pick<WalletIntent, 'wallet'>): boolean {
  return isOver(finding.kind) && !(isPayable(finding, intent) && closing.kind === 'unanswered');
}

/** Marks a shown code whose payment was declined, and that its host refused to close: it may still be payable. */
export function staysOpen(
  closing: WalletClosing,
  finding: WalletFinding,
  intent: Pick<WalletIntent, 'wallet'>,
): { readonly isOpen?: true } {
  return isPayable(finding, intent) && closing.kind === 'refused' ? { isOpen: true } : {};
}

export interface EnquiryTerms {
  readonly clock: Clock;
  readonly pollMs: number;
  /** Gives up after this time, with the last finding. Absent where a signal ends the enquiries. */
  readonly mostMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Enquires until `enough` accepts the finding, the time is over, or the signal is aborted. Returns what the host said
 * last, and never guesses.
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
