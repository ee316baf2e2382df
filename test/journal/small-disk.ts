import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A real disk of its own size at `dir`: a tmpfs. Mounting takes root, which the tests of a daemon have in CI. */
export class SmallDisk {
  readonly dir: string;

  constructor(dir: string, kibibytes: number) {
    this.dir = dir;
    mkdirSync(dir, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k,mode=0700`, 'tmpfs', dir]);
  }

  /** Takes all the room that is left. */
  fill(): void {
    const block = Buffer.alloc(4096);
    try {
      for (;;) writeFileSync(this.#filler, block, { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  free(): void {
    rmSync(this.#filler);
  }

  makeReadOnly(): void {
    execFileSync('mount', ['-o', 'remount,ro', this.dir]);
  }

  /** Also under a process that still has a file open there. */
  unmount(): void {
    execFileSync('umount', ['--lazy', this.dir]);
  }

  get #filler(): string {
    return path.join(this.dir, 'filler');
  }
}
