import { readFile } from 'node:fs/promises';
import { Caller, sale } from './caller.ts';
import { heard } from './children.ts';
import { EchoHost, echoRequest } from './echo-host.ts';
import { NativeReader } from './native-reader.ts';
import { median, percentile } from './percentiles.ts';
import { atMost, type Report } from './report.ts';
import { SlowDisk } from './slow-disk.ts';
import { configured, type BenchStage } from './bench-stage.ts';

const warmup = 20;
/** Accepted, intent, answer: where fsync can't be counted. */
const commitsKnown = 3;

/** Where the terminal stands: its card and its host. */
interface Counter {
  readonly name: string;
  readonly configuration: string;
  readonly hostPort: number;
  /** What the floor asks the host. */
  request(): Buffer;
  /** A card is held there, for the next that asks for one. */
  present(): Promise<unknown>;
  close(): Promise<void>;
}

/** Milliseconds of each sale, the terminal's and the floor's that followed it or went before. */
interface Paired {
  readonly name: string;
  readonly commits: number;
  readonly terminal: number[];
  readonly floor: number[];
}

/** One sale, from the POST to its answer, against a program that only does what no such sale can do without. */
export async function saleRatio(stage: BenchStage, sales: number): Promise<Report> {
  const native = await stage.native();
  const pairs: Paired[] = [];
  if (typeof native !== 'string') pairs.push(await measured(stage, await bareCounter(stage, native.reader), sales));
  pairs.push(await measured(stage, await simulatedCounter(stage), sales));
  return {
    part: 'sale',
    title: 'One sale, POST to answer, ms',
    columns: ['', 'sales', 'commits', 'p50', 'p99', 'floor p50', 'floor p99'],
    rows: pairs.map(({ name, commits, terminal, floor }) => [
      name,
      terminal.length,
      commits,
      median(terminal),
      percentile(terminal, 0.99),
      median(floor),
      percentile(floor, 0.99),
    ]),
    checks: pairs.map(({ name, terminal, floor }) =>
      atMost(`${name}: median / median of the floor`, median(terminal) / median(floor), 1.5),
    ),
    notes: [
      'floor: the same HTTP exchange, as many durable commits in a worker (SQLite, WAL, FULL), one round trip to that host',
      'the simulator reads a card and checks its cryptogram, at the floor its host only answers an echo; no paper is printed',
      ...(typeof native === 'string' ? [`without the reader in C: ${native}`] : []),
    ],
  };
}

/** A reader in C and a host without books: what is left is the terminal's own time. */
async function bareCounter(stage: BenchStage, program: string): Promise<Counter> {
  const reader = await NativeReader.open(program, stage.children);
  const host = new EchoHost();
  await host.listen();
  return {
    name: 'reader in C, host that says yes',
    configuration: await stage.written('poid', configured(reader.path, host.port)),
    hostPort: host.port,
    request: () => host.lastRequest,
    present: () => reader.cards(1),
    close: () => host.close(),
  };
}

async function simulatedCounter(stage: BenchStage): Promise<Counter> {
  const { url, configuration, hostPort } = await stage.simulator();
  const { printer: _none, ...bare } = JSON.parse(await readFile(configuration, 'utf8')) as { printer: unknown };
  const customer = new Caller();
  return {
    name: 'simulator',
    configuration: await stage.written('poid', bare),
    hostPort,
    request: echoRequest,
    present: () => customer.does(`${url}/reader/tap`, { card: 'visa', holdMs: 10_000 }),
    close: async () => customer.close(),
  };
}

async function measured(stage: BenchStage, counter: Counter, sales: number): Promise<Paired> {
  const native = await stage.native();
  const disk = typeof native === 'string' ? undefined : new SlowDisk(stage, native.slowFsync);
  const { configuration } = counter;
  const daemon = await stage.daemon({ configuration, stateDir: stage.fresh('state'), env: disk?.env ?? {} });
  const pos = new Caller();
  let sold = 0;
  let answerBytes = 0;
  const sell = async (): Promise<number> => {
    const card = counter.present();
    const from = performance.now();
    const answer = await pos.does(`${daemon.api}/payment`, sale(`${++sold}`));
    const tookMs = performance.now() - from;
    await card;
    answerBytes = JSON.stringify(answer).length;
    if ((answer as { responseResult?: string }).responseResult !== 'SUCCESS') {
      throw new Error(`a sale was answered ${JSON.stringify(answer)}`);
    }
    return tookMs;
  };
  await sell();
  const before = disk?.count ?? 0;
  for (let each = 1; each < warmup; each++) await sell();
  // A checkpoint of the WAL now and then is no commit.
  const commits = disk ? Math.round((disk.count - before) / (warmup - 1)) : commitsKnown;
  const floorProgram = stage.children.startNode('test/bench/sale-floor.ts', [
    stage.fresh('floor'),
    String(commits),
    String(counter.hostPort),
    counter.request().toString('hex'),
    String(answerBytes),
  ]);
  const { port } = await heard<{ port: number }>(floorProgram, 'the floor');
  const other = new Caller();
  const ask = async (): Promise<number> => {
    const from = performance.now();
    await other.does(`http://127.0.0.1:${port}/`, sale(`${sold}`));
    return performance.now() - from;
  };
  for (let each = 0; each < warmup; each++) await ask();
  const paired: Paired = { name: counter.name, commits, terminal: [], floor: [] };
  for (let each = 0; each < sales; each++) {
    // One behind the other, and in turns the first: what else the machine does is shared by both.
    if (each % 2 === 0) paired.terminal.push(await sell());
    paired.floor.push(await ask());
    if (each % 2 === 1) paired.terminal.push(await sell());
  }
  pos.close();
  other.close();
  await daemon.stop();
  await stage.children.end(floorProgram);
  await counter.close();
  return paired;
}
