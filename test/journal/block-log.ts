import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** One thing that a disk was told, in the order in which it came to its end. */
export interface BlockEntry {
  /** What was written before is on the disk from here on. It writes nothing itself. */
  readonly flushes: boolean;
  /** First byte on the disk, and how many were written. */
  readonly offset: number;
  readonly length: number;
  /** Where its bytes begin in the log; nothing where they are zeros. */
  readonly dataAt?: number;
  /** Where the log was once it was there, bytes. */
  readonly end: number;
}

const magic = 0x6a_736677_736872n;
const version = 1n;
const flags = { flush: 1n, discard: 4n };

/**
 * The log of a block device's writes and flushes, little-endian throughout: a sector with magic, version, number of entries (8 bytes
 * each) and sector size (4); then per entry a sector with first sector, number of sectors, flags and length of private data (8 each),
 * and the sectors written, which a discard has none of. Source: Linux, drivers/md/dm-log-writes.c, log_write_super and log_write_entry.
 * QEMU's driver blklogwrites (block/blklogwrites.c) writes it and answers a request only once it is logged; of the flags it knows
 * flush, without sectors, and discard. Its number of entries is that of the last flush, so the file is read to its end.
 */
export class BlockLog {
  readonly entries: readonly BlockEntry[];
  readonly sectorBytes: number;
  readonly #file: number;

  /** Throws where it is no such log, or has an entry that QEMU does not write. */
  constructor(file: string) {
    this.#file = openSync(file, 'r');
    const start = this.#read(0, 28);
    if (start.readBigUInt64LE(0) !== magic) throw new Error('no log of a block device');
    if (start.readBigUInt64LE(8) !== version) throw new Error(`a log of version ${start.readBigUInt64LE(8)}`);
    this.sectorBytes = start.readUInt32LE(24);
    this.entries = [...this.#entries(fstatSync(this.#file).size)];
    const least = Number(start.readBigUInt64LE(16));
    if (this.entries.length < least) throw new Error(`${this.entries.length} entries of ${least}`);
  }

  /** The bytes that it wrote. */
  data({ dataAt, length }: BlockEntry): Buffer {
    return dataAt === undefined ? Buffer.alloc(length) : this.#read(dataAt, length);
  }

  close(): void {
    closeSync(this.#file);
  }

  *#entries(bytes: number): Generator<BlockEntry> {
    for (let at = this.sectorBytes; at + this.sectorBytes <= bytes; ) {
      const head = this.#read(at, 32);
      const [sector, sectors, kind] = [0, 8, 16].map((field) => head.readBigUInt64LE(field));
      if (kind !== 0n && kind !== flags.flush && kind !== flags.discard) throw new Error(`an entry with flags ${kind}`);
      const length = Number(sectors) * this.sectorBytes;
      if (kind === flags.flush && length > 0) throw new Error('a flush that writes');
      const dataAt = at + this.sectorBytes;
      // Linux's loop device discards by a hole in the file, which reads as zeros.
      const data = kind === flags.discard ? {} : { dataAt };
      at = dataAt + (kind === flags.discard ? 0 : length);
      // The last may be under way.
      if (at > bytes) return;
      yield { flushes: kind === flags.flush, offset: Number(sector) * this.sectorBytes, length, ...data, end: at };
    }
  }

  #read(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    const read = readSync(this.#file, bytes, 0, length, at);
    if (read < length) throw new Error(`the log ends at ${at + read}`);
    return bytes;
  }
}
