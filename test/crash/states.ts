import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Chance } from '../e2e/chance.ts';
import { carelessCommitter } from '../journal/careless.ts';
import { undone } from '../journal/interruption.ts';
import type { Replayed } from '../journal/replay.ts';
import { ReplayTotal } from '../journal/replay-total.ts';
import { replayedCommits } from '../journal/replayed-commits.ts';
import { bundled } from './program.ts';
import { replayedSales } from './replayed-sales.ts';

const committer = fileURLToPath(new URL('../journal/committer.ts', import.meta.url));
/** Commits of one log: enough for SQLite to checkpoint its own log a few times. */
const commitsPerLog = 600;
const requestsPerLog = 80;
const statesPerLog = 250;

/** Checks crash states of the journal's disk; with a careless journal until one has lost a commit. */
export async function journalStates(count: number, seed: number, careless: boolean): Promise<void> {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-power-'));
  const removed = undone(() => rmSync(dir, { recursive: true }));
  try {
    const chance = new Chance(seed);
    const program = careless ? carelessCommitter(path.join(dir, 'copy')) : committer;
    let commits = 0;
    const { total, fault } = await statesOfLogs(count, async (states, onState) => {
      const options = { committer: program, commits: commitsPerLog, count: states, chance };
      const { commits: some, result } = await replayedCommits(options, onState);
      commits += some;
      return result;
    });
    if (careless && fault === undefined)
      throw new Error(`${count} states lost nothing of a journal that does not sync`);
    if (careless) return console.log(`found out at state ${total.states}, ${fault}`);
    if (fault !== undefined) throw new Error(`state ${total.states}, ${fault}`);
    console.log(`${total.text}
None of ${commits} acknowledged commits of the journal is lost, none is there by half.`);
  } finally {
    removed();
  }
}

/** Checks crash states of the disk of a terminal that sells. */
export async function terminalStates(count: number, seed: number): Promise<void> {
  const program = await bundled();
  const removed = undone(() => rmSync(path.join(program.main, '../..'), { recursive: true }));
  try {
    let [answers, successes, messages] = [0, 0, 0];
    let part = seed;
    const { total, fault } = await statesOfLogs(count, async (states, onState) => {
      const options = { requests: requestsPerLog, count: states, seed: part++, program: program.main };
      const { sold, result } = await replayedSales(options, onState);
      answers += sold.heard.length;
      successes += sold.heard.filter(({ final }) => final.responseResult === 'SUCCESS').length;
      messages += sold.sent.length;
      return result;
    });
    if (fault !== undefined) throw new Error(`state ${total.states} of the terminal, ${fault}`);
    console.log(`${total.text}
Of ${answers} answers to the POS, ${successes} of them SUCCESS, each is on record so; of ${messages} messages that a host had, each has
its intent, and is confirmed, refused or taken back after the recovery.`);
  } finally {
    removed();
  }
}

/** Replays states of one log after the other, up to the first fault. */
async function statesOfLogs(
  count: number,
  log: (states: number, onState: () => void) => Promise<Replayed>,
): Promise<{ total: ReplayTotal; fault?: string }> {
  const total = new ReplayTotal();
  let shown = 0;
  while (total.states < count) {
    const result = await log(Math.min(statesPerLog, count - total.states), () => process.stderr.write(`\r${++shown} `));
    total.add(result);
    if (result.faults.length > 0) return { total, fault: result.faults.slice(0, 5).join('; ') };
  }
  return { total };
}
