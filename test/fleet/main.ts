import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Broker } from '../support/broker.ts';
import { FleetSink } from './fleet-sink.ts';
import { FleetTills } from './fleet-tills.ts';

/** npm run test:fleet: a fleet of simulated terminals on one mosquitto, which is killed meanwhile. Prints figures. */
const { values } = parseArgs({
  options: {
    terminals: { type: 'string', default: '200' },
    'per-second': { type: 'string', default: '50' },
    seconds: { type: 'string', default: '5' },
    processes: { type: 'string', default: '2' },
  },
});
const [terminals, perSecond, seconds, processes] = [
  values.terminals,
  values['per-second'],
  values.seconds,
  values.processes,
].map(Number) as [number, number, number, number];
/** Nothing takes longer, or the run has failed. */
const patienceMs = 600_000;

interface PartState {
  readonly up: number;
  readonly settled: number;
  readonly repeats: number;
  readonly bytesPerTerminal: number;
  readonly journals?: readonly (readonly [name: string, ids: readonly string[]])[];
}

const settings = [
  // After each change is for a few: the acknowledgements of a fleet are many. What is lost by it is asked for again.
  'autosave_on_changes false',
  'autosave_interval 5',
  'connection_messages false',
  'log_type none',
  'log_type information',
  'max_queued_messages 20000',
];

const figures: Record<string, number> = { terminals };
const note = (name: string, value: number) => {
  figures[name] = Math.round(value * 100) / 100;
  console.log(`${name}: ${figures[name]}`);
};

async function ask(part: ChildProcess, what: string): Promise<PartState> {
  part.send(what);
  const [state] = (await once(part, 'message')) as [PartState];
  return state;
}

const sum = (states: readonly PartState[], of: 'up' | 'settled' | 'repeats') =>
  states.reduce((all, each) => all + each[of], 0);

/** Milliseconds until all terminals are so. */
async function until(parts: readonly ChildProcess[], of: 'up' | 'settled'): Promise<number> {
  for (const beganMs = performance.now(); ; ) {
    const states = await Promise.all(parts.map((part) => ask(part, 'state')));
    const passedMs = performance.now() - beganMs;
    if (sum(states, of) === terminals) return passedMs;
    if (passedMs > patienceMs) throw new Error(`${sum(states, of)} of ${terminals} are ${of}`);
    await pause(100);
  }
}

/** Seconds of processor time that a process has used. */
async function processorS(pid: number | undefined): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function residentMiB(pid: number | undefined): Promise<number> {
  return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

async function run(broker: Broker, parts: ChildProcess[]): Promise<boolean> {
  note('secondsUntilAllConnected', (await until(parts, 'up')) / 1_000);
  const [sink, tills] = await Promise.all([FleetSink.open(broker.port), FleetTills.open(broker.port, terminals)]);
  tills.begin(perSecond);
  const usedS = await processorS(broker.pid);
  await pause(seconds * 1_000);
  note('brokerProcessorPercentSteady', (((await processorS(broker.pid)) - usedS) / seconds) * 100);
  note('brokerMiB', await residentMiB(broker.pid));
  const sorted = [...tills.latenciesMs].sort((one, other) => one - other);
  note('answerMsMedian', sorted[Math.floor(sorted.length / 2)] ?? Number.NaN);
  note('answerMs99', sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN);
  await Promise.all(parts.map((part) => ask(part, 'flap')));
  note('secondsAfterHalfFlapped', (await until(parts, 'up')) / 1_000);
  await broker.kill();
  await broker.restart();
  note('secondsAfterBrokerKilled', (await until(parts, 'up')) / 1_000);
  await pause(seconds * 1_000);
  tills.pause();
  const endMs = performance.now();
  while (tills.waiting > 0 && performance.now() - endMs < patienceMs) await pause(100);
  note('secondsUntilBooksAreWhole', (await until(parts, 'settled')) / 1_000);
  const states = await Promise.all(parts.map((part) => ask(part, 'journals')));
  note('kibPerTerminal', Math.max(...states.map((each) => each.bytesPerTerminal)) / 1_024);
  await Promise.all([sink.close(), tills.close()]);
  return judge(states, sink, tills);
}

/** Delivered, lost and doubled: of payments that a till was told of, and of the books. */
function judge(states: readonly PartState[], sink: FleetSink, tills: FleetTills): boolean {
  const journals = new Map(states.flatMap(({ journals = [] }) => journals));
  let [lost, doubled, disordered, delivered] = [0, 0, 0, 0];
  for (const [name, ids] of journals) {
    const kept = sink.kept.get(name) ?? [];
    delivered += kept.length;
    lost += ids.filter((id) => !kept.includes(id)).length;
    doubled += kept.length - new Set(kept).size;
    disordered += kept.join() === ids.join() ? 0 : 1;
  }
  const untold = [...tills.answered].filter(
    ([messageId, terminal]) => !journals.get(terminal)?.includes(messageId),
  ).length;
  note('payments', tills.answered.size);
  note('paymentsUnanswered', tills.waiting);
  note('paymentsToldAndNotBooked', untold);
  note('repeatsHeard', sum(states, 'repeats'));
  note('booksDelivered', delivered);
  note('booksLost', lost);
  note('booksDoubled', doubled);
  note('booksOutOfOrder', disordered);
  note('booksSentAgain', sink.counts.again);
  note('gapsHeard', sink.counts.gaps);
  note('statusesHeard', sink.counts.statuses);
  return tills.answered.size > 0 && delivered > 0 && lost + doubled + disordered + untold + tills.waiting === 0;
}

const dir = await mkdtemp(path.join(tmpdir(), 'poid-fleet-'));
const broker = await Broker.start(dir, { settings });
const program = fileURLToPath(new URL('terminals-process.ts', import.meta.url));
const parts = Array.from({ length: processes }, (_, at) => {
  const [first, end] = [at, at + 1].map((each) => Math.floor((terminals * each) / processes)) as [number, number];
  return fork(program, [broker.url, String(first), String(end - first)]);
});
try {
  const isWhole = await run(broker, parts);
  console.log(JSON.stringify(figures));
  process.exitCode = isWhole ? 0 : 1;
} finally {
  for (const part of parts) part.kill();
  await broker.stop();
  await rm(dir, { recursive: true });
}
