import { acquirerId, type TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { CardBooks, HostAction, Posting } from './card-books.ts';
import type { CardHost } from './card-host.ts';
import type { Disk } from './disk.ts';
import type { OctopusTill } from './octopus-till.ts';
import type { WalletBooks, WalletEntry } from './wallet/orders.ts';

export const numeric: Readonly<Record<string, string>> = { HKD: '344', CNY: '156', USD: '840', JPY: '392' };

/** One currency of a batch that its host refuses to settle. */
export interface ListedBatch {
  readonly acquirer: string;
  readonly batch: number;
  readonly currency: string;
  readonly sales: { readonly count: number };
  readonly refunds: { readonly count: number };
  readonly refusal?: string;
}

/** The books of all hosts and the Octopus reader, by this terminal's transactions. */
export class Ledger {
  readonly #disk: Disk;
  readonly #hosts: readonly CardHost[];
  readonly #wallet: WalletBooks;
  readonly #octopus: OctopusTill;
  /** By acquirer, trace number and transaction: the site to which its message was sent. */
  readonly #sites = new Map<string, CardHost>();
  #isPutBack = false;

  constructor(disk: Disk, hosts: readonly CardHost[], wallet: WalletBooks, octopus: OctopusTill) {
    this.#disk = disk;
    this.#hosts = hosts;
    this.#wallet = wallet;
    this.#octopus = octopus;
  }

  get lastIntent(): TerminalTransactionId | undefined {
    return [...this.#disk.intents.values()].at(-1);
  }

  /** Records that a message of this transaction was sent to a host. */
  leaves(host: CardHost, stan: number, owner: TerminalTransactionId): void {
    const name = `${host.id} ${stan} ${owner}`;
    if (!this.#sites.has(name)) this.#sites.set(name, host);
  }

  /** The site to which this message was sent; undefined if it was never sent. */
  siteOf(acquirer: string, stan: number, owner: TerminalTransactionId): CardHost | undefined {
    return this.#sites.get(`${acquirer} ${stan} ${owner}`);
  }

  /** The sites to which messages of this transaction were sent. */
  sitesOf(acquirer: string, owner: TerminalTransactionId): CardHost[] {
    return [...this.#sites].flatMap(([name, host]) =>
      name.startsWith(`${acquirer} `) && name.endsWith(` ${owner}`) ? [host] : [],
    );
  }

  /** All postings that its requests have ever caused at card hosts. */
  postings(id: TerminalTransactionId): Posting[] {
    return this.#hosts.flatMap((host) => host.books.postings.filter(({ owner }) => owner === id));
  }

  /** The bank's word by telephone: whether a host carried out its last request, and has not reversed it. */
  took(id: TerminalTransactionId): boolean {
    // A late try: its number is that of another transaction.
    const { request, intent } = this.#disk.store.read(id).length > 0 ? this.#disk.record(id) : {};
    if (request?.isStray && intent) {
      const { acquirerId: at, trace } = intent;
      const owner = request.originalId as TerminalTransactionId;
      const action = this.#booksOf(at, trace.stan, owner)?.action(trace.stan);
      return action !== undefined && !action.undone;
    }
    const byCard = [...this.#disk.intents].some(([name, owner]) => {
      const [at, stan] = name.split(' ');
      const action = owner === id && this.#booksOf(at ?? '', Number(stan), id)?.action(Number(stan));
      return action !== undefined && action !== false && !action.undone && !isReplaced(action);
    });
    return byCard || this.stands(id) || this.orders(id).some((entry) => this.netMinor(entry) > 0n);
  }

  #booksOf(acquirer: string, stan: number, owner: TerminalTransactionId): CardBooks | undefined {
    return (this.siteOf(acquirer, stan, owner) ?? this.#hosts.find(({ id }) => id === acquirer))?.books;
  }

  /** The amount of a transaction's sale in the books of a card host, in minor units; undefined if there is none. */
  soldMinor(id: TerminalTransactionId): bigint | undefined {
    return this.postings(id).find(({ kind, status }) => kind === 'sale' && status === 'POSTED')?.amountMinor;
  }

  /** The bank's word by telephone: whether a card host has settled such a batch, with the same number of postings. */
  settled(listed: ListedBatch): boolean {
    return this.#hosts.some(({ id, books }) => id === listed.acquirer && this.#isSettledIn(books, listed));
  }

  #isSettledIn(books: CardBooks, { acquirer, batch, currency, sales, refunds }: ListedBatch): boolean {
    const totals = books.settled.get(`${batch} ${numeric[currency]}`);
    // An older journal may have fewer or more postings of a batch than were settled: then the bank checks each
    // transaction.
    if (this.#isPutBack) {
      const open = books.open().filter((posting) => posting.currency === numeric[currency]);
      const own = new Set(this.#disk.store.batchPage(acquirerId(acquirer), batch, '', 1_000).map(({ id }) => id));
      return totals !== undefined && !open.some(({ owner }) => owner !== undefined && own.has(owner));
    }
    return totals?.sales.count === sales.count && totals.refunds.count === refunds.count;
  }

  /**
   * After an older journal a batch may agree by chance: the terminal counts in it what was voided since, and the host
   * this posting of the same amount, which the terminal has in its next batch.
   */
  isCountedByChance({ id, books }: CardHost, posting: Posting): boolean {
    if (!this.#isPutBack) return false;
    const [batch] = (posting.settled[0] ?? '').split(' ');
    const own = new Set(this.#disk.store.batchPage(acquirerId(id), Number(batch), '', 1_000).map((each) => each.id));
    const isGone = ({ owner, status }: Posting) => owner !== undefined && own.has(owner) && status !== 'POSTED';
    return posting.owner !== undefined && !own.has(posting.owner) && books.postings.some(isGone);
  }

  /** An older journal is put back; `whole`: with the file that would show its age. */
  putBack(whole: boolean): void {
    this.#isPutBack = true;
    if (!whole) return;
    for (const { books } of this.#hosts) {
      for (const posting of books.postings) if (posting.settled.length > 0) posting.isCopied = true;
    }
  }

  /** Wallet payments under its order numbers; `refunds` are those that it requested of other orders. */
  orders(id: TerminalTransactionId): WalletEntry[] {
    return [...this.#wallet.entries.values()].filter(({ tradeNo, of }) => !of && tradeNo.startsWith(`${id}-`));
  }

  refunds(id: TerminalTransactionId): WalletEntry[] {
    return [...this.#wallet.entries.values()].filter(
      ({ tradeNo, of }) => of && tradeNo.startsWith(`${id}-`) && !of.tradeNo.startsWith(`${id}-`),
    );
  }

  deductions(id: TerminalTransactionId): bigint[] {
    return [...this.#octopus.books]
      .filter(([reference, { state }]) => reference.startsWith(`${id}-`) && state === 'deducted')
      .map(([, { amountMinor }]) => amountMinor);
  }

  /** Of a payment by wallet: what was paid and not given back. */
  netMinor(entry: WalletEntry): bigint {
    return entry.state === 'paid' ? entry.amountMinor - this.#wallet.givenBackMinor(entry) : 0n;
  }

  /** Its standing effects at hosts, in words. */
  whatStands(id: TerminalTransactionId): string {
    const paid = [...this.orders(id), ...this.refunds(id)].map((entry) => `${entry.state} ${this.netMinor(entry)}`);
    const postings = this.postings(id).filter(({ isReconsidered }) => !isReconsidered);
    return [...postings.map(({ status, amountMinor }) => `${status} ${amountMinor}`), ...paid].join(' and ');
  }

  /** Whether any of its requests has an effect now. */
  stands(id: TerminalTransactionId): boolean {
    return (
      this.postings(id).some(({ status, unreported }) => status !== 'REVERSED' && !unreported) ||
      this.orders(id).some((entry) => !entry.unreported && this.netMinor(entry) > 0n) ||
      this.refunds(id).some(({ state }) => state === 'paid') ||
      this.deductions(id).length > 0
    );
  }
}

/** A tip whose sale was uploaded with another amount afterwards: the bank looks into the books as they are. */
function isReplaced({ processing, amount, posting }: HostAction): boolean {
  return processing === '020000' && BigInt(amount) !== posting.amountMinor;
}
