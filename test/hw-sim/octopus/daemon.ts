import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { loadOctopusCards, OctopusAgent, type OctopusState } from '../../../hw-sim/octopus/agent.ts';

export const cards = await loadOctopusCards(new URL('../../../fixtures/octopus/cards.json', import.meta.url));

/** One answer, as it came. */
export type Answer = Readonly<Record<string, unknown>>;

/** The daemon's end of the socket: lines as text. */
export class Daemon {
  readonly #socket: Socket;
  #held = '';
  #id = 0;
  readonly #lines: string[] = [];
  readonly #waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  readonly closed: Promise<void>;

  static open(socketPath: string): Promise<Daemon> {
    return new Promise((resolve, reject) => {
      const socket = connect(socketPath, () => {
        socket.off('error', reject);
        resolve(new Daemon(socket));
      });
      socket.once('error', reject);
    });
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('error', () => undefined);
    socket.on('data', (text: string) => this.#take(text));
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        for (const { reject } of this.#waiting.splice(0)) reject(new Error('the agent closed the connection'));
        resolve();
      });
    });
  }

  get unread(): number {
    return this.#lines.length;
  }

  write(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  next(): Promise<string> {
    const line = this.#lines.shift();
    if (line !== undefined) return Promise.resolve(line);
    if (this.#socket.destroyed) return Promise.reject(new Error('the connection is closed'));
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Sends a call under the next id and gives its answer, without the id. */
  async call(call: string, parts: object = {}): Promise<Answer> {
    const id = this.send(call, parts);
    const { id: answered, ...reported } = JSON.parse(await this.next()) as Answer;
    if (answered !== id) throw new Error(`the answer to ${String(answered)} in place of ${id}`);
    return reported;
  }

  /** Sends a call and waits for nothing. */
  send(call: string, parts: object = {}): number {
    this.#id += 1;
    this.write(`${JSON.stringify({ id: this.#id, call, ...parts })}\n`);
    return this.#id;
  }

  deduct(reference: string, amount: number, cardId: string): Promise<Answer> {
    return this.call('deduct', { cardId, amount, reference });
  }

  async hangUp(): Promise<void> {
    this.#socket.destroy();
    await this.closed;
  }

  #take(text: string): void {
    const [last = '', ...before] = (this.#held + text).split('\n').toReversed();
    this.#held = last;
    for (const line of before.toReversed()) {
      const waiting = this.#waiting.shift();
      if (waiting) waiting.resolve(line);
      else this.#lines.push(line);
    }
  }
}

export interface Started {
  readonly agent: OctopusAgent;
  readonly daemon: Daemon;
  readonly socketPath: string;
}

export async function temporarySocket(t: TestContext): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'octopus-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return path.join(directory, 'octopus.sock');
}

/** An agent and a daemon that has opened the library. */
export async function started(t: TestContext): Promise<Started> {
  const socketPath = await temporarySocket(t);
  const agent = new OctopusAgent({ path: socketPath, cards, now: () => new Date('2026-08-25T02:15:30.000Z') });
  t.after(() => agent.close());
  await agent.listen();
  const daemon = await Daemon.open(socketPath);
  t.after(() => daemon.hangUp());
  await daemon.call('open');
  return { agent, daemon, socketPath };
}

/** Comes back once the agent's state is so. */
export function until(agent: OctopusAgent, holds: (state: OctopusState) => boolean): Promise<void> {
  if (holds(agent.state())) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = agent.onChange(() => {
      if (!holds(agent.state())) return;
      stop();
      resolve();
    });
  });
}

/** What is on a card now, HKD cents. */
export function balanceOf(agent: OctopusAgent, name: string): string | undefined {
  return agent.cards().find((card) => card.name === name)?.balanceMinor;
}

/** Reference, amount and status of every deduction. */
export const deductions = (agent: OctopusAgent): string[] =>
  agent.ledger().map(({ reference, amountMinor, status }) => `${reference} ${amountMinor} ${status}`);

export const findings = (agent: OctopusAgent): string[] => agent.unexpected.map(({ why }) => why);
