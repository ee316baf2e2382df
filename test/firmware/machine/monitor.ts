import { createInterface } from 'node:readline';
import type { Socket } from 'node:net';

interface Reply {
  readonly return?: unknown;
  readonly error?: { readonly desc: string };
}

/** QEMU's monitor (qmp-spec): one command at a time, each with one reply. */
export class Monitor {
  readonly #socket: Socket;
  readonly #waiting: { resolve(value: unknown): void; reject(why: Error): void }[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    const lines = createInterface({ input: socket });
    lines.on('line', (line) => this.#receive(JSON.parse(line) as Reply)).on('error', () => undefined);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const each of this.#waiting.splice(0)) each.reject(new Error('QEMU has ended'));
    });
    // Until then the monitor takes no other command.
    this.execute('qmp_capabilities').catch(() => undefined);
  }

  execute(command: string, parameters: object = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#socket.write(`${JSON.stringify({ execute: command, arguments: parameters })}\n`);
    });
  }

  /** A command for people, of which there is none for programs. What it prints is a complaint. */
  async command(line: string): Promise<void> {
    const complaint = String(await this.execute('human-monitor-command', { 'command-line': line }));
    if (complaint.trim() !== '') throw new Error(`${line}: ${complaint.trim()}`);
  }

  /** Greetings and events are no replies. */
  #receive(line: Reply): void {
    if (line.error !== undefined) this.#waiting.shift()?.reject(new Error(line.error.desc));
    else if ('return' in line) this.#waiting.shift()?.resolve(line.return);
  }
}
