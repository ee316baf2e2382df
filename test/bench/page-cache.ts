import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Takes the files of a directory out of the kernel's page cache, and no others: posix_fadvise(2), which needs no
 * privilege. What is not on the disk yet stays.
 */
export function dropFromCache(dir: string): void {
  for (const file of filesOf(dir)) {
    execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none']);
  }
}

/** MiB of a directory's files that are in the page cache; undefined where no fincore(1) tells. */
export function cachedMiB(dir: string): number | undefined {
  try {
    const reported = execFileSync('fincore', ['--bytes', '--noheadings', '--output', 'RES', ...filesOf(dir)], {
      encoding: 'utf8',
    });
    return reported.split('\n').reduce((sum, line) => sum + Number(line), 0) / 2 ** 20;
  } catch {
    return undefined;
  }
}

function filesOf(dir: string): string[] {
  return readdirSync(dir)
    .map((name) => path.join(dir, name))
    .filter((file) => statSync(file).isFile());
}
