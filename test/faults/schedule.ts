import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { Cloud } from './cloud/cloud.ts';
import { cardAcquirers } from './card-acquirers.ts';
import { Dice } from './dice.ts';
import { Fleet } from './fleet.ts';
import { drawnKeyTerms } from './keyed-dialects.ts';
import { LineSecurity } from './line-security.ts';
import { twoMerchants } from './merchants.ts';
import { Oracle } from './oracle.ts';
import { drawnFeatures, type Features } from './secured.ts';
import { Shop } from './shop.ts';
import { Trouble } from './trouble.ts';
import { WorkingKeys } from './working-keys.ts';
import { World } from './world.ts';

export interface Played {
  readonly seed: number;
  readonly faults: readonly string[];
  readonly trace: readonly string[];
  readonly hash: string;
  readonly counts: ReadonlyMap<string, number>;
}

const hourMs = 3_600_000;
/** After the faults end: all that waits must be done within this time. */
const drainMs = 24 * hourMs;
/** All messages on the wire arrive within this time. */
const lateMs = 300_000;
/** After the faults end, the books have everything within this time. */
const booksMs = 7_200_000;
/** One in this number of schedules, by its seed, has a till in the cloud. */
export const cloudEvery = 4;
/** Additional calls if most customers pay by card. */
const moreCalls = 60;
/** How often the operator looks at the menu. */
const operatorMs = 600_000;

/**
 * One random schedule: a day with faults, then one without, with the checks during and after it. `forgetful`: hosts
 * that carry out a request however late after its reversal, or after its order was closed. No terminal can repair
 * that.
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
    new Dice(seed ^ 0x9e3779b9),
    new Dice(seed ^ 0x2545f491),
    new Dice(seed ^ 0x3c6ef372),
  );
  try {
    const trouble = new Trouble(world, forgetful);
    const features = drawnFeatures(seed);
    const shop = new Shop(world, dice.between(20, 60) + (features.prefersCards ? moreCalls : 0));
    if (seed % cloudEvery === 0) joinCloud(world, new Dice(seed ^ 0x51ed270b));
    if (features.prefersCards) Object.assign(world, { prefersCards: true, lineTroubles: [2, 10, 30, 60] });
    if (features.hasMerchants) world.merchants = twoMerchants;
    if (features.sites !== 'one') world.addSites(new Dice(seed ^ 0x7137449b), features.sites === 'shared books');
    if (features.awayOdds > 0) loseSites(world, new Dice(seed ^ 0x452821e6), features.awayOdds);
    if (features.hasParts) approveParts(world, new Dice(seed ^ 0x1f83d9ab));
    if (features.keys !== 'none')
      secureLines(world, new Dice(seed ^ 0x5be0cd19), features, new Dice(seed ^ 0x13198a2e));
    const fleet = joinFleet(world, seed);
    trouble.begins();
    world.starts();
    shop.opens();
    while (!shop.isDone) if (!(await world.time.step())) break;
    await quiet(world, dice.between(0, 60_000));
    trouble.ends();
    world.terms.changeOdds = 0;
    world.hastyOdds = 0;
    if (fleet) fleet.isOver = true;
    world.cloud?.heals();
    shop.closed = true;
    const faults = await withoutSite(world, shop);
    const isAtRest = (await healed(world)) && (features.keys !== 'working' || (await keysAgreed(world, shop)));
    faults.push(...(isAtRest ? await lastDay(world, shop) : [`it does not come to rest: ${world.waiting}`]));
    for (const fault of faults) world.rules.fault(fault);
  } catch (error) {
    world.rules.fault(`the schedule fails: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    world.disk.remove();
  }
  const { rules, log } = world;
  return { seed, faults: rules.faults, trace: log.lines, hash: log.hash, counts: log.counts };
}

/** One schedule of three is of a terminal whose configuration changes, by hand or by its fleet. */
function joinFleet(world: World, seed: number): Fleet | undefined {
  if (seed % 3 !== 0) return undefined;
  const dice = new Dice(seed ^ 0x6a09e667);
  world.terms.changeOdds = dice.of([0, 30, 60]);
  const fleet = dice.odds(70) ? new Fleet(world, dice) : undefined;
  fleet?.begins();
  return fleet;
}

/** Hosts may approve half of a sale, also without `allowPartial`. */
function approveParts(world: World, dice: Dice): void {
  world.terms.approveInPart();
  const odds = dice.of([30, 60]);
  for (const host of world.hosts) host.coversHalf = () => !world.willing && dice.odds(odds);
}

/**
 * Adds authentication codes to the messages, and an attacker without the key to the lines. The keys may be working
 * keys, with faults of their own.
 */
function secureLines({ lines, log }: World, dice: Dice, { keys, keyOdds }: Features, ofKeys: Dice): void {
  const odds = dice.of([10, 30, 60]);
  const terms = new Map(cardAcquirers.map((id) => [id as string, drawnKeyTerms(ofKeys)]));
  for (const [at, line] of lines.entries()) {
    const own = terms.get(line.host.id);
    const site = `${line.host.id}, site ${at < cardAcquirers.length ? 1 : 2}`;
    const working =
      keys === 'working' && own ? { working: new WorkingKeys(site, ofKeys, log, keyOdds), terms: own } : undefined;
    line.security = new LineSecurity(dice, log, odds, working);
  }
}

/** Makes sites unavailable after they have carried out a request: for a moment, for minutes, or for a day. */
function loseSites({ lines, log }: World, dice: Dice, odds: number): void {
  for (const line of lines) {
    line.drawAwayMs = () => {
      // Only one site of a host is unavailable at a time, so that the other one is tested.
      if (!dice.odds(odds) || lines.some((each) => each.host.id === line.host.id && each.isAway)) return 0;
      const [name, least, most] = dice.one([
        [5, ['a moment', 1_000, 30_000]],
        [4, ['minutes', 30_000, 1_200_000]],
        [1, ['a day', 20 * hourMs, 23 * hourMs]],
      ] as const);
      log.counted(`site away for ${name} after a request`, line.host.label);
      return dice.between(least, most);
    };
  }
}

/** Gives the world a broker and a till behind it. */
function joinCloud(world: World, dice: Dice): void {
  const cloud = (world.cloud = new Cloud(world, dice));
  const { onGone, onLost } = world;
  world.onGone = () => {
    cloud.gone();
    onGone();
  };
  world.onLost = () => {
    cloud.till.forgets();
    return onLost();
  };
  cloud.begins();
}

/** Advances the time until `done`, at most by this much. */
async function during<T>(world: World, work: Promise<T>, mostMs: number): Promise<T | undefined> {
  const values: T[] = [];
  const waiting = (async () => values.push(await work))();
  const untilMs = world.time.elapsedMs + mostMs;
  while (values.length === 0 && world.time.elapsedMs < untilMs) await quiet(world, 1_000);
  // A process that has ended gives no answer.
  if (values.length > 0) await waiting;
  return values[0];
}

/** Makes the operator look at the menu and ask the bank. */
async function operated(world: World): Promise<void> {
  const { daemon, operator } = world;
  if (daemon?.listening) await during(world, operator.acts(daemon.menu), 60_000);
}

/** Advances the time. */
async function quiet(world: World, ms: number): Promise<void> {
  const untilMs = world.time.elapsedMs + ms;
  world.time.in(ms, () => undefined);
  while (world.time.elapsedMs < untilMs) await world.time.step();
}

/**
 * Checks that payments go to the other site while one is unavailable for long, if the sites share their books. Then
 * waits until all are available.
 */
async function withoutSite(world: World, shop: Shop): Promise<string[]> {
  const faults: string[] = [];
  if (!world.lines.some(({ isAway }) => isAway)) return faults;
  await healed(world, 2 * hourMs);
  await keysAgreed(world, shop, hourMs);
  for (const id of cardAcquirers) {
    const isAway = world.lines.some((line) => line.host.id === id && line.isAway);
    const isHeld = world.disk.store
      .pending()
      .some((each) => each.acquirerId === id && each.message === 'reversal' && !world.daemon?.isPassedOver(each.id));
    if (!isAway || isHeld || !world.hasSharedBooks) continue;
    world.log.counted('payment in peace while a site is away', id);
    faults.push(...((await during(world, shop.sellsAt(id), 600_000)) ?? ['I11: in peace a payment never ends']));
  }
  while (world.lines.some(({ isAway }) => isAway)) await quiet(world, 60_000);
  return faults;
}

/** Pays until the keys agree. At the end of the faults, a host may still have other keys than the terminal. */
async function keysAgreed(world: World, shop: Shop, mostMs = drainMs): Promise<boolean> {
  for (let round = 0; round < 4; round++) {
    const paid = [];
    for (const id of cardAcquirers) paid.push(await during(world, shop.triesAt(id), 600_000));
    if (!(await healed(world, mostMs))) return false;
    if (paid.every(Boolean)) break;
    world.log.counted('payment in peace finds other keys or a lost site');
  }
  return true;
}

async function healed(world: World, mostMs = drainMs): Promise<boolean> {
  const untilMs = world.time.elapsedMs + mostMs;
  while (world.time.elapsedMs < untilMs) {
    await quiet(world, 10_000);
    if (!world.isDrained) {
      if (world.time.elapsedMs % operatorMs < 10_000) await operated(world);
      continue;
    }
    // Late messages arrive now, and must change nothing.
    await quiet(world, lateMs);
    if (world.isDrained) return true;
  }
  return false;
}

/** Settles everything, tries every payment method, then enquires and compares everything. */
async function lastDay(world: World, shop: Shop): Promise<string[]> {
  const faults = await settled(world, shop, world.dailyAt !== undefined);
  const probed = await during(world, shop.probes(world.dice.between(2, 4)), 1_800_000);
  faults.push(...(probed ?? ['I11: in peace a payment never ends']));
  const paid = world.cloud && (await during(world, world.cloud.till.probes(), 3_600_000));
  if (world.cloud) faults.push(...(paid ?? ['I11: in peace a payment of the cloud never ends']));
  // The terminal may be busy with the daily settlement.
  for (let each = 0; each < 3; each++) {
    await operated(world);
    await quiet(world, 60_000);
  }
  faults.push(...(await settled(world, shop, false)));
  await ended(world);
  // Of an older copy, the host may reject all that is in a batch. Only a payment that it takes shows that it takes
  // uploads at all.
  for (const host of cardAcquirers) {
    if (world.disk.store.settlingBatches(acquirerId(host)).length === 0) continue;
    faults.push(...((await during(world, shop.sellsAt(host), 600_000)) ?? ['I11: in peace a payment never ends']));
  }
  // Batches of an older copy come up one after the other.
  for (let each = 0; each < 6 && (world.hasWaitingBatches || world.operator.mustSettle); each++) {
    await operated(world);
    await quiet(world, 60_000);
    faults.push(...(await settled(world, shop, false)));
  }
  await quiet(world, 60_000);
  await during(world, shop.enquiresAll(), 600_000);
  if (world.cloud) faults.push(...((await during(world, world.cloud.till.concludes(), 3_600_000)) ?? []));
  if (world.cloud) faults.push(...(await booksOf(world, world.cloud)));
  await ended(world);
  return [...faults, ...new Oracle(world, [...shop.settled, ...(world.cloud?.till.settled ?? [])]).faults()];
}

/** Waits for a settlement that runs, such as the daily one: its batch is closed and not answered yet. */
async function ended(world: World): Promise<void> {
  for (let minute = 0; minute < 10 && world.daemon?.terminal.isSettling; minute++) await quiet(world, 60_000);
}

/** What the chain's books lack after the longest silence of a terminal that asks for its sink. */
async function booksOf(world: World, cloud: Cloud): Promise<string[]> {
  // An image of the whole state directory gives numbers a second time, and nothing shows it: what is not prevented, in
  // SECURITY.md.
  if (world.log.counts.has('journal put back whole')) return [];
  const untilMs = world.time.elapsedMs + booksMs;
  for (;;) {
    const missing = (await during(world, cloud.missing(), 3_600_000)) ?? ['no answer'];
    if (missing.length === 0) return [];
    if (world.time.elapsedMs > untilMs) return missing.map((each) => `I12: ${each}`);
    await quiet(world, 60_000);
  }
}

/** Settles: by the daily settlement, or by a request of a POS. */
async function settled(world: World, shop: Shop, byItself: boolean): Promise<string[]> {
  let untilMs = world.time.elapsedMs + drainMs;
  if (byItself) {
    while (world.time.elapsedMs < untilMs && !world.isSettled) {
      await quiet(world, 300_000);
      if (world.isSettled) break;
      const { size } = world.operator.decided;
      await operated(world);
      // What the bank has said only now counts in the batch that is open now, which the next daily settlement closes.
      if (world.operator.decided.size > size) untilMs = world.time.elapsedMs + drainMs;
    }
    return world.isSettled ? [] : ['I9: nothing is settled by itself for 24 hours of peace'];
  }
  const heard = await during(world, shop.settlesLast(), 600_000);
  return heard ? [] : ['I9: the last settlement has no result'];
}
