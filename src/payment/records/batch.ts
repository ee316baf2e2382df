import { isBatchItem, type SettledKind, transactionTypes } from '../../base/domain/transaction-kind.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { BatchTotals } from '../contracts/acquirer-host.ts';
import type { KindTotal } from '../events/settlement.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import { asCounted } from './evidence.ts';
import type { TransactionRecord } from './record.ts';
import { isOf, type Whose } from './whose.ts';
import { isCompletion, type RecordTree, transactionStatus, stands } from './transaction-status.ts';

interface GrowingTree extends RecordTree {
  readonly later: GrowingTree[];
  /** It refers to a transaction of an earlier batch. */
  readonly isApart: boolean;
}

const settledKinds = transactionTypes.filter(isBatchItem);

/** One transaction as it will be settled. */
export interface BatchItem {
  readonly record: TransactionRecord;
  readonly kind: SettledKind;
  /** Including the adjusted tip. */
  readonly minor: bigint;
  readonly tipMinor: bigint;
  /** What refunds of the same batch have given back of it. */
  readonly refundedMinor: bigint;
  /** Its amount is not the one that was authorized: a tip was adjusted, or it completes an authorization. */
  readonly isFinal: boolean;
}

/** One line of a report's sums. */
export interface ReportItem extends Omit<BatchItem, 'kind'> {
  readonly kind: SettledKind | 'TIP_ADJUST';
}

/**
 * What of a batch is settled: valid sales, offline sales, completions and refunds, with their last amount. Voided and
 * reversed transactions, and auths, are in no total. A transaction that the bank confirmed as posted by telephone is in
 * the total, because totals must match the host's books. All transactions of the batch must pass through `add`, in
 * order of acceptance.
 */
export class Batch {
  /** Each transaction with the later ones of this batch that name it. */
  readonly #trees = new Map<TerminalTransactionId, GrowingTree>();
  #items: readonly BatchItem[] | undefined;

  add(added: TransactionRecord): void {
    // A settled batch stays as it was.
    const record = added.afterSettlement ? asCounted(added) : added;
    if (!stands(record)) return;
    const { originalId } = record.request;
    const original = originalId === undefined ? undefined : this.#trees.get(originalId);
    const tree: GrowingTree = { record, later: [], isApart: originalId !== undefined && !original };
    this.#trees.set(record.id, tree);
    original?.later.push(tree);
    this.#items = undefined;
  }

  /**
   * The part of the batch that belongs to one POS or merchant. A void removes its sale, whichever POS requested the
   * void.
   */
  only(whose: Whose): Batch {
    const own = new Batch();
    for (const [id, tree] of this.#trees) if (isOf(tree.record, whose)) own.#trees.set(id, tree);
    return own;
  }

  /** Auths of this batch that still hold a customer's money. */
  openAuths(): KindTotal[] {
    const auths = [...this.#trees.values()].filter(({ record }) => record.request.type === 'AUTH');
    return sumByKind(
      auths.flatMap((tree) => {
        const { voided, completed, total } = transactionStatus(tree);
        return voided || completed ? [] : [{ ...tree.record, amount: total }];
      }),
    );
  }

  /** Voids of this batch, by kind. */
  voids(): KindTotal[] {
    const records = [...this.#trees.values()].map(({ record }) => record);
    return sumByKind(records.filter(({ request }) => request.type.startsWith('VOID_')));
  }

  get items(): readonly BatchItem[] {
    this.#items ??= [...this.#trees.values()].flatMap((tree) => {
      const { type: kind } = tree.record.request;
      if (!isBatchItem(kind)) return [];
      const { record } = tree;
      const { voided, total, tipMinor, refundedMinor, adjusted } = transactionStatus(tree);
      const isFinal = adjusted || isCompletion(record);
      return voided ? [] : [{ record, kind, minor: total.minor, tipMinor, refundedMinor, isFinal }];
    });
    return this.#items;
  }

  /**
   * Tips that only the bank has confirmed, after their sale had been settled without them. They are in no total for the
   * host, but in the report of the batch that was open when they became known.
   */
  get lateTips(): readonly ReportItem[] {
    return [...this.#trees.values()].flatMap(({ record, isApart }) => {
      if (!isApart || record.request.type !== 'TIP_ADJUST' || record.position !== 'posted') return [];
      const minor = record.amount.minor - totalBefore(record);
      return [{ record, kind: record.request.type, minor, tipMinor: minor, refundedMinor: 0n, isFinal: false }];
    });
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

/** The total of the original before the message that refers to it. */
function totalBefore({ intent, amount }: TransactionRecord): bigint {
  const original = intent && 'original' in intent ? intent.original : undefined;
  return original ? BigInt(original.amountMinor) : amount.minor;
}

function sumItems(items: readonly BatchItem[]): { count: number; minor: bigint } {
  return { count: items.length, minor: items.reduce((sum, { minor }) => sum + minor, 0n) };
}
