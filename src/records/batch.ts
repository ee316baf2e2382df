import { isBatchItem, type SettledKind, transactionTypes } from '../domain/transaction-kind.ts';
import type { CurrencyCode } from '../domain/currency.ts';
import type { BatchTotals } from '../ports/acquirer-host.ts';
import type { KindTotal } from '../events/settlement.ts';
import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { TransactionRecord } from './record.ts';
import { stands } from './standing.ts';

/** One transaction as it will be settled. */
export interface BatchItem {
  readonly record: TransactionRecord;
  readonly kind: SettledKind;
  /** Including the adjusted tip. */
  readonly minor: bigint;
}

const settledKinds = transactionTypes.filter(isBatchItem);

/**
 * What of a batch is settled: valid sales, offline sales, completions and refunds, with their last amount. Voided and
 * reversed transactions, and auths, are in no total. A transaction that the bank confirmed as posted by telephone is in
 * the total, because totals must match the host's books. All transactions of the batch must pass through `add`, in
 * order of acceptance.
 */
export class Batch {
  readonly #items = new Map<TerminalTransactionId, BatchItem>();
  /** Auths; a completion or a void ends their hold. */
  readonly #auths = new Map<TerminalTransactionId, { readonly record: TransactionRecord; held: boolean }>();

  add(record: TransactionRecord): void {
    if (!stands(record)) return;
    const { type, originalId } = record.request;
    this.#hold(record);
    const original = originalId && this.#items.get(originalId);
    if (isBatchItem(type)) {
      this.#items.set(record.id, { record, kind: type, minor: record.amount.minor });
    } else if (type === 'TIP_ADJUST' && original) {
      this.#items.set(original.record.id, { ...original, minor: record.amount.minor });
    } else if (type.startsWith('VOID_') && original) {
      this.#items.delete(original.record.id);
    }
  }

  #hold(record: TransactionRecord): void {
    const { type, originalId = record.id } = record.request;
    if (type === 'AUTH') this.#auths.set(record.id, { record, held: true });
    const auth = this.#auths.get(originalId);
    if (auth && (type === 'AUTH_COMP' || type === 'VOID_AUTH')) auth.held = false;
    const completed = this.#items.get(originalId)?.record.request.originalId;
    const released = type === 'VOID_AUTH_COMP' && completed ? this.#auths.get(completed) : undefined;
    if (released) released.held = true;
  }

  /** Auths of this batch that still hold a customer's money. */
  openAuths(): KindTotal[] {
    return sumByKind([...this.#auths.values()].flatMap(({ record, held }) => (held ? [record] : [])));
  }

  get items(): readonly BatchItem[] {
    return [...this.#items.values()];
  }

  get currencies(): readonly CurrencyCode[] {
    return [...new Set(this.items.map(({ record }) => record.amount.currency))].toSorted();
  }

  /** What the host is asked to confirm for one currency. */
  totals(currency: CurrencyCode): BatchTotals {
    const items = this.items.filter(({ record }) => record.amount.currency === currency);
    return {
      currency,
      sales: sumItems(items.filter(({ kind }) => kind !== 'REFUND')),
      refunds: sumItems(items.filter(({ kind }) => kind === 'REFUND')),
    };
  }

  /** What the merchant sees: count and total per kind and currency. */
  kindTotals(): KindTotal[] {
    const { items } = this;
    return this.currencies.flatMap((currency) =>
      settledKinds.flatMap((kind) => {
        const { count, minor } = sumItems(
          items.filter((item) => item.kind === kind && item.record.amount.currency === currency),
        );
        return count === 0 ? [] : [{ kind, currency, count, totalMinor: minor.toString() }];
      }),
    );
  }
}

/** Count and total per kind and currency, whatever their outcome. */
export function sumByKind(records: readonly TransactionRecord[]): KindTotal[] {
  const groups = Map.groupBy(records, ({ request, amount }) => `${request.type} ${amount.currency}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const totalMinor = group.reduce((sum, { amount }) => sum + amount.minor, 0n).toString();
    return first
      ? [{ kind: first.request.type, currency: first.amount.currency, count: group.length, totalMinor }]
      : [];
  });
}

function sumItems(items: readonly BatchItem[]): { count: number; minor: bigint } {
  return { count: items.length, minor: items.reduce((sum, { minor }) => sum + minor, 0n) };
}
