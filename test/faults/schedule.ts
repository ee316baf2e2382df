import { acquirerId } from '../../src/domain/identifiers.ts';
import { totalsOf, totalsText } from './card-books.ts';
import { type HostManners, politeManners } from './card-host.ts';
import { connectTimeoutMs, noRecordGraceMs } from './daemon.ts';
import { Dice } from './dice.ts';
import type { DiskTrouble } from './disk.ts';
import { reconciled } from './reconciliation.ts';
import { Shop } from './shop.ts';
import { politeWallet } from './wallet/manners.ts';
import { World } from './world.ts';

export interface Played {
  readonly seed: number;
  readonly faults: readonly string[];
  readonly trace: readonly string[];
  readonly hash: string;
  readonly counts: ReadonlyMap<string, number>;
}

const hourMs = 3_600_000;
/** Everything is well again: what waits must be through by then. */
const drainMs = 24 * hourMs;
/** What is on its way arrives within this. */
const lateMs = 300_000;

const wellDisk: DiskTrouble = { fails: 0, misreports: 0, hangs: 0 };

/**
 * One schedule of chance: a shop's day in trouble, then in peace, and what must hold during it and after it. `forgetful`: hosts
 * that take a request however late after its reversal, or after its order was closed. No terminal can mend that.
 */
export async function played(seed: number, forgetful = false): Promise<Played> {
  const dice = new Dice(seed);
  const world = new World(
    dice,
    dice.one([
      [1, 0],
      [3, 2],
      [4, 5],
      [2, 12],
    ]),
  );
  try {
    const trouble = new Weather(world, forgetful);
    const shop = new Shop(world, dice.between(15, 45));
    trouble.begins();
    world.starts();
    shop.opens();
    while (!shop.isDone) if (!(await world.time.step())) break;
    await quiet(world, dice.between(0, 60_000));
    trouble.ends();
    const faults = (await healed(world)) ? await lastDay(world, shop) : [`it does not come to rest: ${world.waiting}`];
    for (const fault of faults) world.rules.fault(fault);
  } catch (error) {
    world.rules.fault(`the schedule fails: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    world.disk.remove();
  }
  const { rules, log } = world;
  return { seed, faults: rules.faults, trace: log.lines, hash: log.hash, counts: log.counts };
}

/** Time passes, whatever happens meanwhile. */
async function quiet(world: World, ms: number): Promise<void> {
  const untilMs = world.time.elapsedMs + ms;
  world.time.in(ms, () => undefined);
  while (world.time.elapsedMs < untilMs) await world.time.step();
}

async function healed(world: World): Promise<boolean> {
  const untilMs = world.time.elapsedMs + drainMs;
  while (world.time.elapsedMs < untilMs) {
    await quiet(world, 10_000);
    if (!world.isDrained) continue;
    // What was late arrives now, and must find nothing to disturb.
    await quiet(world, lateMs);
    if (world.isDrained) return true;
  }
  return false;
}

/** Everything is enquired, settled and compared. */
async function lastDay(world: World, shop: Shop): Promise<string[]> {
  void shop.enquiresAll();
  await quiet(world, 600_000);
  const faults = reconciled(world);
  shop.settlesLast();
  await quiet(world, 60_000);
  const last = world.disk.store.findSettlement('POS-1', 'S-last')?.results ?? [];
  if (last.length === 0) faults.push('I7: the last settlement has no result');
  for (const { acquirerId: id, result, reason = '' } of last) {
    if (result === 'FAILED') faults.push(`I7: the last settlement of ${id} failed: ${reason}`);
  }
  for (const host of world.hosts) {
    const open = host.books.open;
    if (open.length > 0) faults.push(`I7: ${totalsText(totalsOf(open))} at ${host.id} are in no settlement`);
    const batch = world.disk.store.openBatch(acquirerId(host.id));
    const sent = [...host.books.settled.keys()].filter((number) => number >= batch);
    if (sent.length > 0) faults.push(`I7: batch ${sent.join()} of ${host.id} is settled there, and open here`);
  }
  return faults;
}

/** How bad things are around the terminal, changing by chance. */
class Weather {
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
    const { dice, hosts, wallet } = this.#world;
    const manners: HostManners = {
      answersAgain: dice.odds(50),
      // Since it was given to its link, which may have had to be dialled first.
      refusesAfterMs: this.#forgetful ? Infinity : dice.of([0, noRecordGraceMs - connectTimeoutMs]),
      declines: dice.of([0, 10, 30]),
      busy: dice.of([0, 0, 30]),
      rejectsAdvice: dice.of([0, 0, 10]),
      mismatches: dice.of([0, 20]),
    };
    for (const host of hosts) host.manners = manners;
    wallet.manners = {
      ...politeWallet,
      declines: dice.of([0, 20]),
      remembersClosing: !this.#forgetful,
      signs: dice.of(['not', 'body']),
    };
    this.#changes();
  }

  /** And everybody is well. */
  ends(): void {
    this.#over = true;
    const { lines, hosts, wallet, walletLine, octopus, disk, paper, daemon } = this.#world;
    for (const line of lines) Object.assign(line, { down: false, trouble: { percent: 0 } });
    for (const host of hosts)
      host.manners = {
        ...politeManners,
        answersAgain: host.manners.answersAgain,
        refusesAfterMs: host.manners.refusesAfterMs,
      };
    Object.assign(walletLine, { trouble: 0, down: false });
    wallet.manners = { ...wallet.manners, declines: 0, unsure: 0 };
    octopus.heal();
    Object.assign(disk, { full: false, trouble: wellDisk });
    paper.filled();
    this.#world.spare();
    this.#world.customerTrouble = 0;
    if (daemon) daemon.counter.trouble = 0;
    this.#world.log.push('== everything is well');
  }

  #changes(): void {
    if (this.#over) return;
    const { dice, lines, walletLine, octopus, disk, paper, time, log, daemon } = this.#world;
    const bad = (percent: number) => dice.odds((percent * this.#badness) / 100);
    for (const line of lines) {
      line.trouble = { percent: bad(80) ? dice.of([15, 30, 60, 90]) : 0 };
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
      time.jump(jumpMs);
      log.counted('clock jump', `${jumpMs} ms`);
    }
    if (bad(3)) this.#world.cut();
    if (bad(4)) this.#world.stops();
    time.in(dice.between(3_000, 60_000), () => this.#changes());
  }
}
