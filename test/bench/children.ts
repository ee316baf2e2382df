import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** How long a child may take to end once it was asked to. */
const endMs = 8_000;

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input and output as pipes, or a channel for messages. */
  readonly talks?: 'by pipes' | 'by messages';
}

/** Every process that the bench starts, so that none is left. Each is ended by its id. */
export class Children {
  readonly #running = new Set<ChildProcess>();

  start(command: string, parameters: readonly string[], { env = {}, talks }: StartOptions = {}): ChildProcess {
    const child = spawn(command, [...parameters], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio:
        talks === 'by pipes'
          ? ['pipe', 'pipe', 'inherit']
          : talks === 'by messages'
            ? ['ignore', 'ignore', 'inherit', 'ipc']
            : ['ignore', 'ignore', 'inherit'],
    });
    this.#running.add(child);
    // A command that is not there: whoever waits for the child is told by `heard`.
    child.on('error', () => this.#running.delete(child));
    child.on('exit', () => this.#running.delete(child));
    return child;
  }

  /** A program of this project on this Node, with a channel for messages. */
  startNode(main: string, parameters: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    return this.start(process.execPath, [path.join(root, main), ...parameters], { env, talks: 'by messages' });
  }

  async end(child: ChildProcess): Promise<void> {
    if (!this.#running.has(child)) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), endMs);
    await exited.finally(() => clearTimeout(timer));
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.end(child)));
  }
}

/** The child's next message. Rejects when it ends instead. */
export async function heard<Message>(child: ChildProcess, name: string): Promise<Message> {
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  const ended = () => reject(new Error(`${name} has ended`));
  const onMessage = (message: unknown) => resolve(message as Message);
  child.once('message', onMessage).once('exit', ended).once('error', reject);
  return promise.finally(() => child.off('message', onMessage).off('exit', ended).off('error', reject));
}
