import { selfSign } from '../../src/base/tls/certificate.ts';
import type { BenchStage, RunningDaemon } from './bench-stage.ts';
import { ratioOf } from './blocks.ts';
import type { NativeReader } from './native-reader.ts';
import { median, percentile } from './percentiles.ts';
import { atMost, type Report, skipped } from './report.ts';
import { openBareCounter } from './shop-counter.ts';
import { awaitQuiet } from './thread-times.ts';
import { Till } from './till.ts';

const title = 'From the tap to the answer with TLS to the host, and without, ms';
const target = 1.1;
const warmup = 10;
/** The pause before each card, so that the terminal is idle. */
const heldMs = 200;

interface Side {
  readonly reader: NativeReader;
  readonly daemon: RunningDaemon;
  readonly till: Till;
  close(): Promise<void>;
}

/** Measures the same sale alternately at two terminals: with TLS to the host, and without. */
export async function secureLine(stage: BenchStage, taps: number): Promise<Report> {
  const native = await stage.native();
  if (typeof native === 'string') return skipped('line', title, native);
  const secure = await open(stage, native.reader, true);
  const plain = await open(stage, native.reader, false);
  const took = { secure: [] as number[], plain: [] as number[] };
  try {
    for (const { till } of [secure, plain]) for (let each = 0; each < warmup; each++) await till.sell();
    for (let each = 0; each < taps; each++) {
      const tapSecure = async () => took.secure.push(await tapAt(secure));
      const tapPlain = async () => took.plain.push(await tapAt(plain));
      // Alternate the order, so that other load of the machine affects both equally.
      for (const tap of each % 2 === 0 ? [tapSecure, tapPlain] : [tapPlain, tapSecure]) await tap();
    }
  } finally {
    await Promise.all([secure.close(), plain.close()]);
  }
  const { value, spread } = ratioOf(took.secure, took.plain);
  return {
    part: 'line',
    title,
    columns: ['', 'sales', 'p50', 'p99'],
    rows: [
      ['TLS 1.3', took.secure.length, median(took.secure), percentile(took.secure, 0.99)],
      ['without', took.plain.length, median(took.plain), percentile(took.plain, 0.99)],
    ],
    checks: [atMost('tap to answer with TLS: median / median without', value, target, { spread })],
    notes: ['reader in C, host that says yes; the connection is kept from one sale to the next, as it is at a shop'],
  };
}

async function open(stage: BenchStage, program: string, isSecure: boolean): Promise<Side> {
  const identity = isSecure ? selfSign(['127.0.0.1']) : undefined;
  const counter = await openBareCounter(stage, program, identity);
  const daemon = await stage.daemon({ configuration: counter.configuration, stateDir: stage.fresh('state') });
  const till = new Till(daemon.api, counter);
  return {
    reader: counter.reader,
    daemon,
    till,
    async close() {
      till.close();
      await daemon.stop();
      await counter.close();
    },
  };
}

async function tapAt({ reader, daemon, till }: Side): Promise<number> {
  await awaitQuiet(daemon.pid);
  const [tapNs, answeredNs] = await Promise.all([reader.hold(heldMs), till.pay().then(() => process.hrtime.bigint())]);
  return Number(answeredNs - tapNs) / 1e6;
}
