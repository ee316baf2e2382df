import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Stage } from '../e2e/stage.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The terminal's power. It comes back on the ports that it had, as a real one does: the page that is open finds it again. */
export class SimulatedPower {
  readonly #stage: Stage;
  #daemon: ChildProcess | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async cut(): Promise<void> {
    await this.#stage.stopDaemon('SIGKILL');
    await this.#end('SIGKILL');
  }

  /** Resolves when the terminal is ready. Rejects with its last words where it ends instead. */
  async restore(): Promise<void> {
    const { dir, stateDir, apiUrl, screenUrl } = this.#stage;
    const ports = ['--port', new URL(apiUrl).port, '--screen-port', new URL(screenUrl).port];
    const daemon = fork(
      path.join(root, 'src/main/cli.ts'),
      ['run', '--config', path.join(dir, 'poid.json'), '--state-dir', stateDir, ...ports],
      { cwd: root, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] },
    );
    this.#daemon = daemon;
    let log = '';
    daemon.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const ended = once(daemon, 'exit').then(() => Promise.reject(new Error(`the daemon ended at its start: ${log}`)));
    ended.catch(() => undefined);
    await Promise.race([once(daemon, 'message'), ended]);
  }

  close(): Promise<void> {
    return this.#end('SIGTERM');
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = undefined;
    if (!daemon || daemon.exitCode !== null || daemon.signalCode !== null) return;
    const exited = once(daemon, 'exit');
    daemon.kill(signal);
    await exited;
  }
}
