import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StartError } from './composition/start-error.ts';
import type { RunFlags } from './run-flags.ts';
import { type Simulator, startSimulator } from './simulator.ts';
import { environmentBeside } from './simulator-beside.ts';
import { stopSignal } from './stop-signal.ts';
import { projectRoot } from './project-root.ts';

/** Messages of the terminal's process: its addresses, and later that a card can be accepted. */
type Word =
  | { readonly terminal: { readonly api: string; readonly screen: string } }
  | { readonly ready: true; readonly apiPort: number; readonly screenPort: number };

/**
 * `poid run --sim`: simulator and terminal, each a process of its own, and this one switches the terminal's power. A
 * terminal that was killed (SIGKILL) stays off until the simulator switches it on again. Returns the exit code once
 * both have ended. Throws StartError.
 */
export async function runOnSimulatedPower(flags: RunFlags): Promise<number> {
  const stop = stopSignal().then(() => 'stop' as const);
  const simulator = await startSimulator(flags);
  try {
    const terminal = new Terminal(flags, simulator);
    const lost = simulator.exited.then(() => 'lost' as const);
    const first = await Promise.race([terminal.ended, lost, stop]);
    if (typeof first === 'number') return first;
    const code = await terminal.end();
    if (first === 'lost') throw new StartError('the simulator has ended');
    return code;
  } finally {
    await simulator.stop();
  }
}

/** The terminal's process, started each time the power is switched on. */
class Terminal {
  readonly #simulator: Simulator;
  readonly #flags: Record<string, string | boolean | undefined>;
  readonly #ended = Promise.withResolvers<number>();
  #child: ChildProcess | undefined;
  #ending = false;
  #wasReady = false;

  constructor(flags: RunFlags, simulator: Simulator) {
    this.#flags = { ...flags };
    this.#simulator = simulator;
    simulator.onSwitchedOn(() => this.#switchOn());
    this.#switchOn();
  }

  /** Resolves with the exit code of a terminal that has ended otherwise than by a power cut. */
  get ended(): Promise<number> {
    return this.#ended.promise;
  }

  /** Asks it to end, and resolves with its exit code; 0 if it is off. */
  end(): Promise<number> {
    this.#ending = true;
    if (this.#child) this.#child.kill('SIGTERM');
    else this.#ended.resolve(0);
    return this.ended;
  }

  #switchOn(): void {
    if (this.#child || this.#ending) return;
    // Runs the command itself, which starts a terminal.
    const command = fileURLToPath(new URL('bin/poid', projectRoot));
    const child = spawn(command, ['run', ...wordsOf(this.#flags)], {
      env: environmentBeside(this.#simulator),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
    this.#simulator.reportPower({ power: 'on', pid: child.pid ?? 0 });
    child.on('message', (word) => this.#hear(word as Word));
    child.once('exit', (code, signal) => {
      this.#child = undefined;
      this.#simulator.reportPower({ power: 'off' });
      if (this.#ending || signal !== 'SIGKILL') this.#ended.resolve(code ?? 1);
    });
  }

  #hear(word: Word): void {
    if ('terminal' in word) {
      this.#simulator.reportTerminal(word.terminal);
      return;
    }
    // It has the same ports again after a power cut.
    this.#flags['port'] = String(word.apiPort);
    this.#flags['screen-port'] = String(word.screenPort);
    // A parent process that forked this one learns the ports, and that a card can be taken.
    if (!this.#wasReady) process.send?.(word);
    this.#wasReady = true;
  }
}

function wordsOf(flags: Readonly<Record<string, string | boolean | undefined>>): string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return value === true ? [`--${name}`] : [`--${name}`, value];
  });
}
