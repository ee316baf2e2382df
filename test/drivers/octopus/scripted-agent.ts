import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A Unix socket that knows nothing of Octopus: it takes lines and gives bytes as the test says. */
export class ScriptedAgent {
  readonly #directory: string;
  readonly path: string;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #arrived: AgentSide[] = [];
  readonly #waiting: ((side: AgentSide) => void)[] = [];
  connections = 0;

  private constructor(directory: string) {
    this.#directory = directory;
    this.path = path.join(directory, 'agent.sock');
  }

  static async at(): Promise<ScriptedAgent> {
    return new ScriptedAgent(await mkdtemp(path.join(tmpdir(), 'octopus-')));
  }

  async listen(): Promise<void> {
    const server = createServer((socket) => {
      this.connections++;
      this.#sockets.add(socket);
      const side = new AgentSide(socket);
      const waiting = this.#waiting.shift();
      if (waiting) waiting(side);
      else this.#arrived.push(side);
    });
    this.#server = server;
    server.listen(this.path);
    await once(server, 'listening');
  }

  accepted(): Promise<AgentSide> {
    const arrived = this.#arrived.shift();
    if (arrived) return Promise.resolve(arrived);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Ends every connection, and takes no more. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    server.close();
    await once(server, 'close');
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.#directory, { recursive: true });
  }
}

/** The agent's end of one connection. */
export class AgentSide {
  readonly #socket: Socket;
  #received = '';
  #wake: (() => void) | undefined;
  /** Resolves once the connection is over. */
  readonly over: Promise<void>;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.over = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString('utf8');
      this.#wake?.();
    });
  }

  /** What was sent and not read yet. */
  get unread(): string {
    return this.#received;
  }

  /** The next line, without its end. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#received.indexOf('\n');
      if (end >= 0) {
        const line = this.#received.slice(0, end);
        this.#received = this.#received.slice(end + 1);
        return line;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async request(): Promise<{ readonly id: number; readonly call: string; readonly [name: string]: unknown }> {
    return JSON.parse(await this.line());
  }

  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  answer(fields: Readonly<Record<string, unknown>>): Promise<void> {
    return this.send(`${JSON.stringify(fields)}\n`);
  }

  end(): void {
    this.#socket.destroy();
  }
}
