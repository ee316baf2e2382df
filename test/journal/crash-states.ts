import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Chance } from '../e2e/chance.ts';
import type { BlockEntry, BlockLog } from './block-log.ts';
import { unmount, unmountAnyway } from './mount.ts';

/** What became of the writes that no flush had followed. */
interface Losses {
  readonly unflushed: number;
  readonly dropped: number;
  /** Of several sectors, of which some are there. */
  readonly torn: number;
}

const chunkBytes = 65_536;
/** One lost write in so many is torn. */
const tornIn = 3;
/**
 * Between the two sectors of ext4's superblock: it is written in its place and has one checksum, so ext4 relies on the disk for all of it.
 * One that is torn here is neither mounted nor mended by e2fsck -p (Linux 6.18, e2fsck 1.47.0).
 */
const inSuperblock = 1_536;

/**
 * What a power cut can leave of a disk: its content at the beginning, the writes up to the last flush, and of those after it
 * what a die says. A disk may keep or lose them in any order, and tears what is longer than a sector.
 */
export class CrashStates {
  readonly dir: string;
  readonly #image: string;
  readonly #log: BlockLog;
  readonly #chance: Chance;
  readonly #disk: Buffer;
  /** Parts of the disk that are not all zeros. */
  readonly #used = new Set<number>();
  /** So many entries are on the disk for good. */
  #settled = 0;

  /** `base`: the disk as it was when the log began. `scratch`: a directory for the state that is looked at. */
  constructor(base: string, log: BlockLog, scratch: string, chance: Chance) {
    this.dir = path.join(scratch, 'crashed');
    mkdirSync(this.dir, { recursive: true });
    this.#image = path.join(scratch, 'crashed.img');
    this.#log = log;
    this.#chance = chance;
    this.#disk = readFileSync(base);
    const zeros = Buffer.alloc(chunkBytes);
    for (let at = 0; at < this.#disk.length; at += chunkBytes) {
      if (!this.#disk.subarray(at, at + chunkBytes).equals(zeros)) this.#used.add(at);
    }
  }

  /** Builds one that a cut after the first `count` entries leaves. From call to call `count` only grows. */
  build(count: number): Losses {
    const { entries } = this.#log;
    const flushed = entries.slice(0, count).findLastIndex(({ flushes }) => flushes) + 1;
    for (; this.#settled < flushed; this.#settled++) this.#settle(entries[this.#settled]);
    const image = openSync(this.#image, 'w');
    try {
      ftruncateSync(image, this.#disk.length);
      for (const at of this.#used) writeSync(image, this.#disk, at, chunkBytes, at);
      return this.#lose(image, entries.slice(this.#settled, count));
    } finally {
      closeSync(image);
    }
  }

  /** Gives it its power back as long as `look` looks. Nobody cuts it here: without barriers, which would sync the whole image. */
  async mounted<T>(look: (dir: string) => T): Promise<T> {
    execFileSync('mount', ['-t', 'ext4', '-o', 'loop,nobarrier', this.#image, this.dir], { stdio: 'pipe' });
    try {
      return look(this.dir);
    } finally {
      await unmount(this.dir);
    }
  }

  remove(): void {
    unmountAnyway(this.dir);
  }

  #settle(entry: BlockEntry | undefined): void {
    if (!entry || entry.length === 0) return;
    this.#log.data(entry).copy(this.#disk, entry.offset);
    const first = entry.offset - (entry.offset % chunkBytes);
    for (let at = first; at < entry.offset + entry.length; at += chunkBytes) this.#used.add(at);
  }

  #lose(image: number, unflushed: readonly BlockEntry[]): Losses {
    // From state to state: mostly all is there, or hardly anything.
    const rate = this.#chance.next();
    let dropped = 0;
    let torn = 0;
    for (const entry of unflushed) {
      const data = this.#log.data(entry);
      const border = this.#border(entry);
      if (this.#chance.next() >= rate) writeSync(image, data, 0, data.length, entry.offset);
      else if (border > 0) {
        const [from, to] = this.#chance.once(2) ? [0, border] : [border, data.length];
        writeSync(image, data, from, to - from, entry.offset + from);
        torn++;
      } else dropped++;
    }
    return { unflushed: unflushed.length, dropped, torn };
  }

  /** Where it is torn if it is lost; 0 where all of it is. */
  #border({ offset, length }: BlockEntry): number {
    const { sectorBytes } = this.#log;
    const sectors = length / sectorBytes;
    if (sectors < 2 || !this.#chance.once(tornIn)) return 0;
    const border = sectorBytes * (1 + this.#chance.below(sectors - 1));
    return offset + border === inSuperblock ? 0 : border;
  }
}
