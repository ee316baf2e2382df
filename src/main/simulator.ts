import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { StartError } from './composition/start-error.ts';
import type { SimulatorBeside } from './simulator-beside.ts';
import { projectRoot } from './project-root.ts';

/** hw-sim as a separate process: it shares no code with the terminal, only connections. */
export interface Simulator extends SimulatorBeside {
  /** Resolves when it has ended, on request or not. */
  readonly exited: Promise<void>;
  /** Sends it the terminal's addresses for its page: origins of the API and of the screen. */
  reportTerminal(terminal: { readonly api: string; readonly screen: string }): void;
  /** Reports to it whether the terminal has power. It kills the process with this id for a simulated power cut. */
  reportPower(power: { readonly power: 'on'; readonly pid: number } | { readonly power: 'off' }): void;
  /** Calls back when the terminal is to have power again. */
  onSwitchedOn(listener: () => void): void;
  stop(): Promise<void>;
}

export interface SimulatorFlags {
  readonly 'sim-port'?: string | undefined;
  readonly 'sim-dir'?: string | undefined;
  readonly auto?: boolean | undefined;
  readonly reader?: string | undefined;
  readonly carrier?: string | undefined;
  readonly key?: string | undefined;
  readonly 'quick-chip'?: boolean | undefined;
  readonly 'plain-hosts'?: boolean | undefined;
  readonly mac?: string | undefined;
  readonly 'mac-key'?: string | undefined;
  readonly wallets?: string | undefined;
  readonly dialect?: string | undefined;
}

/** Rejects with StartError; the simulator has then written the reason to standard error. */
export async function startSimulator(flags: SimulatorFlags): Promise<Simulator> {
  const path = fileURLToPath(new URL('hw-sim/main.ts', projectRoot));
  const parameters = [
    ...(flags['sim-port'] === undefined ? [] : ['--sim-port', flags['sim-port']]),
    ...(flags['sim-dir'] === undefined ? [] : ['--sim-dir', flags['sim-dir']]),
    ...(flags.auto ? ['--auto'] : []),
    ...(flags.reader === undefined ? [] : ['--reader', flags.reader]),
    ...(flags.carrier === undefined ? [] : ['--carrier', flags.carrier]),
    ...(flags.key === undefined ? [] : ['--key', flags.key]),
    ...(flags['quick-chip'] ? ['--quick-chip'] : []),
    ...(flags['plain-hosts'] ? ['--plain-hosts'] : []),
    ...(flags.mac === undefined ? [] : ['--mac', flags.mac]),
    ...(flags['mac-key'] === undefined ? [] : ['--mac-key', flags['mac-key']]),
    ...(flags.wallets === undefined ? [] : ['--wallets', flags.wallets]),
    ...(flags.dialect === undefined ? [] : ['--dialect', flags.dialect]),
  ];
  // The IPC channel ends the simulator: it closes when this process dies.
  const child = fork(path, parameters, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit').then(() => undefined);
  const { port, configuration, reader } = await ready(child, exited);
  return {
    port,
    configuration,
    reader,
    exited,
    reportTerminal: (terminal) => send(child, { terminal }),
    reportPower: (power) => send(child, power),
    onSwitchedOn(listener) {
      child.on('message', (message) => {
        if ((message as { power?: unknown }).power === 'on') listener();
      });
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** It may end at any time; its end is handled elsewhere. */
function send(child: ChildProcess, message: object): void {
  if (child.connected) child.send(message, () => undefined);
}

async function ready(child: ChildProcess, exited: Promise<void>): Promise<SimulatorBeside> {
  const message = once(child, 'message') as Promise<[SimulatorBeside & { ready: true }]>;
  const first = await Promise.race([message, exited]);
  if (!first) throw new StartError('the simulator did not start');
  return first[0];
}
