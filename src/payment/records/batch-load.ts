import type { Amount } from '../../base/domain/amount.ts';
import { factsOf, type TransactionKind } from '../../base/domain/transaction-kind.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { SettlingBatch, SettlingTotal } from '../events/settling-batch.ts';
import type { Batch } from './batch.ts';
import type { TransactionRecord } from './record.ts';

/** What a transaction would add to its batch: a tip adjustment adds the tip, any other its amount. */
export interface Entry {
  readonly kind: TransactionKind;
  /** The terminal answers for it until its host has heard of it: no host has authorized it. */
  readonly isOffline?: true;
  readonly currency: CurrencyCode;
  readonly minor: bigint;
}

/** `before`: the total that a tip adjustment raises. */
export function entryOf(
  { kind, amount, original }: { readonly kind: TransactionKind; readonly amount: Amount; readonly original?: unknown },
  before: bigint | undefined,
): Entry {
  const offline = kind === 'OFFLINE_SALE' && original === undefined ? { isOffline: true as const } : {};
  return { kind, ...offline, ...amount, minor: kind === 'TIP_ADJUST' ? amount.minor - (before ?? 0n) : amount.minor };
}

/** Whether these currencies of a closed batch fit into the open one of their acquirer. Only while nothing else runs. */
export type TakesBatch = (closed: Pick<SettlingBatch, 'acquirerId' | 'currencies'>) => Promise<boolean>;

export interface Sum {
  readonly count: number;
  readonly minor: bigint;
}

type Side = 'sales' | 'refunds';

/** The side of the batch to which a kind adds; undefined if it adds to none. */
export function sideOf(kind: TransactionKind): Side | undefined {
  switch (factsOf(kind).adds) {
    case 'sale':
    case 'tip':
      return 'sales';
    case 'refund':
      return 'refunds';
    default:
      return undefined;
  }
}

const none: Sum = { count: 0, minor: 0n };

/** An upper bound of a batch's sums per currency: what was read, and all that was added since, whatever its outcome. */
export class BatchLoad {
  readonly #sums = new Map<string, Sum>();

  /**
   * For a batch that was read completely. `perhaps`: counted too, because the bank may confirm them as posted in the
   * end.
   */
  constructor(batch: Batch, perhaps: readonly TransactionRecord[]) {
    for (const currency of batch.currencies) {
      const { sales, refunds } = batch.totals(currency);
      this.#sums.set(keyOf('sales', currency), sales);
      this.#sums.set(keyOf('refunds', currency), refunds);
    }
    for (const { request, amount } of perhaps) this.add({ kind: request.type, ...amount });
  }

  add(entry: Entry): void {
    const side = sideOf(entry.kind);
    if (side) this.#sums.set(keyOf(side, entry.currency), this.#with(side, entry));
  }

  /** Whether an entry fits, if each sum of the batch may be at most `most`. */
  takes(entry: Entry, most: Sum): boolean {
    const side = sideOf(entry.kind);
    if (!side) return true;
    const { count, minor } = this.#with(side, entry);
    return count <= most.count && minor <= most.minor;
  }

  /** Whether the currencies of a closed batch fit in as well. */
  takesAll(totals: readonly SettlingTotal[], most: Sum): boolean {
    return totals.every((total) =>
      (['sales', 'refunds'] as const).every((side) => {
        const { count, minor } = this.#sums.get(keyOf(side, total.currency)) ?? none;
        const more = total[side];
        return count + more.count <= most.count && minor + BigInt(more.totalMinor) <= most.minor;
      }),
    );
  }

  #with(side: Side, { kind, currency, minor }: Entry): Sum {
    const sum = this.#sums.get(keyOf(side, currency)) ?? none;
    return { count: sum.count + (kind === 'TIP_ADJUST' ? 0 : 1), minor: sum.minor + minor };
  }
}

function keyOf(side: Side, currency: CurrencyCode): string {
  return `${side} ${currency}`;
}
