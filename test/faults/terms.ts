import type { Configuration } from '../../src/config/configuration.ts';
import type { CardAcquirer } from '../../src/methods/card/settings.ts';
import type { KeylessAcquirer } from '../../src/config/host-terms.ts';
import type { KeptAcquirers } from '../../src/payment/holds/acquirers-in-use.ts';
import { findHolds, type FoundHolds } from '../../src/payment/holds/find-holds.ts';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { UnsettledSearch } from '../../src/payment/records/first-unsettled.ts';
import type { UnsettledJournal } from '../../src/payment/records/unsettled.ts';
import type { Dice } from './dice.ts';
import type { Disk } from './disk.ts';
import type { Log } from './log.ts';

/**
 * The configuration of the card acquirers, which somebody edits while the terminal is off, or the fleet changes; and
 * the settings in use, which the terminal keeps beside its journal.
 */
export class Terms implements KeptAcquirers {
  /** How often the configuration is another one after a process has ended, percent. */
  changeOdds = 0;
  /** Whether tills may allow partial approvals. */
  approvesInPart = false;
  #configured: readonly CardAcquirer[];
  #kept: ReadonlyMap<string, KeylessAcquirer> = new Map();
  #image: ReadonlyMap<string, KeylessAcquirer> = new Map();
  #changes = 0;
  readonly #dice: Dice;
  readonly #disk: Disk;
  readonly #log: Log;

  constructor(names: readonly string[], dice: Dice, disk: Disk, log: Log) {
    this.#dice = dice;
    this.#disk = disk;
    this.#log = log;
    this.#configured = names.map(
      (id, index) =>
        ({
          id,
          protocol: 'iso8583',
          host: 'simulated',
          port: 1,
          mid: '000000000000001',
          tid: `0000000${index + 1}`,
          nii: '003',
          tpdu: '6000030000',
          timeZone: 'Asia/Hong_Kong',
          connectTimeoutMs: 5_000,
          replyTimeoutMs: 15_000,
          amounts: {},
          offline: { amountMinorMax: 0, countMax: 0, sumMinorMax: 0 },
          currencies: ['HKD', 'CNY', 'USD', 'JPY'],
        }) as unknown as CardAcquirer,
    );
  }

  /** From now on, hosts may approve a part of a sale. */
  approveInPart(): void {
    this.approvesInPart = true;
    this.#configured = this.#configured.map((each) => ({ ...each, partialApproval: true }));
  }

  /** Gives each host a second site, with the books of the first or with its own. */
  addSites(isShared: boolean): void {
    const sites = [1, 2].map((port) => ({ host: 'simulated', port }));
    this.#configured = this.#configured.map((each) => {
      const { host: _host, port: _port, ...others } = each;
      return { ...others, sites, books: each.id, sharedBooks: isShared };
    });
  }

  get configuration(): Configuration {
    return { acquirers: this.#configured, wallets: {} } as unknown as Configuration;
  }

  get all(): readonly KeylessAcquirer[] {
    return [...this.#kept.values()];
  }

  of(id: string): KeylessAcquirer | undefined {
    return this.#kept.get(id);
  }

  async keep(changes: ReadonlyMap<string, KeylessAcquirer | undefined>): Promise<void> {
    const next = new Map(this.#kept);
    for (const [id, settings] of changes) if (settings) next.set(id, settings);
    this.#kept = next;
  }

  /** What a start finds. */
  find(): Promise<FoundHolds> {
    // Nobody edits the settings of the others.
    const others = { octopus: {}, cash: true, methods: [{ id: 'QR', protocol: 'qfpay' }] } as unknown as Configuration;
    return findHolds({ ...others, acquirers: [...this.#configured] }, this, this.journal);
  }

  /** A configuration in which one acquirer has another terminal id, merchant id or address. */
  draw(): Configuration {
    const { acquirers, wallets } = this.configuration;
    const at = this.#dice.below(acquirers.length);
    this.#changes += 1;
    const number = String(this.#changes).padStart(4, '0');
    const change = this.#dice.one<Partial<CardAcquirer>>([
      [4, { tid: `T${at}00${number}` }],
      [2, { mid: `M0000000000${number}` }],
      [1, { port: this.#changes + 1 }],
    ]);
    // If a host has several sites, their order changes instead of its address.
    const of = (each: (typeof acquirers)[number]) =>
      'sites' in each && each.sites && 'port' in change ? { sites: each.sites.toReversed() } : change;
    const changed = acquirers.map((each, index) => (index === at ? { ...each, ...of(each) } : each));
    return { acquirers: changed, wallets } as Configuration;
  }

  /** From the next start on. */
  adopt(next: Configuration): void {
    this.#configured = next.acquirers as readonly CardAcquirer[];
  }

  /** The process has ended: somebody may edit the configuration, whatever is queued or unsettled. */
  mayChange(): void {
    if (!this.#dice.odds(this.changeOdds)) return;
    const { store } = this.#disk;
    const next = this.draw();
    const changed = next.acquirers.find((each, at) => each !== this.#configured[at])?.id ?? '';
    const id = acquirerId(changed);
    const isQueued = store.pending().some((each) => each.acquirerId === id);
    const isOpen = store.batchPage(id, store.openBatch(id), '', 1).length > 0;
    const under = isQueued ? ' under a queue' : isOpen ? ' under an open batch' : '';
    this.#log.counted(`configuration changed${under}`, `operator: edits the settings of ${changed}`);
    this.adopt(next);
  }

  /** With the image of the state directory. */
  keeps(): void {
    this.#image = this.#kept;
  }

  rollsBack(): void {
    this.#kept = this.#image;
  }

  loses(): void {
    this.#kept = new Map();
  }

  /** Whether anything is unsettled at an acquirer, by the terminal's own rules. */
  async isUnsettled(id: string): Promise<boolean> {
    return (await new UnsettledSearch(this.journal).find([acquirerId(id)])) !== undefined;
  }

  /** The present contents of the journal, read at once. */
  get journal(): UnsettledJournal {
    const { store } = this.#disk;
    return new Proxy(store, {
      get: (_store, name) => {
        const value = Reflect.get(store, name, store) as unknown;
        if (typeof value !== 'function') return value;
        return async (...parameters: unknown[]) => (value as (...all: unknown[]) => unknown).apply(store, parameters);
      },
    }) as unknown as UnsettledJournal;
  }
}
