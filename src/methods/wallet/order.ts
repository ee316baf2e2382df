import type { Amount } from '../../base/domain/amount.ts';
import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { JournalEvent } from '../../payment/events/event.ts';
import { bareApproval, type JournalledOutcome } from '../../payment/events/answer.ts';
import type { WalletIntent } from './contract.ts';
import type { WalletApproved, WalletHost, WalletOrder, WalletOutcome } from '../../payment/contracts/wallet-host.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';

/** The order number at the host: unique per message, and derived again from the journal after a restart. */
export function tradeNo(id: TerminalTransactionId, intent: Pick<WalletIntent, 'trace' | 'tradeNo'>): string {
  return intent.tradeNo ?? `${id}-${intent.trace.stan}`;
}

/**
 * The event for an order that the host has closed. A payment that was made at the same time may still appear later.
 * `hosts`: given if the order was sent shortly before. With the host's time, the order is found after a restart too,
 * whatever this machine's clock says then.
 */
export function closedEvent(
  { acquirerId, trace, isFinal }: WalletIntent,
  hosts?: ReadonlyMap<AcquirerId, Pick<WalletHost, 'hostTime'>>,
  isOpen?: true,
): ClosedEvent {
  const at = hostTimeAt(hosts?.get(acquirerId) ?? {});
  return {
    kind: 'orderClosed',
    acquirerId,
    stan: trace.stan,
    ...(isFinal ? { isFinal } : {}),
    ...(isOpen ? { isOpen } : {}),
    ...at,
  };
}

/** The order of a transaction's intent. Throws if it has no wallet intent. */
export function walletOrder(record: TransactionRecord): WalletOrder & { readonly intent: WalletIntent } {
  const { id, amount, intent } = record;
  if (!intent || !('wallet' in intent)) throw new Error(`transaction ${id} has no intent for a wallet`);
  return { ...orderOf(id, intent, amount), intent };
}

/** The event for an order whose payment by a scanned code its host has declined. */
export function declinedEvent(intent: WalletIntent, hosts?: Parameters<typeof closedEvent>[1]): ClosedEvent {
  return { ...closedEvent(intent, hosts), isDeclined: true };
}

type ClosedEvent = Extract<JournalEvent, { kind: 'orderClosed' }>;

export function orderOf(id: TerminalTransactionId, intent: WalletIntent, amount: Amount): WalletOrder {
  const { sentAt, hostAt } = intent;
  return { tradeNo: tradeNo(id, intent), amount, at: new Date(sentAt), ...(hostAt === undefined ? {} : { hostAt }) };
}

/** The host's own time, as an intent keeps it. */
export function hostTimeAt({ hostTime }: Pick<WalletHost, 'hostTime'>): Pick<WalletIntent, 'hostAt'> {
  return hostTime === undefined ? {} : { hostAt: hostTime };
}

/** The order to which an intent refers: the refund that a void of a refund takes back. */
export function originalOrder(
  { original }: WalletIntent,
  { currency }: Amount,
): (WalletOrder & { readonly hostNumber: string }) | undefined {
  if (!original) return undefined;
  const { tradeNo: no, hostNumber, sentAt, amountMinor } = original;
  return { tradeNo: no, hostNumber, at: new Date(sentAt), amount: { minor: BigInt(amountMinor), currency } };
}

export function approvedOutcome({ hostNumber, walletNumber, hostTime, hostDate }: WalletApproved): JournalledOutcome {
  return {
    ...bareApproval,
    rrn: hostNumber,
    hostTime,
    hostDate,
    ...(walletNumber === '' ? {} : { walletNumber }),
  };
}

/** The outcome as the journal keeps it. A waiting order has none yet. */
export function journalledWallet(outcome: Exclude<WalletOutcome, { kind: 'waiting' }>): JournalledOutcome {
  switch (outcome.kind) {
    case 'approved':
      return approvedOutcome(outcome);
    case 'declined':
      return { ...outcome, rrn: '' };
    case 'unknown':
    case 'notSent':
      return outcome;
    default:
      return outcome satisfies never;
  }
}
