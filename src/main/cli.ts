import { exitWith } from './exit.ts';
import { startWorkerAhead } from '../journal/worker-ahead.ts';
import { overridesOf, parseRunFlags, type RunFlags } from './run-flags.ts';
import { simulatorBeside } from './simulator-beside.ts';

/** Exit codes: see exit.ts. A command may have more: poid COMMAND --help. */
try {
  const [command, ...words] = process.argv.slice(2);
  // The daemon's start loads no table of commands and no parser of them.
  const flags = command === 'run' ? parseRunFlags(words) : undefined;
  if (flags) process.exitCode = await runTerminal(flags);
  else {
    const { runCommand } = await import('../admin/commands/run-command.ts');
    process.exitCode = await runCommand(process.argv.slice(2), ({ flags }) => runTerminal(flags));
  }
} catch (error) {
  exitWith(error);
}

/** The daemon is loaded only where it runs: the other commands answer at once. */
async function runTerminal(flags: RunFlags): Promise<number> {
  const overrides = overridesOf(flags);
  if (flags.sim && !simulatorBeside(process.env)) {
    const { runOnSimulatedPower } = await import('./simulated-power.ts');
    return runOnSimulatedPower(flags);
  }
  startWorkerAhead();
  const { run } = await import('./run.ts');
  await run(flags, overrides);
  return 0;
}
