import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Children } from '../bench/children.ts';
import { median } from '../bench/percentiles.ts';
import { atMost, reportText } from '../bench/report.ts';
import { BenchStage } from '../bench/bench-stage.ts';
import { attacks, type Attack, type Front, hostileMessageIds } from './attack.ts';
import { Counter } from './counter.ts';
import { medianRatio, p95Ratio, paired } from './paired-times.ts';
import { ReaderLine } from './reader-line.ts';
import { Siege } from './siege.ts';

/**
 * A network that means no good, while payments run. Figures are printed, and asserted nowhere: those of a machine that does something
 * else meanwhile mean little. HOSTILE_PAIRS: pairs of each figure; HOSTILE_ONLY: attacks whose name has this in it.
 */
const pairs = Number(process.env['HOSTILE_PAIRS'] ?? 15);
const only = process.env['HOSTILE_ONLY'] ?? '';
const growthBytesMax = 192 * 1024 * 1024;
const ratioMax = 2;

const children = new Children();
const rows: (string | number)[][] = [];
const notes: string[] = [];
let dir: string;
let siege: Siege;
let stage: BenchStage;
before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-hostile-'));
  stage = new BenchStage(dir, children);
  siege = new Siege();
});
after(async () => {
  siege.close();
  await children.endAll();
  await rm(dir, { recursive: true });
  const title =
    'Attacked / quiet, in pairs: from the tap to the answer, and from the reader’s answer to the next 02-40';
  const columns = ['', 'answer p50', 'p95', 'ms', 'reader p50', 'p99', 'µs', 'connections', 'heard', ''];
  console.log(`\n${reportText({ part: 'hostile', title, columns, rows, checks: [], notes })}\n`);
});

for (const front of Object.keys(attacks) as Front[]) {
  describe(`while a payment runs: ${front}`, () => {
    let counter: Counter;
    let line: ReaderLine | undefined;
    before(async () => {
      counter = await Counter.open(front);
      const native = await stage.native();
      if (typeof native === 'string') notes.push(`the reader loop is not measured: ${native}`);
      else line = await ReaderLine.open(stage, native.reader, front);
      for (let each = 0; each < 5; each++) await counter.pay();
    });
    after(async () => {
      await line?.close();
      await counter.stage.close();
    });

    for (const attack of attacks[front].filter(({ what }) => what.includes(only))) {
      test(attack.what, async () => {
        const posted = (await counter.stage.posted()).length;
        const resident = counter.residentBytes();
        const answers = await paired(
          pairs,
          () => counter.pay(),
          async () => {
            await siege.begin(front, attack, counter.ports);
            const tookMs = await counter.pay();
            await siege.end('stop');
            return tookMs;
          },
        );
        await siege.begin(front, attack, counter.ports);
        await counter.pay();
        const { connected, statuses, left } = await siege.end('drain');
        assert.equal(left, 0, 'connections were left open');
        assertHeard(attack, statuses);
        assert.equal((await counter.stage.posted()).length, posted + 2 * pairs + 1, 'more was paid than by the card');
        await assertNothingOnRecord(front, counter);
        assert.ok(counter.residentBytes() - resident < growthBytesMax, 'it keeps what it was sent');
        await counter.stage.assertDisarmed();
        assert.ok(!counter.stage.log.includes('"level":50'), counter.stage.log.slice(-2_000));
        const turns = line && (await readerTurns(line, front, attack));
        const [p50, p95] = [medianRatio(answers), p95Ratio(answers)];
        const reader = turns ? [turns.p50, turns.p99, turns.us] : ['-', '-', '-'];
        const within = [p50, turns?.p50 ?? 0].every((ratio) => atMost(attack.what, ratio, ratioMax).verdict === 'PASS');
        rows.push([
          attack.what,
          p50,
          p95,
          `${median(answers.quiet).toFixed(0)} → ${median(answers.attacked).toFixed(0)}`,
          ...reader,
          connected,
          statuses.join(' ') || 'nothing',
          within ? 'PASS' : 'over target',
        ]);
      });
    }
  });
}

async function readerTurns(line: ReaderLine, front: Front, attack: Attack) {
  line.collect();
  await line.turns();
  const { quiet, attacked } = await paired(
    pairs,
    () => line.turns(),
    async () => {
      await siege.begin(front, attack, line.ports);
      const turns = await line.turns();
      await siege.end('stop');
      return turns;
    },
  );
  await line.cancel();
  const of = (share: 'p50' | 'p99') => {
    const times = { quiet: quiet.map((each) => each[share]), attacked: attacked.map((each) => each[share]) };
    return {
      ratio: medianRatio(times),
      us: `${median(times.quiet).toFixed(0)} → ${median(times.attacked).toFixed(0)}`,
    };
  };
  return { p50: of('p50').ratio, p99: of('p99').ratio, us: of('p50').us };
}

function assertHeard({ statuses, mayMissAnswer }: Attack, heard: readonly number[]): void {
  assert.deepEqual(
    heard.filter((status) => !statuses.includes(status)),
    [],
  );
  assert.ok(heard.length > 0 || statuses.length === 0 || mayMissAnswer, 'none was told why');
}

async function assertNothingOnRecord(front: Front, { stage }: Counter): Promise<void> {
  if (front !== 'plain') return;
  for (const messageId of hostileMessageIds) {
    assert.equal((await stage.enquiry({ posId: 'EVIL', messageId })).status, 404);
  }
}
