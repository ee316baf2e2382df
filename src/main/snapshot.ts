import { type Worker as Thread } from 'node:worker_threads';
import { configurationSchema } from '../config/configuration.ts';
import { exitWith } from './exit.ts';
import { startWorkerAhead } from '../journal/worker-ahead.ts';
import { runOnSimulatedPower } from './simulated-power.ts';
import { overridesOf, parseRunFlags } from './run-flags.ts';
import { run } from './run.ts';
import { simulatorBeside } from './simulator-beside.ts';

/**
 * The contents of the snapshot: the daemon with all its modules evaluated and the checks of its configuration compiled.
 * It has no data of a machine or shop, no time and no random value; build/snapshot-program.ts ensures that.
 * dist/start.cjs calls it.
 */
Object.assign(globalThis, { poidHeld: { run: runHeld, prove } });

// Compiles the checks, which zod does at their first use. The result for an empty configuration is ignored.
configurationSchema.safeParse({}, { jitless: true });

/** `poid run`. False for any other command line, which needs the table of commands, and that is not in the snapshot. */
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

/** Modules that can't be in a snapshot are loaded later, here and in threads. If that fails, the exit code is not 0. */
const loadedLater = ['child_process', 'crypto', 'http', 'https', 'net', 'sqlite', 'tls', 'tty'];

function prove(): void {
  const load = `for (const each of ${JSON.stringify(loadedLater)}) process.getBuiltinModule('node:' + each)`;
  for (const each of loadedLater) process.getBuiltinModule(`node:${each}`);
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const thread: Thread = new Worker(load, { eval: true });
  thread.on('error', () => process.exit(1));
}
