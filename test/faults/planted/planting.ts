import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Bug, edits } from './bug.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const copied = [
  'src',
  'drivers',
  'hw-sim',
  'fixtures',
  'bin',
  'build',
  'docs',
  'test',
  'package.json',
  'tsconfig.json',
];

export interface Caught {
  /** How many it took; none where it was not caught. */
  readonly seeds?: number;
  /** Of one that no schedule can have: the test that caught it. */
  readonly test?: string;
  readonly fault?: string;
}

async function bySchedules(dir: string, seeds: number, first: number, isSecured: boolean): Promise<Caught> {
  const trial = ['test/faults/planted/trial.ts', String(seeds), String(first), ...(isSecured ? ['secured'] : [])];
  const { stdout } = await promisify(execFile)(process.execPath, trial, { cwd: dir });
  return stdout === '' ? {} : (JSON.parse(stdout) as Caught);
}

/** Its test fails in the copy; that it passes in the house itself is for `npm test`. */
async function byTest(dir: string, file: string): Promise<Caught> {
  const run = promisify(execFile)(
    process.execPath,
    ['--test', '--test-timeout=60000', '--test-force-exit', '--test-reporter=spec', file],
    {
      cwd: dir,
      // A runner that is started by a test would take its results for its own. The bug is in the copy's sources alone.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, POID_TEST_PROGRAMS: undefined },
    },
  );
  const failure = await run.then(
    () => undefined,
    ({ stdout = '' }: { readonly stdout?: string }) => /^✖ (.+?) \(/m.exec(stdout)?.[1] ?? 'it fails',
  );
  return failure === undefined ? {} : { test: file, fault: failure };
}

/**
 * Plants one bug in a copy of the sources, and runs seeds there until the bug is caught or the seeds are used up.
 * `isSecured`: only seeds whose schedule has authentication codes or hosts with two sites.
 */
export async function planted(bug: Bug, seeds: number, first: number, isSecured = false): Promise<Caught> {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-planted-'));
  try {
    for (const each of copied) cpSync(path.join(root, each), path.join(dir, each), { recursive: true });
    symlinkSync(path.join(root, 'node_modules'), path.join(dir, 'node_modules'));
    for (const { file, from, to } of edits(bug)) {
      const source = readFileSync(path.join(dir, file), 'utf8');
      if (source.split(from).length !== 2) throw new Error(`${file} has not once: ${from}`);
      writeFileSync(
        path.join(dir, file),
        source.replace(from, () => to),
      );
    }
    return bug.test === undefined ? await bySchedules(dir, seeds, first, isSecured) : await byTest(dir, bug.test);
  } finally {
    rmSync(dir, { recursive: true });
  }
}
