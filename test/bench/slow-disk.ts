import fs from 'node:fs';
import type { BenchStage } from './bench-stage.ts';

/** c/slow-fsync.c in a daemon: how long an fsync takes, how many there were, and whether one hangs. */
export class SlowDisk {
  readonly env: Readonly<Record<string, string>>;
  readonly #file: string;

  constructor(stage: BenchStage, library: string) {
    this.#file = stage.fresh('dial');
    fs.writeFileSync(this.#file, new Uint8Array(12));
    this.env = { LD_PRELOAD: library, SLOW_FSYNC: this.#file };
  }

  /** In milliseconds, beside what it takes anyway. */
  set delayMs(ms: number) {
    const file = fs.openSync(this.#file, 'r+');
    fs.writeSync(file, Uint32Array.of(ms), 0, 4, 0);
    fs.closeSync(file);
  }

  get count(): number {
    return fs.readFileSync(this.#file).readUInt32LE(4);
  }

  /** How many are delayed now. */
  get delayed(): number {
    return fs.readFileSync(this.#file).readUInt32LE(8);
  }
}
