import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { selfSign } from '../../src/base/tls/certificate.ts';
import { median } from '../bench/percentiles.ts';
import { reportText } from '../bench/report.ts';
import { BrokerSiege } from './broker-siege.ts';
import { type BrokerConduct, conducts } from './broker-conduct.ts';
import { Counter } from './counter.ts';
import { medianRatio } from './paired-times.ts';

/**
 * A broker that means no good, while payments run in the shop's network: each conduct against a terminal that has just started, so
 * that it is connected. HOSTILE_ONLY: conducts whose name has this in it; HOSTILE_PAIRS: pairs of each; HOSTILE_BRIEF: one of each kind.
 */
const pairs = Number(process.env['HOSTILE_PAIRS'] ?? 1);
const only = process.env['HOSTILE_ONLY'] ?? '';
const isBrief = process.env['HOSTILE_BRIEF'] === '1';
const ratioMax = 2;
/** Of an answer that takes 3 ms a part of this length is the machine's. */
const machineMs = 10;
const growthBytesMax = 64 * 1024 * 1024;
const statusCalls = 15;
/** What one more payment may tell, where a machine that does something else spoilt the first. */
const triesMax = 3;

const rows: (string | number)[][] = [];
after(() => {
  const title = 'Attacked / quiet, in pairs: a payment from the tap to the answer, and the status';
  const columns = ['', 'payment', 'ms', 'status', 'ms', 'RSS MiB', 'MiB sent', 'left'];
  console.log(`\n${reportText({ part: 'hostile broker', title, columns, rows, checks: [], notes: [] })}\n`);
});

interface Measured {
  readonly paymentMs: number;
  readonly statusMs: number;
}

for (const [group, every] of Object.entries(conducts)) {
  const all = every.filter(({ what, inBrief = false }) => what.includes(only) && (inBrief || !isBrief));
  if (all.length === 0) continue;
  describe(`while a payment runs, a broker: ${group}`, () => {
    let counter: Counter | undefined;
    let siege: BrokerSiege | undefined;
    let dir: string;
    before(async () => {
      dir = await mkdtemp(path.join(tmpdir(), 'poid-hostile-broker-'));
      const isSecure = group === 'secure';
      const [own, foreign] = [selfSign(['localhost', '127.0.0.1']), selfSign(['localhost', '127.0.0.1'])];
      const files = { ca: own.cert, certificate: foreign.cert, key: foreign.key };
      const named = Object.keys(files).map((name) => [name, path.join(dir, `${name}.pem`)] as const);
      for (const [name, file] of named) await writeFile(file, files[name as keyof typeof files], { mode: 0o600 });
      siege = await BrokerSiege.open(isSecure ? { tls: { own, foreign } } : {});
      const url = `${isSecure ? 'mqtts' : 'mqtt'}://127.0.0.1:${siege.port}`;
      counter = await Counter.open('plain', {
        cloud: { url, terminal: 'T-1', ...(isSecure ? Object.fromEntries(named) : {}) },
      });
      for (let each = 0; each < 3; each++) await counter.pay();
    });
    after(async () => {
      siege?.close();
      await counter?.stage.close();
      await rm(dir, { recursive: true });
    });

    for (const conduct of all)
      test(conduct.what, async () => {
        const quiet: Measured[] = [];
        const attacked: Measured[] = [];
        const ratios = () => ({
          payment: medianRatio({ quiet: times(quiet, 'paymentMs'), attacked: times(attacked, 'paymentMs') }),
          overMs: median(times(attacked, 'statusMs')) - ratioMax * median(times(quiet, 'statusMs')),
        });
        let [growth, sent, left] = [0, 0, 0];
        for (let tries = 0; tries < triesMax * pairs; tries++) {
          const one = await attackOnce(counter ?? assert.fail(), siege ?? assert.fail(), conduct);
          quiet.push(one.quiet);
          attacked.push(one.attacked);
          growth = Math.max(growth, one.growth);
          sent += one.sent;
          left += one.left;
          if (tries + 1 >= pairs && ratios().payment <= ratioMax && ratios().overMs <= machineMs) break;
        }
        const { payment, overMs } = ratios();
        const ms = (of: keyof Measured) =>
          `${median(times(quiet, of)).toFixed(0)} → ${median(times(attacked, of)).toFixed(0)}`;
        const status = medianRatio({ quiet: times(quiet, 'statusMs'), attacked: times(attacked, 'statusMs') });
        const mebi = (value: number) => (value / 1_048_576).toFixed(0);
        rows.push([
          conduct.what,
          payment,
          ms('paymentMs'),
          status,
          ms('statusMs'),
          `+${mebi(growth)}`,
          mebi(sent),
          left,
        ]);
        assert.ok(payment <= ratioMax, `a payment took ${payment.toFixed(1)} times as long`);
        assert.ok(overMs <= machineMs, `the status took ${status.toFixed(1)} times as long`);
        assert.ok(growth < growthBytesMax, `the memory grew by ${mebi(growth)} MiB`);
      });
  });
}

async function attackOnce(counter: Counter, siege: BrokerSiege, conduct: BrokerConduct) {
  const { stage } = counter;
  await stage.stopDaemon('SIGKILL');
  await siege.fresh();
  const logged = stage.log.length;
  await counter.start();
  await siege.connected();
  // What a process does for the first time takes longer.
  for (let each = 0; each < 2; each++) await measure(counter);
  const quiet = await measure(counter);
  const before = counter.residentBytes();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, counter.residentBytes())), 20);
  try {
    await siege.begin(conduct.what);
    const attacked = await measure(counter);
    const { sentBytes: sent, left } = await siege.calm();
    if (conduct.isLeft) await counter.awaitLog(logged, conduct.isLeft);
    assert.ok(!stage.log.slice(logged).includes('"level":50'), stage.log.slice(-2_000));
    return { quiet, attacked, sent, left, growth: most - before };
  } finally {
    clearInterval(watch);
  }
}

async function measure(counter: Counter): Promise<Measured> {
  const paymentMs = await counter.pay();
  const statusMs: number[] = [];
  for (let each = 0; each < statusCalls; each++) {
    const from = performance.now();
    await counter.stage.status();
    statusMs.push(performance.now() - from);
  }
  return { paymentMs, statusMs: median(statusMs) };
}

function times(all: readonly Measured[], of: keyof Measured): number[] {
  return all.map((each) => each[of]);
}
