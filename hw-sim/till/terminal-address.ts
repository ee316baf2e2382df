import * as z from 'zod';
import { terminalAddress } from '../bench/bodies.ts';

/** Where a terminal on its usual ports is. */
const usual = { api: 'http://127.0.0.1:8080', screen: 'http://127.0.0.1:8081' } as const;

export interface TerminalState {
  /** Origin of the API for points of sale. */
  readonly api: string;
  /** Origin of the payment app's page. */
  readonly screen?: string;
  /** Whether the terminal said so itself; otherwise these are the usual ports. */
  readonly isReported: boolean;
  /** Whether it lets its screen be shown within this simulator's page. */
  readonly framed: boolean;
}

const addressMessage = z.object({ terminal: terminalAddress });

/** Where the terminal is: it connects to the simulator, and nothing of that says where its own interfaces are. */
export class TerminalAddress {
  readonly #listeners = new Set<() => void>();
  #state: TerminalState = { ...usual, isReported: false, framed: false };

  state(): TerminalState {
    return this.#state;
  }

  set({ api, screen }: z.infer<typeof terminalAddress>, framed = false): void {
    this.#state = { api, ...(screen !== undefined && { screen }), isReported: true, framed };
    for (const listener of this.#listeners) listener();
  }

  /** A message of the process that runs the terminal and has started this one; any other message is none of this. */
  take(message: unknown): void {
    const { data } = addressMessage.safeParse(message);
    if (data) this.set(data.terminal, true);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
