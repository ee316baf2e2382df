/**
 * A connection to a message broker (MQTT 5) that comes and goes. Topics are below the terminal's own: `books` is
 * `poid/v1/{terminal}/books`.
 */
export interface CloudLink {
  /**
   * Resolves when the broker has the message: with QoS 1 it has acknowledged it, which does not prove that a subscriber
   * will get it. Rejects if there is no connection, or it ends first. Never queues.
   */
  publish(topic: string, message: CloudMessage): Promise<void>;
  /** Whether the broker accepts a message of this length. `publish` rejects with MessageTooLong if it does not. */
  fits(topic: string, message: CloudMessage): boolean;
  /**
   * Called for each message on a topic, while connected. Must not throw, nor wait. Returns a function that
   * unsubscribes.
   */
  subscribe(topic: string, hear: (message: CloudMessage) => void, options?: SubscribeOptions): () => void;
  /** Called at each connect and loss, and at once with the present state. Returns a function that stops it. */
  watch(notify: (isUp: boolean) => void): () => void;
}

/** The message was not sent: its packet is longer than the broker accepts. */
export class MessageTooLong extends Error {
  readonly bytes: number;
  readonly bytesMax: number;

  constructor(bytes: number, bytesMax: number) {
    super(`a packet of ${bytes} bytes, and the broker takes ${bytesMax} at most`);
    this.name = 'MessageTooLong';
    this.bytes = bytes;
    this.bytesMax = bytesMax;
  }
}

export interface SubscribeOptions {
  /**
   * Excludes the broker's retained messages (retain handling 2), and messages sent to be retained (retain as
   * published).
   */
  readonly skipsRetained?: boolean;
  /**
   * Excludes messages of QoS 0: they have no flow control, and a flood of them would delay the broker's own packets.
   */
  readonly acknowledgedOnly?: boolean;
}

export interface CloudMessage {
  readonly payload: Uint8Array;
  /** 0: at most once, if unset. */
  readonly qos?: 0 | 1;
  readonly retain?: boolean;
  /** In seconds. The broker may change it, so nothing relies on it without a signature. */
  readonly expiryS?: number;
  /** A whole topic, prefix and terminal included, as it is on the wire. */
  readonly responseTopic?: string;
  readonly correlation?: Uint8Array;
  /** Of the payload, as MQTT has it. */
  readonly contentType?: string;
  /** Names that occur twice in a received message are omitted. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** A call and its answer, as in HTTP, transported through the cloud. Names of `fields` are in lower case. */
export interface CloudCall {
  /** The topic that the caller named for its answer, below the terminal's own. */
  readonly answerTopic: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly fields: Readonly<Record<string, string>>;
  /** MQTT's own Content Type, which a signature can't cover; there may also be a field `content-type`. */
  readonly contentType?: string;
  readonly body: Uint8Array;
}

export interface CloudAnswer {
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
  /** The answer to the caller if the original one is longer than the broker accepts. */
  readonly inShort?: (tooLong: MessageTooLong) => CloudAnswer;
}
