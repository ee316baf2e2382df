import type { ChildProcess } from 'node:child_process';
import { Caller, sale } from './caller.ts';
import { heard } from './children.ts';
import { EchoHost } from './echo-host.ts';
import { NativeReader, type Turns } from './native-reader.ts';
import { type Measured, part, readerReport, title } from './reader-report.ts';
import { type Report, skipped } from './report.ts';
import { SlowDisk } from './slow-disk.ts';
import { configured, type RunningDaemon, type BenchStage, type Native } from './bench-stage.ts';

const warmup = 500;
const slowFsyncMs = 50;
/** An advice has two commits: it is sent, it is answered. */
const adviceMs = 2 * slowFsyncMs;

export interface ReaderLoopOptions {
  readonly turns: number;
  /** For one condition. */
  readonly mostMs: number;
  /** How often each condition is measured, and C before and after them all. */
  readonly rounds: number;
  /** Only idle, and with all loads. */
  readonly isBrief: boolean;
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

/** Of the daemon's thread that serves the reader (drivers/card-reader/thread/priority.ts). */
const priority = -10;

/** What takes the processor from others. */
const loadsOfProcessor: readonly Load[] = ['http', 'watch', 'receipts'];

export async function readerLoop(stage: BenchStage, options: ReaderLoopOptions): Promise<Report> {
  const native = await stage.native();
  if (typeof native === 'string') return skipped(part, title, native);
  const { rounds, isBrief, ...limits } = options;
  const wanted = { warmup, ...limits };
  const chosen = conditions.filter(({ loads }) => !isBrief || loads.length === 0 || loads.length === 4);
  const measured: Measured[] = chosen.map(({ name }) => ({ name, turns: [] }));
  const beside: Measured = { name: 'C of its priority, beside a loaded terminal', turns: [] };
  const before = await measureC(stage, native, wanted, rounds);
  const loop = new Loop(stage, await NativeReader.open(native.reader, stage.children), native.slowFsync);
  try {
    await loop.prepare(Math.ceil(options.mostMs / adviceMs));
    for (let round = 0; round < rounds; round++) {
      for (const [index, { loads }] of chosen.entries()) {
        const { turns, done } = await loop.measured(loads, wanted);
        const condition = measured[index];
        condition?.turns.push(turns);
        if (condition) condition.done = done;
      }
      const { turns, done } = await loop.besideLoad(loadsOfProcessor, () => inC(stage, native, wanted, priority));
      beside.turns.push(turns);
      beside.done = done;
    }
  } finally {
    await loop.close();
  }
  const after = await measureC(stage, native, wanted, rounds);
  return readerReport(
    [
      { name: 'C, before', turns: before },
      { name: 'C, after', turns: after },
    ],
    [...measured, beside],
  );
}

/** A terminal in C takes a few microseconds: one run of it says little. */
async function measureC(stage: BenchStage, native: Native, wanted: Wanted, rounds: number): Promise<Turns[]> {
  const runs: Turns[] = [];
  for (let run = 0; run < 2 * rounds; run++) runs.push(await inC(stage, native, wanted));
  return runs;
}

/**
 * The same exchange with c/terminal.c in place of the daemon. nice(1) runs it all the same where the priority is not
 * allowed.
 */
async function inC({ children }: BenchStage, { reader, terminal }: Native, wanted: Wanted, niceValue = 0) {
  const opened = await NativeReader.open(reader, children);
  const other = children.start('nice', ['-n', String(niceValue), terminal, opened.path]);
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
    const configuration = configured(
      this.#reader.path,
      this.#host.port,
      printerPath === undefined ? {} : { printerPath },
    );
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

  measured(loads: readonly Load[], wanted: Wanted): Promise<{ turns: Turns; done: string }> {
    return this.besideLoad(loads, () => this.#reader.turns(wanted));
  }

  /** What `turning` measures while the daemon waits for a card and has these loads. */
  async besideLoad(loads: readonly Load[], turning: () => Promise<Turns>): Promise<{ turns: Turns; done: string }> {
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
      const turns = await Promise.race([turning(), ended]);
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
      const reported = heard<Record<string, number>>(loader, 'a load');
      loader.send('stop');
      done.push(...Object.entries(await reported).map(([what, count]) => `${count} ${what}`));
      await this.#stage.children.end(loader);
    }
    return done;
  }
}
