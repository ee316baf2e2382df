import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { StartError } from './composition/start-error.ts';

/** hw-sim as a separate process: it shares no code with the terminal, only connections. */
export interface Simulator {
  readonly port: number;
  /** Path of the daemon's configuration, with the simulated devices and hosts. */
  readonly configuration: string;
  /** The simulated card reader and its wire, in words. */
  readonly reader: string;
  /** Of its page, which shows the terminal's screen. */
  readonly origins: readonly string[];
  /** Resolves when it has ended, on request or not. */
  readonly exited: Promise<void>;
  /** Tells it where the terminal is, for its page: origins of the API and of the screen. */
  tellTerminal(terminal: { readonly api: string; readonly screen: string }): void;
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
  readonly wallets?: string | undefined;
}

/** Rejects with StartError; the simulator has then written the reason to standard error. */
export async function startSimulator(flags: SimulatorFlags): Promise<Simulator> {
  const path = fileURLToPath(new URL('../hw-sim/main.ts', import.meta.url));
  const parameters = [
    ...(flags['sim-port'] === undefined ? [] : ['--sim-port', flags['sim-port']]),
    ...(flags['sim-dir'] === undefined ? [] : ['--sim-dir', flags['sim-dir']]),
    ...(flags.auto ? ['--auto'] : []),
    ...(flags.reader === undefined ? [] : ['--reader', flags.reader]),
    ...(flags.carrier === undefined ? [] : ['--carrier', flags.carrier]),
    ...(flags.key === undefined ? [] : ['--key', flags.key]),
    ...(flags['quick-chip'] ? ['--quick-chip'] : []),
    ...(flags.wallets === undefined ? [] : ['--wallets', flags.wallets]),
  ];
  // The IPC channel ends the simulator: it closes when this process dies.
  const child = fork(path, parameters, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit').then(() => undefined);
  const { port, configuration, reader } = await ready(child, exited);
  return {
    port,
    configuration,
    reader,
    origins: [`http://127.0.0.1:${port}`, `http://localhost:${port}`],
    exited,
    tellTerminal(terminal) {
      if (child.connected) child.send({ terminal });
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

type Ready = Pick<Simulator, 'port' | 'configuration' | 'reader'>;

async function ready(child: ChildProcess, exited: Promise<void>): Promise<Ready> {
  const message = once(child, 'message') as Promise<[Ready & { ready: true }]>;
  const first = await Promise.race([message, exited]);
  if (!first) throw new StartError('the simulator did not start');
  return first[0];
}
