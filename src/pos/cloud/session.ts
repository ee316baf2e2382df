import type { CloudMessage, SubscribeOptions } from '../../payment/contracts/cloud-link.ts';

/**
 * The features that a broker does not support, by its CONNACK (MQTT 5, 3.2.2.3): the terminal sends nothing that needs
 * them.
 */
export interface BrokerLimits {
  /** Maximum Packet Size, if it has one. */
  readonly packetBytesMax?: number | undefined;
  /** Maximum QoS 0: nothing is acknowledged. */
  readonly hasNoQos1?: boolean;
  /** Retain Available 0: nothing is kept for clients that connect later. */
  readonly hasNoRetain?: boolean;
}

/** One connection to a broker, from its handshake to its end. Topics are whole. */
export interface Session {
  readonly limits?: BrokerLimits;
  /** Rejects if the session ends first. Features that the broker does not support are omitted. */
  publish(topic: string, message: CloudMessage): Promise<void>;
  /** Rejects if the broker refuses. */
  subscribe(topic: string, options: SubscribeOptions): Promise<void>;
  unsubscribe(topic: string): void;
  /**
   * In order: the broker does not publish the will. Resolves once the connection is over, which the broker may delay.
   */
  end(): Promise<void>;
  /** At once: the broker publishes the will. */
  cut(): void;
}

export interface SessionEvents {
  /** The next message is read once this has resolved, which slows down a broker that floods. */
  readonly onMessage: (topic: string, message: CloudMessage) => Promise<void>;
  /** Called once, when a session that was open is over. `reason`: a sentence, if the broker caused the end. */
  readonly onEnd: (reason?: string) => void;
}

/** Opens a connection. Rejects with a sentence if there is none, and once `signal` is aborted. */
export type Dial = (events: SessionEvents, signal: AbortSignal) => Promise<Session>;
