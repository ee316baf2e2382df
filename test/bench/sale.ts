import type { BenchStage, RunningDaemon } from './bench-stage.ts';
import { ratioOf } from './blocks.ts';
import { Floor } from './floor.ts';
import type { NativeReader } from './native-reader.ts';
import { median, percentile } from './percentiles.ts';
import { atMost, type Check, type Report } from './report.ts';
import { openBareCounter, openSimulatedCounter, type ShopCounter } from './shop-counter.ts';
import { awaitQuiet } from './thread-times.ts';
import { Till } from './till.ts';

export interface SaleOptions {
  readonly sales: number;
  /** Of them so many with a card that comes a second after the reader was armed. */
  readonly taps: number;
  /** Also with the simulator's reader and host. */
  readonly simulated: boolean;
}

const saleTarget = 1.6;
const tapTarget = 1.5;
const warmup = 20;
/** One card comes a quarter of a second after the other, so that the two do not share the processor. */
const heldMs = 1_000;
const floorHeldMs = 1_250;

/** Milliseconds of the terminal, and of the floor that followed it or went before. */
interface Paired {
  readonly name: string;
  /** None where what stands around the terminal takes time of its own. */
  readonly target: number | undefined;
  readonly terminal: number[];
  readonly floor: number[];
}

/** One sale, and its part after the tap, against a program that only does what no such sale can do without. */
export async function saleRatio(stage: BenchStage, options: SaleOptions): Promise<Report> {
  const native = await stage.native();
  const pairs: Paired[] = [];
  if (typeof native !== 'string') {
    const counter = await openBareCounter(stage, native.reader);
    pairs.push(...(await measureAt(stage, counter, options, counter.reader)));
  }
  if (options.simulated || typeof native === 'string') {
    pairs.push(...(await measureAt(stage, await openSimulatedCounter(stage), options)));
  }
  return {
    part: 'sale',
    title: 'One sale, POST or tap to answer, ms',
    columns: ['', 'sales', 'p50', 'p99', 'floor p50', 'floor p99'],
    rows: pairs.map(({ name, terminal, floor }) => [
      name,
      terminal.length,
      median(terminal),
      percentile(terminal, 0.99),
      median(floor),
      percentile(floor, 0.99),
    ]),
    checks: pairs.flatMap(checksOf),
    notes: [
      'floor: the same HTTP exchange, three durable commits in a worker (SQLite, WAL, FULL), one round trip to a reader in C and one to that host',
      'from the tap on the floor has two of these commits and the host; the card comes a second after the reader was armed',
      'the next sale begins when the terminal has nothing to do any more; the part "selling" has them one after the other',
      'the simulator reads a card and checks its cryptogram, at the floor its host only answers an echo; no paper is printed',
      ...(typeof native === 'string' ? [`without the reader in C, the floor has no reader: ${native}`] : []),
    ],
  };
}

function checksOf({ name, target, terminal, floor }: Paired): Check[] {
  if (target === undefined) return [];
  const { value, spread } = ratioOf(terminal, floor);
  return [atMost(`${name}: median / median of the floor`, value, target, { spread })];
}

async function measureAt(
  stage: BenchStage,
  counter: ShopCounter,
  { sales, taps }: SaleOptions,
  reader?: NativeReader,
): Promise<Paired[]> {
  const daemon = await stage.daemon({ configuration: counter.configuration, stateDir: stage.fresh('state') });
  const till = new Till(daemon.api, counter);
  await till.sell();
  const floor = await Floor.open({ stage, counter, answerBytes: till.answerBytes });
  for (let each = 0; each < warmup; each++) await Promise.all([till.sell(), floor.sell()]);
  const target = reader && saleTarget;
  const pairs = [await measureSales({ name: `${counter.name}, POST to answer`, target, daemon, till, floor }, sales)];
  if (reader && floor.reader) pairs.push(await measureTaps(till, reader, floor, floor.reader, taps));
  till.close();
  await daemon.stop();
  await floor.close();
  await counter.close();
  return pairs;
}

interface Side {
  readonly name: string;
  readonly target: number | undefined;
  readonly daemon: RunningDaemon;
  readonly till: Till;
  readonly floor: Floor;
}

async function measureSales({ name, target, daemon, till, floor }: Side, sales: number): Promise<Paired> {
  const paired: Paired = { name, target, terminal: [], floor: [] };
  const measureTerminal = async () => {
    await awaitQuiet(daemon.pid);
    paired.terminal.push(await till.sell());
    await awaitQuiet(daemon.pid);
  };
  for (let each = 0; each < sales; each++) {
    // One behind the other, and in turns the first: what else the machine does is shared by both.
    if (each % 2 === 0) await measureTerminal();
    paired.floor.push(await floor.sell());
    if (each % 2 === 1) await measureTerminal();
  }
  return paired;
}

async function measureTaps(
  till: Till,
  reader: NativeReader,
  floor: Floor,
  floorReader: NativeReader,
  taps: number,
): Promise<Paired> {
  const paired: Paired = { name: 'card 1 s after arming, tap to answer', target: tapTarget, terminal: [], floor: [] };
  for (let each = 0; each < taps; each++) {
    const [own, other] = each % 2 === 0 ? [heldMs, floorHeldMs] : [floorHeldMs, heldMs];
    const [terminalMs, floorMs] = await Promise.all([
      measureTap(reader, own, () => till.pay()),
      measureTap(floorReader, other, () => floor.pay()),
    ]);
    paired.terminal.push(terminalMs);
    paired.floor.push(floorMs);
  }
  return paired;
}

async function measureTap(reader: NativeReader, ms: number, pay: () => Promise<void>): Promise<number> {
  const [tapNs, answeredNs] = await Promise.all([reader.hold(ms), pay().then(() => process.hrtime.bigint())]);
  return Number(answeredNs - tapNs) / 1e6;
}
