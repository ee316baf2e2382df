import { cardAcquirers } from './card-acquirers.ts';
import { drawnManners, graceMs } from './card-manners.ts';
import type { DiskTrouble } from './disk.ts';
import { drawnWallet } from './wallet/manners.ts';
import type { World } from './world.ts';

const numeric: Readonly<Record<string, string>> = { HKD: '344', CNY: '156', USD: '840' };
const wellDisk: DiskTrouble = { fails: 0, misreports: 0, hangs: 0 };

/** The time of day `minutes` later, by the shop's local time. */
function dailyTime(now: Date, minutes: number): string {
  const at = new Date(now.getTime() + minutes * 60_000);
  return [at.getHours(), at.getMinutes()].map((each) => String(each).padStart(2, '0')).join(':');
}

/** The faults around the terminal, changing at random. */
export class Trouble {
  readonly #world: World;
  readonly #badness: number;
  readonly #forgetful: boolean;
  #over = false;

  constructor(world: World, forgetful: boolean) {
    this.#world = world;
    this.#forgetful = forgetful;
    this.#badness = world.dice.of([10, 40, 70, 100]);
  }

  begins(): void {
    const { dice, hosts, wallet, currencies } = this.#world;
    const trouble = {
      refusesAfterMs: this.#forgetful ? Infinity : dice.of([0, graceMs, Infinity]),
      declines: dice.of([0, 10, 30]),
      busy: dice.of([0, 0, 30]),
      rejectsAdvice: dice.of([0, 20, 60]),
      mismatches: dice.of([0, 20]),
      refusesSettlement: dice.of([0, 0, 30]),
    };
    const digits = currencies.map((each) => numeric[each] ?? '');
    for (const host of hosts.slice(0, cardAcquirers.length)) {
      host.manners = { ...drawnManners(dice, digits), ...trouble };
      this.#world.log.push(`${host.id} host: its manners: ${JSON.stringify(host.manners)}`);
    }
    // The sites of a bank run the same programs, also if they have separate books.
    for (const [at, host] of hosts.entries()) host.manners = hosts[at % cardAcquirers.length]?.manners ?? host.manners;
    wallet.manners = drawnWallet(dice, currencies, this.#forgetful);
    this.#world.log.push(`QR host: its manners: ${JSON.stringify(wallet.manners)}`);
    this.#clockBegins();
    if (dice.odds(25)) this.#world.dailyAt = dailyTime(this.#world.clock.now(), dice.between(2, 90));
    this.#world.lossOdds = dice.odds(10) ? 15 : 0;
    this.#world.rollBackOdds = dice.odds(30) ? 50 : 0;
    this.#changes();
  }

  /** Ends all faults. */
  ends(): void {
    this.#over = true;
    const { lines, hosts, wallet, walletLine, octopus, disk, paper, daemon } = this.#world;
    for (const line of lines) {
      Object.assign(line, { down: false, trouble: { percent: 0 } });
      line.heals();
    }
    for (const host of hosts)
      host.manners = {
        ...host.manners,
        declines: 0,
        busy: 0,
        rejectsAdvice: 0,
        mismatches: 0,
        refusesSettlement: 0,
      };
    Object.assign(walletLine, { trouble: 0, down: false, heldMs: () => 0 });
    wallet.manners = { ...wallet.manners, declines: 0, unsure: 0, postsLate: 0 };
    octopus.heal();
    Object.assign(disk, { full: false, trouble: wellDisk });
    paper.filled();
    this.#world.spare();
    this.#world.customerTrouble = 0;
    this.#world.willing = true;
    if (daemon) Object.assign(daemon.counter, { trouble: 0, willing: true });
    this.#world.log.push('== world: everything is well from here');
  }

  /** The clock is right, wrong by years, or without a battery: then it shows the same time at every start. */
  #clockBegins(): void {
    const { dice, clock } = this.#world;
    const way = dice.below(10);
    if (way === 0) clock.jump(dice.of([-6, -1, 3]) * 365 * 24 * 3_600_000);
    if (way === 1)
      clock.losesBattery(dice.of([new Date('2020-01-01T00:00:00Z'), new Date('2026-01-31T15:30:00Z')]), dice);
  }

  #changes(): void {
    if (this.#over) return;
    const { dice, lines, walletLine, octopus, disk, paper, time, clock, daemon } = this.#world;
    const bad = (percent: number) => dice.odds((percent * this.#badness) / 100);
    for (const line of lines) {
      line.trouble = { percent: bad(80) ? dice.of(this.#world.lineTroubles) : 0 };
      if (line.down) line.down = dice.odds(50);
      else if (bad(10)) line.goesDown();
    }
    walletLine.trouble = bad(50) ? dice.of([10, 40, 80]) : 0;
    walletLine.down = bad(8);
    octopus.trouble = bad(60) ? dice.of([10, 50, 90]) : 0;
    disk.trouble = bad(20)
      ? { fails: dice.of([0, 5, 30, 100]), misreports: dice.of([0, 5]), hangs: dice.of([0, 0, 2]) }
      : wellDisk;
    disk.full = bad(4);
    if (paper.out && !bad(40)) paper.filled();
    else if (bad(10)) paper.out = true;
    this.#world.customerTrouble = bad(60) ? dice.of([5, 20, 50]) : 0;
    if (daemon) daemon.counter.trouble = this.#world.customerTrouble;
    if (bad(15)) {
      const jumpMs = dice.of([-1, 1]) * dice.of([500, 30_000, 3_600_000, 40 * 3_600_000]);
      clock.jump(jumpMs);
    }
    if (bad(3)) this.#world.cut();
    if (bad(4)) this.#world.stops();
    time.in(dice.between(3_000, 60_000), () => this.#changes());
  }
}
