import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Outcome } from './campaign.ts';
import { Progress } from './progress.ts';
import { targets } from './targets.ts';

const shares: Readonly<Record<string, number>> = Object.fromEntries(targets.map(({ name, share }) => [name, share]));

const usage = `npm run test:fuzz -- [--inputs N] [--seed S] [--target name] | --each N [--connections M]

Hostile bytes for everything that reads them: the saved cases of fixtures/fuzz, then N inputs (50000) drawn from a seed, which is
printed. --each: N inputs for every target, and M connections (20000) for those whose inputs are connections. Targets: ${Object.keys(shares).join(' ')}`;

/** No input takes a thousandth of it: a guard against a hang, on whatever machine. */
const hangMs = 60_000;
const threads = 2;

interface Flags {
  readonly inputs: number;
  readonly seed: number;
  readonly names: readonly string[];
  /** Inputs of every target, and connections of those that connect. */
  readonly each?: { readonly inputs: number; readonly connections: number };
}

function flags(): Flags | undefined {
  const { values } = parseArgs({
    options: {
      inputs: { type: 'string', default: '50000' },
      seed: { type: 'string' },
      target: { type: 'string' },
      each: { type: 'string' },
      connections: { type: 'string', default: '20000' },
    },
  });
  const { inputs, seed = String(randomInt(2 ** 31 - 1)), target, each = inputs, connections } = values;
  if (![inputs, each, connections].every((count) => /^[1-9]\d{0,8}$/.test(count)) || !/^\d{1,10}$/.test(seed))
    return undefined;
  if (target !== undefined && !Object.hasOwn(shares, target)) return undefined;
  return {
    inputs: Number(inputs),
    seed: Number(seed),
    names: target === undefined ? Object.keys(shares) : [target],
    ...(values.each === undefined ? {} : { each: { inputs: Number(each), connections: Number(connections) } }),
  };
}

/** Runs a target in its thread until it is done, or stands at one input. */
async function run(name: string, inputs: number, seed: number): Promise<Outcome> {
  const progress = new Progress();
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    // That of the daemon's main thread: what nests too deep there nests too deep here.
    resourceLimits: { stackSizeMb: 1 },
    workerData: { name, inputs, seed, shared: progress.shared },
  });
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const failed = (what: string) =>
    resolve({
      name,
      inputs: progress.count,
      ms: 0,
      growth: undefined,
      finding: { what, hex: Buffer.from(progress.input).toString('hex'), seed },
    });
  let seen = -1;
  const watch = setInterval(() => {
    if (progress.count === seen) failed(`one input took more than ${hangMs} ms`);
    seen = progress.count;
  }, hangMs);
  worker.once('message', resolve);
  worker.once('error', (error) => failed(`the thread broke: ${String(error)}`));
  worker.once('exit', () => failed('the thread ended'));
  const outcome = await promise;
  clearInterval(watch);
  await worker.terminate();
  return outcome;
}

function line({ name, inputs, ms, growth }: Outcome): string {
  const heap = growth === undefined ? '' : `, heap ${growth > 0 ? '+' : ''}${Math.round(growth / 1024)} KiB`;
  return `${name}: ${inputs} inputs in ${(ms / 1000).toFixed(1)} s${heap}`;
}

const chosen = flags();
if (!chosen) {
  console.error(usage);
  process.exit(2);
}
const { inputs, seed, names, each } = chosen;
console.log(
  `seed ${seed}, ${each ? `${each.inputs} inputs of each, ${each.connections} connections` : `${inputs} inputs`}`,
);
const sum = names.reduce((total, name) => total + (shares[name] ?? 0), 0);
const connecting = new Set(targets.filter(({ connects }) => connects).map(({ name }) => name));
const ofEach = (name: string) => each && (connecting.has(name) ? each.connections : each.inputs);
const waiting = names.map((name) => ({
  name,
  inputs: ofEach(name) ?? Math.ceil((inputs * (shares[name] ?? 0)) / sum),
}));
let findings = 0;
await Promise.all(
  Array.from({ length: threads }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const outcome = await run(next.name, next.inputs, seed);
      console.log(line(outcome));
      if (!outcome.finding) continue;
      findings++;
      const { what, hex, seed: found } = outcome.finding;
      console.log(`  ${what}\n  the input: ${hex.length > 4_000 ? `${hex.slice(0, 4_000)}…` : hex}`);
      if (found !== undefined) console.log(`  again: --target ${next.name} --seed ${found} --inputs 2000`);
    }
  }),
);
process.exitCode = findings > 0 ? 1 : 0;
