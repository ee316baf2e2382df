import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reasons } from '../../src/base/domain/reason.ts';
import { buildPrograms } from './build.ts';
import { fullTierOnly, groupNames, groupOf, kinds, parseTier, partsOf, root, testFiles } from './files.ts';
import { Tally } from './tally.ts';

/** A journal waits for its disk at each commit; in memory it does not. Tests whose subject is the disk mount one of their own. */
const memory = '/dev/shm';
const { isCommit, rest } = parseTier();
const kind = kinds.find((each) => each === rest[0]) ?? 'quick';
/** Files of that kind, if not all of them. */
const asked = rest.filter((each) => each !== kind);
/** Where the files that failed are told, one on each line, for whoever runs them again. */
const failedFiles = process.env['POID_FAILED_FILES'];
/** Where the files are told that have tests which were skipped because a program is missing, likewise. */
const skippedFiles = process.env['POID_SKIPPED_FILES'];
/** Where the reasons are noted that tests have shown. Several runs can share a file, and are then judged together. */
const sharedReasons = process.env['POID_REPORTED_REASONS'];
/** Of one test, on a machine that does other things as well. */
const timeoutMs = { quick: 120_000, long: 900_000, browser: 180_000 }[kind];
/** Of one process: one that does not end is told as a failure. */
const endsWithinMs = 1_200_000;
/** Thousands of short tests in one process: most of what they leave is garbage before the next collection. */
const youngHeap = '--max-semi-space-size=64';
/** How many processes run what is in no group, at once: most of their time they wait for timers and for each other. */
const concurrency = { quick: 4, long: 2, browser: 4 }[kind];
const tally = new Tally();

let processes = 0;

interface Ended {
  readonly output: string;
  readonly code: number;
}

/** Runs tests in a process of this environment. Its output is kept, so that two do not talk at once. */
function run(parameters: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const counted = path.join(dir, `counted-${(processes += 1)}`);
  const reporters = [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./test/run/tally-reporter.ts',
    `--test-reporter-destination=${counted}`,
  ];
  const child = spawn(process.execPath, [`--test-timeout=${timeoutMs}`, ...reporters, ...parameters], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: endsWithinMs,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  child.on('close', (code) => {
    tally.add(counted);
    resolve({ output, code: code ?? 1 });
  });
  return promise;
}

/** A timedatectl that knows nothing: whether this machine's clock is synchronised is not what the tests are about. */
function unknowingPrograms(dir: string): string {
  const programs = path.join(dir, 'bin');
  mkdirSync(programs);
  writeFileSync(path.join(programs, 'timedatectl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  return programs;
}

async function runAll(dir: string): Promise<boolean> {
  const reasonsFile = sharedReasons ?? path.join(dir, 'reasons');
  const inTier = testFiles(kind).filter((file) => !isCommit || !fullTierOnly.has(file));
  const files = asked.length === 0 ? inTier : testFiles(kind).filter((file) => asked.includes(file));
  if (files.length === 0) throw new Error(`no test of ${kind} is named ${asked.join(' ')}`);
  const own = files.filter((file) => groupOf(file) === undefined);
  const env = {
    ...process.env,
    TMPDIR: dir,
    NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/compiled'),
    POID_TEST_PROGRAMS: path.join(dir, 'programs'),
    POID_REPORTED_REASONS: reasonsFile,
    PATH: `${unknowingPrograms(dir)}:${process.env['PATH']}`,
  };
  const say = (what: string, ran: readonly string[]) => (ended: Ended) => {
    console.log(`${ended.output}\n${what}: ${ended.code === 0 ? 'passed' : 'FAILED'}\n`);
    if (ended.code !== 0 && failedFiles) appendFileSync(failedFiles, `${ran.join('\n')}\n`);
    return ended.code === 0;
  };
  const runs: Promise<boolean>[] = [];
  for (const group of groupNames) {
    const shared = files.filter((file) => groupOf(file) === group);
    if (shared.length === 0) continue;
    const ran = run([youngHeap, 'test/run/shared.ts', ...shared], env);
    runs.push(ran.then(say(`${shared.length} files, ${group}`, shared)));
  }
  await buildPrograms(path.join(dir, 'programs'));
  const parts = (kind === 'quick' ? partsOf(own) : own.map((file) => [file])).values();
  const runParts = async () => {
    let passed = true;
    for (const part of parts) {
      const ended = await run(part.length === 1 ? part : ['test/run/shared.ts', ...part], env);
      passed = say(part.join(', '), part)(ended) && passed;
    }
    return passed;
  };
  for (let each = 0; each < concurrency; each += 1) runs.push(runParts());
  const passed = (await Promise.all(runs)).every((each) => each);
  const lacking = tally.lackingPrograms;
  if (skippedFiles && lacking.length > 0) appendFileSync(skippedFiles, `${lacking.join('\n')}\n`);
  const isWhole = asked.length === 0 || sharedReasons !== undefined;
  const isComplete = kind !== 'quick' || !passed || !isWhole || everyReasonReported(reasonsFile, lacking);
  console.log(tally.text());
  return passed && isComplete;
}

/**
 * Whether each reason of docs/pos.md was told by something that a test ran. Where files lack programs, one of their tests may
 * be what shows a reason: then it is said which were not shown, and a run that has the programs judges.
 */
function everyReasonReported(file: string, lacking: readonly string[]): boolean {
  const reported = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
  const untold = Object.keys(reasons).filter((reason) => !reported.has(reason));
  const count = Object.keys(reasons).length - untold.length;
  console.log(`${count} reasons were told${untold.length === 0 ? '' : `; by no test: ${untold.join(', ')}`}`);
  if (untold.length > 0 && lacking.length > 0)
    console.log(`not judged, because tests were skipped in ${lacking.join(', ')}`);
  return untold.length === 0 || lacking.length > 0;
}

const dir = mkdtempSync(path.join(existsSync(memory) ? memory : tmpdir(), 'poid-test-'));
// What is left in memory stays there until the machine starts anew.
process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
if (!(await runAll(dir))) process.exitCode = 1;
