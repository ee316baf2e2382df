import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { Children } from './children.ts';
import { cloud } from './cloud.ts';
import { codec } from './codec.ts';
import { counts } from './counts.ts';
import { benchDocument, documentOf, measureLoad } from './document.ts';
import { memory } from './memory.ts';
import { paint } from './paint.ts';
import { readerLoop } from './reader-loop.ts';
import { records } from './records.ts';
import { type Report, reportText, skipped } from './report.ts';
import { saleRatio } from './sale.ts';
import { secureLine } from './secure-line.ts';
import { selling } from './selling.ts';
import { BenchStage } from './bench-stage.ts';
import { coldStart } from './start.ts';

const usage = `node test/bench/main.ts [--turns N] [--only counts|reader|sale|line|selling|cloud|start|memory|codec|paint] [--quick] [--json] [--schema]
       [--records 0,100000,1000000]

What is counted, and ratios of the terminal to the same work done with the least means. Times of a machine that does
something else meanwhile mean nothing. --quick, for any machine: fails where a count is above its limit, and only tries
whether the rest runs. --json: a verdict for each goal, in the form that --schema prints. --records:
journals with so many sales, which takes minutes to fill; with none of them there is nothing to compare with. The part
paint needs Chromium, and is measured only where it is asked for.`;

interface Flags {
  readonly turns: number;
  readonly only: string | undefined;
  readonly quick: boolean;
  readonly json: boolean;
  readonly schema: boolean;
  /** How many sales the journals of the part 'records' have. */
  readonly records: readonly number[];
}

const parts: Readonly<Record<string, (stage: BenchStage, flags: Flags) => Promise<Report>>> = {
  counts: (stage) => counts(stage),
  reader: (stage, { turns, quick }) =>
    readerLoop(stage, { turns, mostMs: quick ? 1_000 : 20_000, rounds: quick ? 1 : 3, isBrief: quick }),
  sale: (stage, { quick }) =>
    saleRatio(stage, quick ? { sales: 5, taps: 2, simulated: false } : { sales: 300, taps: 60, simulated: true }),
  line: (stage, { quick }) => secureLine(stage, quick ? 3 : 200),
  selling: (stage, { quick }) => selling(stage, quick ? 50 : 1_000),
  cloud: (stage, { quick }) =>
    cloud(stage, quick ? { rounds: 1, pairs: 10, queued: 200 } : { rounds: 4, pairs: 100, queued: 100_000 }),
  start: (stage, { quick }) => coldStart(stage, quick ? 1 : 15),
  memory: (stage, { quick }) => memory(stage, quick ? 1 : 5),
  records: (stage, { records: sizes }) => records(stage, { sizes, open: 5_000, samples: 30 }),
  codec: (_stand, { quick }) => codec(quick ? 5_000 : 50_000),
  paint: (stage, { quick }) => paint(stage, quick ? 1 : 30),
};

function flags(): Flags | undefined {
  const { values } = parseArgs({
    options: {
      turns: { type: 'string' },
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      schema: { type: 'boolean', default: false },
      records: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  const { turns = values.quick ? '300' : '10000', only, quick, json, schema } = values;
  if (values.help || !/^[1-9]\d{0,6}$/.test(turns)) return undefined;
  if (only !== undefined && !Object.hasOwn(parts, only)) return undefined;
  const records = values.records.split(',').filter((each) => each !== '');
  if (!records.every((each) => /^\d{1,7}$/.test(each))) return undefined;
  return { turns: Number(turns), only, quick, json, schema, records: records.map(Number) };
}

/** Of the first signal, so that everything is put away. */
function interrupted(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort(new Error(signal)));
  return stop.signal;
}

let installed: Promise<string> | undefined;

/** The bundle is the same for all parts. */
function builtOnce(dir: string): Promise<string> {
  installed ??= new BenchStage(dir, new Children()).installed();
  installed.catch(() => undefined);
  return installed;
}

/** What a part comes to. One that fails leaves no process for the next to share the machine with. */
async function reported(name: string, chosen: Flags, dir: string, stop: AbortSignal): Promise<Report> {
  const children = new Children();
  const aborted = new Promise<never>((_resolve, reject) => {
    stop.addEventListener('abort', () => reject(stop.reason as Error), { once: true });
  });
  aborted.catch(() => undefined);
  try {
    stop.throwIfAborted();
    const own = path.join(dir, name);
    await mkdir(own);
    const stage = new BenchStage(own, children, builtOnce(dir));
    const measuring = parts[name]?.(stage, chosen) ?? Promise.reject(new Error('no such part'));
    measuring.catch(() => undefined);
    return await Promise.race([measuring, aborted]);
  } finally {
    await children.endAll();
  }
}

/**
 * The part 'records' takes minutes, and 'paint' needs a browser: they have to be asked for. The part 'cloud' needs a
 * broker, and is not in the quick one.
 */
function isChosen(name: string, { only, quick, records: sizes }: Flags): boolean {
  if (name === 'records' && sizes.length === 0) return false;
  return only === undefined ? name !== 'paint' && !(quick && name === 'cloud') : only === name;
}

async function measure(chosen: Flags): Promise<void> {
  const stop = interrupted();
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-ratios-'));
  const reports: Report[] = [];
  const loadBefore = measureLoad();
  try {
    for (const name of Object.keys(parts)) {
      if (!isChosen(name, chosen)) continue;
      const report = await reported(name, chosen, dir, stop).catch((error: unknown) => {
        // At Ctrl-C a child may say first that it has ended.
        stop.throwIfAborted();
        process.exitCode = 1;
        return skipped(name, name, `it failed: ${error instanceof Error ? error.message : String(error)}`);
      });
      reports.push(report);
      if (!chosen.json) console.log(`\n${reportText(report)}`);
    }
    if (chosen.json) console.log(JSON.stringify(documentOf(reports, loadBefore), null, 2));
    if (chosen.quick && hasMissedCount(reports)) process.exitCode = 1;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Times depend on the machine and on what else it does: they never fail a run. */
function hasMissedCount(reports: readonly Report[]): boolean {
  const counted = reports.filter(({ part }) => part === 'counts');
  return counted.some(({ checks }) => checks.some(({ verdict }) => verdict === 'missed'));
}

const chosen = flags();
if (chosen?.schema) {
  console.log(JSON.stringify(z.toJSONSchema(benchDocument), null, 2));
  process.exit();
}
if (chosen) {
  await measure(chosen).catch((error: unknown) => {
    console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  });
  // What a part was at when it was interrupted must not keep the process.
  process.exit();
}
console.error(usage);
process.exitCode = 2;
