/**
 * A connection to a message broker (MQTT 5) that comes and goes. Topics are below the terminal's own: `books` is
 * `poid/v1/{terminal}/books`.
 */
export interface CloudLink {
  /**
   * Resolves when the broker has the message: with QoS 1 it has acknowledged it, which does not say that anybody else
   * will get it. Rejects if there is no connection, or it ends first. Never queues.
   */
  publish(topic: string, message: CloudMessage): Promise<void>;
  /** Whether the broker takes a message of this length. `publish` rejects with MessageTooLong where it does not. */
  fits(topic: string, message: CloudMessage): boolean;
  /** What arrives on a topic, while connected. Must not throw, nor wait. Returns how to stop. */
  subscribe(topic: string, hear: (message: CloudMessage) => void, options?: SubscribeOptions): () => void;
  /** Called at each connect and loss, and at once with the present state. Returns how to stop. */
  watch(notify: (isUp: boolean) => void): () => void;
}

/** The message was not sent: its packet is longer than the broker takes. */
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
  /** Leaves out what the broker has retained (retain handling 2), and what was sent to be retained (retain as published). */
  readonly skipsRetained?: boolean;
  /**
   * Leaves out what was sent with QoS 0, without any pace: a flood of it, which no acknowledgement slows down, would hold
   * back what the broker itself says.
   */
  readonly acknowledgedOnly?: boolean;
}

export interface CloudMessage {
  readonly payload: Uint8Array;
  /** 0: at most once, if unset. */
  readonly qos?: 0 | 1;
  readonly retain?: boolean;
  /** In seconds. The broker may change it: what matters is signed. */
  readonly expiryS?: number;
  /** A whole topic, prefix and terminal included, as it is on the wire. */
  readonly responseTopic?: string;
  readonly correlation?: Uint8Array;
  /** Of the payload, as MQTT has it. */
  readonly contentType?: string;
  /** Names that stand twice in a message that arrives are left out. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** A call and its answer, as HTTP has them, on their way through the cloud. Names of `fields` are in lower case. */
export interface CloudCall {
  /** The topic that the caller named for its answer, below the terminal's own. */
  readonly answerTopic: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly fields: Readonly<Record<string, string>>;
  /** MQTT's own Content Type, which a signature can't cover; a field `content-type` may stand beside it. */
  readonly contentType?: string;
  readonly body: Uint8Array;
}

export interface CloudAnswer {
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
  /** What the caller gets instead if the answer is longer than the broker takes. */
  readonly inShort?: (tooLong: MessageTooLong) => CloudAnswer;
}
