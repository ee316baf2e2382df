import * as z from 'zod';
import { terminalAddress } from '../bench/bodies.ts';

/** Where a terminal on its usual ports is. */
const usual = { api: 'http://127.0.0.1:8080', screen: 'http://127.0.0.1:8081' } as const;

export interface TerminalState {
  /** Origin of the API for points of sale. */
  readonly api: string;
  /** Origin of the payment app's page. */
  readonly screen?: string;
  /** Whether these addresses were reported; otherwise they have the usual ports. */
  readonly isReported: boolean;
  /** Whether its screen may be shown within this simulator's page. */
  readonly framed: boolean;
}

const addressMessage = z.object({ terminal: terminalAddress });

/** The addresses of the terminal's own interfaces. Its connections to the simulator do not reveal them. */
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

  /** A message of the process that runs the terminal and has started this one. Any other message is ignored. */
  take(message: unknown): void {
    const { data } = addressMessage.safeParse(message);
    if (data) this.set(data.terminal, true);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
