import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Children } from './children.ts';
import { codec } from './codec.ts';
import { memory } from './memory.ts';
import { readerLoop } from './reader-loop.ts';
import { type Report, reportText, skipped } from './report.ts';
import { saleRatio } from './sale.ts';
import { BenchStage } from './bench-stage.ts';
import { coldStart } from './start.ts';

const usage = `node test/bench/main.ts [--turns N] [--only reader|sale|start|memory|codec] [--quick] [--json]

Ratios of the terminal to the same work done with the least means. Figures of a machine that does something else
meanwhile mean nothing: --quick is to try whether it runs.`;

interface Flags {
  readonly turns: number;
  readonly only: string | undefined;
  readonly quick: boolean;
  readonly json: boolean;
}

const parts: Readonly<Record<string, (stage: BenchStage, flags: Flags) => Promise<Report>>> = {
  reader: (stage, { turns, quick }) => readerLoop(stage, { turns, mostMs: quick ? 6_000 : 20_000 }),
  sale: (stage, { quick }) => saleRatio(stage, quick ? 30 : 300),
  start: (stage, { quick }) => coldStart(stage, quick ? 3 : 15),
  memory: (stage, { quick }) => memory(stage, quick ? 1 : 5),
  codec: (_stand, { quick }) => codec(quick ? 5_000 : 50_000),
};

function flags(): Flags | undefined {
  const { values } = parseArgs({
    options: {
      turns: { type: 'string' },
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { turns = values.quick ? '1000' : '10000', only, quick, json } = values;
  if (values.help || !/^[1-9]\d{0,6}$/.test(turns)) return undefined;
  return only === undefined || Object.hasOwn(parts, only) ? { turns: Number(turns), only, quick, json } : undefined;
}

/** Of the first signal, so that everything is put away. */
function interrupted(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort(new Error(signal)));
  return stop.signal;
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
    const measuring = parts[name]?.(new BenchStage(own, children), chosen) ?? Promise.reject(new Error('no such part'));
    measuring.catch(() => undefined);
    return await Promise.race([measuring, aborted]);
  } finally {
    await children.endAll();
  }
}

async function measure(chosen: Flags): Promise<void> {
  const stop = interrupted();
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-ratios-'));
  const reports: Report[] = [];
  try {
    for (const name of Object.keys(parts)) {
      if (chosen.only !== undefined && chosen.only !== name) continue;
      const report = await reported(name, chosen, dir, stop).catch((error: unknown) => {
        // At Ctrl-C a child may say first that it has ended.
        stop.throwIfAborted();
        process.exitCode = 1;
        return skipped(name, name, `it failed: ${error instanceof Error ? error.message : String(error)}`);
      });
      reports.push(report);
      if (!chosen.json) console.log(`\n${reportText(report)}`);
    }
    if (chosen.json) console.log(JSON.stringify(reports, null, 2));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const chosen = flags();
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
