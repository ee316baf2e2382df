import { type Worker as Thread } from 'node:worker_threads';
import { configurationSchema } from '../config/configuration.ts';
import { exitWith } from './exit.ts';
import { startWorkerAhead } from '../journal/worker-ahead.ts';
import { runOnSimulatedPower } from './simulated-power.ts';
import { overridesOf, parseRunFlags } from './run-flags.ts';
import { run } from './run.ts';
import { simulatorBeside } from './simulator-beside.ts';

/**
 * What is kept of the start-up: the daemon with all its modules evaluated, and its configuration's checks made. Nothing
 * of a machine, a shop, a time or chance is in it; build/snapshot-program.ts sees to that. dist/start.cjs calls it.
 */
Object.assign(globalThis, { poidHeld: { run: runHeld, prove } });

// Makes the checks, which zod does when they are first used. What it says of an empty configuration does not matter.
configurationSchema.safeParse({}, { jitless: true });

/** `poid run`. False if the words are not for it alone: the table of commands, which is not here, has an answer. */
function runHeld(words: string[]): boolean {
  const flags = parseRunFlags(words);
  if (!flags) return false;
  start(flags).catch(exitWith);
  return true;
}

async function start(flags: NonNullable<ReturnType<typeof parseRunFlags>>): Promise<void> {
  const overrides = overridesOf(flags);
  if (flags.sim && !simulatorBeside(process.env)) {
    process.exitCode = await runOnSimulatedPower(flags);
    return;
  }
  startWorkerAhead();
  await run(flags, overrides);
}

/** What can't be in a snapshot is loaded later, here and in threads: where that fails, the process ends otherwise than by 0. */
const loadedLater = ['child_process', 'crypto', 'http', 'https', 'net', 'sqlite', 'tls', 'tty'];

function prove(): void {
  const load = `for (const each of ${JSON.stringify(loadedLater)}) process.getBuiltinModule('node:' + each)`;
  for (const each of loadedLater) process.getBuiltinModule(`node:${each}`);
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const thread: Thread = new Worker(load, { eval: true });
  thread.on('error', () => process.exit(1));
}
