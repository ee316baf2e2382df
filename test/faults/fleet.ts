import { takeConfiguration } from '../../src/fleet/adoption/take-configuration.ts';
import type { UnsettledSearch } from '../../src/payment/records/first-unsettled.ts';
import type { Dice } from './dice.ts';
import type { World } from './world.ts';

/** A fleet that sends documents: each is tried again as the terminal does, whenever something has ended. */
export class Fleet {
  readonly #world: World;
  readonly #dice: Dice;
  isOver = false;

  constructor(world: World, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
  }

  begins(): void {
    this.#world.time.in(this.#dice.between(5_000, 240_000), () => {
      if (this.isOver) return;
      void this.#offers();
      this.begins();
    });
  }

  async #offers(): Promise<void> {
    const { daemon, terms, log } = this.#world;
    if (!daemon?.listening) return;
    const next = terms.draw();
    const { terminal, journal, progress } = daemon;
    const search: UnsettledSearch = daemon.search;
    const adopt = async () => {
      this.#checks(terms.configuration.acquirers.find((each, at) => each !== next.acquirers[at])?.id ?? '');
      log.counted('fleet document adopted', 'fleet: its document is adopted');
      terms.adopt(next);
    };
    const signal = new AbortController().signal;
    const parts = { journal, search, terminal, progress, inUse: terms };
    const taking = { present: terms.configuration, next, adopt, signal };
    const obstacle = await takeConfiguration(taking, parts).catch(() => ({ reason: 'the journal fails' }));
    if (obstacle) return log.counted(`fleet document waits: ${obstacle.reason.replace(/ is (?!un).*/, ' is busy')}`);
    if (daemon.generation.alive) daemon.stop();
  }

  /** By the host's books: nothing that this terminal knows of is posted and not settled. */
  #checks(changed: string): void {
    const { hosts, rules, disk } = this.#world;
    const open = hosts
      .filter(({ id }) => id === changed)
      .flatMap(({ books }) => books.open().filter((posting) => this.#world.isKnown(posting)));
    const pending = disk.store.pending().filter(({ acquirerId: id }) => id === changed);
    const decided = open.filter(({ owner }) => owner === undefined || !this.#world.operator.decided.has(owner));
    if (decided.some(({ isTipDoubted, isReconsidered }) => !isTipDoubted && !isReconsidered) || pending.length > 0)
      rules.fault(
        `I9: a configuration that changes ${changed} is adopted with ${open.length + pending.length} unsettled`,
      );
  }
}
