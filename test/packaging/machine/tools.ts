import { spawnSync } from 'node:child_process';

/** Ends the process with a sentence where a script lacks root or a program. `tools`: programs, and the Debian packages that have them. */
export function demandTools(script: string, why: string, tools: Readonly<Record<string, string>>): void {
  if (process.getuid?.() !== 0) fail(`${script} needs root: ${why}`);
  const missing = Object.entries(tools).filter(([program]) => spawnSync('which', [program]).status !== 0);
  if (missing.length > 0)
    fail(`${script} lacks ${missing.map(([name, deb]) => `${name} (Debian: ${deb})`).join(', ')}`);
}

function fail(why: string): never {
  console.error(why);
  process.exit(1);
}
