import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

const busyMs = 20;

/** The first of `programs` that this machine has not. */
export function missing(programs: readonly string[]): string | undefined {
  return programs.find((program) => {
    try {
      execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
}

/** Whoever had files there is dead by now. A kernel may take a moment to let go of them. */
export async function unmount(dir: string): Promise<void> {
  for (let tries = 50; ; tries--) {
    try {
      execFileSync('umount', [dir], { stdio: 'pipe' });
      return;
    } catch (error) {
      if (tries === 0) throw error;
      await pause(busyMs);
    }
  }
}

/** Where something failed: somebody may still have a file open there, or it is off already. */
export function unmountAnyway(dir: string): void {
  try {
    execFileSync('umount', ['--lazy', dir], { stdio: 'ignore' });
  } catch {
    // It is off already.
  }
}
