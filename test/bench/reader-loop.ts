import type { ChildProcess } from 'node:child_process';
import { Caller, sale } from './caller.ts';
import { heard } from './children.ts';
import { EchoHost } from './echo-host.ts';
import { NativeReader, type Turns } from './native-reader.ts';
import { atMost, type Report, skipped } from './report.ts';
import { SlowDisk } from './slow-disk.ts';
import { configured, type RunningDaemon, type BenchStage } from './bench-stage.ts';

const part = 'reader';
const title = 'Reader loop: from the answer of the reader to the first byte of the next 02-40, µs';

const warmup = 500;
const slowFsyncMs = 50;
/** An advice has two commits: it is sent, it is answered. */
const adviceMs = 2 * slowFsyncMs;

export interface ReaderLoopOptions {
  readonly turns: number;
  /** For one condition. */
  readonly mostMs: number;
}

type Load = 'http' | 'watch' | 'receipts' | 'commits';

const conditions: readonly { readonly name: string; readonly loads: readonly Load[] }[] = [
  { name: 'idle', loads: [] },
  { name: 'HTTP flood, 16 connections', loads: ['http'] },
  { name: 'screen watched by 4', loads: ['watch'] },
  { name: `commits, fsync ${slowFsyncMs} ms slower`, loads: ['commits'] },
  { name: 'receipts, paper and pictures', loads: ['receipts'] },
  // While commits are slow, whatever asks the journal waits, and the other loads are less.
  { name: 'loaded: all but commits', loads: ['http', 'watch', 'receipts'] },
  { name: 'loaded: all of these', loads: ['http', 'watch', 'commits', 'receipts'] },
];

export async function readerLoop(stage: BenchStage, options: ReaderLoopOptions): Promise<Report> {
  const native = await stage.native();
  if (typeof native === 'string') return skipped(part, title, native);
  const wanted = { warmup, ...options };
  const floor = await inC(stage, native, wanted);
  const loop = new Loop(stage, await NativeReader.open(native.reader, stage.children), native.slowFsync);
  const measured: { name: string; turns: Turns; done: string }[] = [];
  try {
    await loop.prepare(Math.ceil(options.mostMs / adviceMs));
    for (const { name, loads } of conditions) measured.push({ name, ...(await loop.measured(loads, wanted)) });
  } finally {
    await loop.close();
  }
  return report(floor, measured);
}

/** The same exchange with c/terminal.c in place of the daemon. */
async function inC(
  { children }: BenchStage,
  { reader, terminal }: { reader: string; terminal: string },
  wanted: Wanted,
) {
  const opened = await NativeReader.open(reader, children);
  const other = children.start(terminal, [opened.path]);
  try {
    return await opened.turns(wanted);
  } finally {
    await children.end(other);
  }
}

type Wanted = Parameters<NativeReader['turns']>[0];

/** One reader, and a daemon for each condition, so that none finds what another left behind. */
class Loop {
  readonly #stage: BenchStage;
  readonly #reader: NativeReader;
  readonly #host = new EchoHost();
  readonly #disk: SlowDisk;
  readonly #pos = new Caller();
  #configuration = '';
  /** State directories: with one approved sale, and with advices for the host beside it. */
  #sold = '';
  #queued = '';
  #soldId = '';

  constructor(stage: BenchStage, reader: NativeReader, slowFsync: string) {
    this.#stage = stage;
    this.#reader = reader;
    this.#disk = new SlowDisk(stage, slowFsync);
  }

  async prepare(advices: number): Promise<void> {
    await this.#host.listen();
    const { printerPath } = await this.#stage.simulator();
    const configuration = configured(this.#reader.path, this.#host.port, printerPath);
    this.#configuration = await this.#stage.written('poid', configuration);
    this.#sold = this.#stage.fresh('sold');
    await this.#with(this.#sold, async ({ api }) => {
      const [answer] = await Promise.all([this.#pos.does(`${api}/payment`, sale('sold')), this.#reader.cards(1)]);
      this.#soldId = (answer as { terminalTransactionId: string }).terminalTransactionId;
    });
    this.#queued = await this.#stage.copied(this.#sold);
    await this.#host.close();
    await this.#with(this.#queued, async ({ api }) => {
      const all = this.#reader.cards(advices);
      // A payment that fails is what went wrong, not the reader that is ended for it.
      all.catch(() => undefined);
      for (let each = 0; each < advices; each++) {
        await this.#pos.does(`${api}/payment`, sale(`queued-${each}`, { transactionType: 'OFFLINE_SALE' }));
      }
      await all;
    });
    await this.#host.listen();
  }

  async measured(loads: readonly Load[], wanted: Wanted): Promise<{ turns: Turns; done: string }> {
    const commits = loads.includes('commits');
    const stateDir = await this.#stage.copied(commits ? this.#queued : this.#sold);
    // A daemon empties the queue for its host as soon as it has started.
    this.#disk.delayMs = commits ? slowFsyncMs : 0;
    return this.#with(stateDir, async (daemon) => {
      const collecting = this.#pos.call('POST', `${daemon.api}/payment`, sale('collecting'));
      const ended = collecting.then(({ body }) => Promise.reject(new Error(`it ended: ${JSON.stringify(body)}`)));
      ended.catch(() => undefined);
      const loaders = await this.#loading(loads, daemon);
      const before = this.#disk.count;
      const turns = await Promise.race([this.#reader.turns(wanted), ended]);
      const commitsDone = this.#disk.count - before;
      const done = await this.#unloaded(loaders);
      if (commits) done.push(`${commitsDone} fsync`);
      this.#disk.delayMs = 0;
      const cancelling = new Caller();
      await cancelling.does(`${daemon.api}/cancel`, { posId: 'POS-1', messageId: 'collecting' });
      cancelling.close();
      return { turns, done: done.join(', ') };
    });
  }

  async close(): Promise<void> {
    this.#pos.close();
    await this.#host.close();
  }

  async #with<Result>(stateDir: string, work: (daemon: RunningDaemon) => Promise<Result>): Promise<Result> {
    const { env } = this.#disk;
    const daemon = await this.#stage.daemon({ configuration: this.#configuration, stateDir, env });
    try {
      return await work(daemon);
    } finally {
      this.#disk.delayMs = 0;
      await daemon.stop();
    }
  }

  #loading(loads: readonly Load[], { api, screen }: RunningDaemon): Promise<ChildProcess[]> {
    const kinds = loads.filter((load) => load !== 'commits');
    return Promise.all(
      kinds.map(async (kind) => {
        const loader = this.#stage.children.startNode('test/bench/loader.ts', [kind, api, screen, this.#soldId]);
        await heard(loader, `the load '${kind}'`);
        return loader;
      }),
    );
  }

  /** What they have done, in words. */
  async #unloaded(loaders: readonly ChildProcess[]): Promise<string[]> {
    const done: string[] = [];
    for (const loader of loaders) {
      const told = heard<Record<string, number>>(loader, 'a load');
      loader.send('stop');
      done.push(...Object.entries(await told).map(([what, count]) => `${count} ${what}`));
      await this.#stage.children.end(loader);
    }
    return done;
  }
}

function report(floor: Turns, measured: readonly { name: string; turns: Turns; done: string }[]): Report {
  const row = (name: string, { turns, p50, p99, p999, max, overWire, tookMs }: Turns, done = '') => [
    name,
    turns,
    p50,
    p99,
    p999,
    max,
    overWire,
    Math.round(tookMs),
    done,
  ];
  const idle = measured[0]?.turns ?? floor;
  const loaded = Math.max(...measured.filter(({ name }) => name.startsWith('loaded')).map(({ turns }) => turns.p999));
  const slowest = Math.max(...measured.map(({ turns }) => turns.p999));
  return {
    part,
    title,
    columns: ['', 'turns', 'p50', 'p99', 'p99.9', 'max', 'over wire', 'took ms', 'meanwhile'],
    rows: [row('C, idle', floor), ...measured.map(({ name, turns, done }) => row(name, turns, done))],
    checks: [
      atMost('idle p50 / C p50', idle.p50 / floor.p50, 5),
      atMost('idle p99.9 / C p99.9', idle.p999 / floor.p999, 10),
      atMost('loaded p99.9 / idle p99.9', loaded / idle.p999, 2),
      atMost('slowest p99.9 / wire time of the frame', slowest / idle.wire, 1),
    ],
    notes: [
      `wire time: a 02-40 at 115200 baud takes ${idle.wire.toFixed(0)} µs; a turn begins before the write of the answer`,
    ],
  };
}
