import type { CloudMessage, SubscribeOptions } from '../ports/cloud-link.ts';

/** One connection to a broker, from its handshake to its end. Topics are whole. */
export interface Session {
  /** Rejects if the session ends first. */
  publish(topic: string, message: CloudMessage): Promise<void>;
  /** Rejects if the broker refuses. */
  subscribe(topic: string, options: SubscribeOptions): Promise<void>;
  unsubscribe(topic: string): void;
  /** In order: the broker does not publish the will. Resolves once the connection is over, which the broker may delay. */
  end(): Promise<void>;
  /** At once: the broker publishes the will. */
  cut(): void;
}

export interface SessionEvents {
  /** The next message is read once this has resolved: so a broker that floods waits. */
  readonly onMessage: (topic: string, message: CloudMessage) => Promise<void>;
  /** Called once, when a session that was open is over. */
  readonly onEnd: () => void;
}

/** Opens a connection. Rejects with a sentence if there is none, and once `signal` is aborted. */
export type Dial = (events: SessionEvents, signal: AbortSignal) => Promise<Session>;
