import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Chance } from '../e2e/chance.ts';
import { BlockLog } from './block-log.ts';
import { CrashStates } from './crash-states.ts';
import { undone } from './interruption.ts';
import { LoggedDisk } from './logged-disk.ts';

/** What came of crash states that were looked at. */
export interface Replayed {
  /** How many until the first that has a fault, or all. */
  readonly states: number;
  readonly faults: readonly string[];
  readonly ms: number;
  /** In the log. */
  readonly writes: number;
  readonly flushes: number;
  /** Over all states: writes that no flush had followed, and what became of them. */
  readonly unflushed: number;
  readonly dropped: number;
  readonly torn: number;
}

/**
 * A logged disk as long as `use` uses it; then `count` states that a power cut may have left of it, at places that `chance` chooses.
 * `dir`: where it is mounted; in a directory of its own where none is named.
 */
export async function replayed<Used>(
  { count, chance, dir }: { count: number; chance: Chance; dir?: string },
  use: (disk: LoggedDisk) => Promise<Used>,
  /** What is wrong with the state in `dir`, where the log was `position` bytes long at the cut. */
  look: (used: Used, dir: string, position: number) => readonly string[],
  onState: () => void = () => undefined,
): Promise<{ used: Used; result: Replayed }> {
  const files = mkdtempSync(path.join(tmpdir(), 'poid-replay-'));
  const removed = undone(() => rmSync(files, { recursive: true, force: true }));
  try {
    const disk = new LoggedDisk(dir ?? path.join(files, 'disk'), files);
    const taken = undone(() => disk.remove());
    let used: Used;
    try {
      await disk.on();
      used = await use(disk);
      await disk.off();
    } finally {
      taken();
    }
    const log = new BlockLog(disk.log);
    const states = new CrashStates(disk.base, log, files, chance);
    const gone = undone(() => states.remove());
    try {
      const places = Array.from({ length: count }, () => placeOf(log, chance)).toSorted((a, b) => a - b);
      const result = await looked(states, log, places, (at, position) => look(used, at, position), onState);
      return { used, result };
    } finally {
      gone();
      log.close();
    }
  } finally {
    removed();
  }
}

/** How many entries there are before the cut: any number, or as many as come before a flush, when most is at risk. */
function placeOf({ entries }: BlockLog, chance: Chance): number {
  const place = 1 + chance.below(entries.length);
  const flush = entries.findIndex(({ flushes }, index) => flushes && index >= place);
  return flush > 0 && chance.once(2) ? flush : place;
}

async function looked(
  states: CrashStates,
  log: BlockLog,
  places: readonly number[],
  look: (dir: string, position: number) => readonly string[],
  onState: () => void,
): Promise<Replayed> {
  const started = performance.now();
  const losses = { unflushed: 0, dropped: 0, torn: 0 };
  let done = 0;
  let faults: readonly string[] = [];
  for (const place of places) {
    const lost = states.build(place);
    losses.unflushed += lost.unflushed;
    losses.dropped += lost.dropped;
    losses.torn += lost.torn;
    done++;
    onState();
    const position = log.entries[place - 1]?.end ?? 0;
    // A disk that does not mount, or a journal that does not open, is a fault as well.
    const found = await states.mounted((dir) => look(dir, position)).catch((error: unknown) => [String(error)]);
    const where = `after ${place} of ${log.entries.length} entries, ${lost.dropped} dropped and ${lost.torn} torn`;
    faults = found.map((fault) => `${where}: ${fault}`);
    if (faults.length > 0) break;
  }
  const flushes = log.entries.filter((entry) => entry.flushes).length;
  const writes = log.entries.length - flushes;
  return { states: done, faults, ms: performance.now() - started, writes, flushes, ...losses };
}
