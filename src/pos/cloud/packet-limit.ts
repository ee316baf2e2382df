import { type CloudMessage, MessageTooLong } from '../../payment/contracts/cloud-link.ts';

/** The maximum size of an MQTT 5 packet by default (2.1.4): type, four bytes of length, the rest. */
const protocolBytesMax = 268_435_460;

/**
 * Called once for each kind of topic and each limit. `topic`: the kind, such as `answer`, without the levels below it.
 */
export type TooLongListener = (topic: string, tooLong: MessageTooLong) => void;

/** The Maximum Packet Size of the broker (MQTT 5, 3.2.2.3.6): it answers a longer packet by ending the connection. */
export class PacketLimit {
  readonly #root: string;
  readonly #onTooLong: TooLongListener;
  #bytesMax = protocolBytesMax;
  /** Kinds of topics that had a message on this connection which was too long. */
  readonly #kept = new Set<string>();
  readonly #reported = new Set<string>();

  constructor(root: string, onTooLong: TooLongListener = () => undefined) {
    this.#root = root;
    this.#onTooLong = onTooLong;
  }

  /** The limit of the connection that has just been opened. */
  begin(bytesMax = protocolBytesMax): void {
    this.#bytesMax = bytesMax;
    this.#kept.clear();
  }

  get keptBack(): readonly string[] {
    return [...this.#kept];
  }

  fits(topic: string, message: CloudMessage): boolean {
    return publishBytes(`${this.#root}/${topic}`, message) <= this.#bytesMax;
  }

  /** Throws MessageTooLong if the message must not be sent. */
  check(topic: string, message: CloudMessage): void {
    const kind = topic.replace(/(^|\/)answer\/.*$/, '$1answer');
    const bytes = publishBytes(`${this.#root}/${topic}`, message);
    if (bytes <= this.#bytesMax) return;
    const tooLong = new MessageTooLong(bytes, this.#bytesMax);
    this.#kept.add(kind);
    const report = `${kind} ${this.#bytesMax}`;
    if (!this.#reported.has(report)) this.#onTooLong(kind, tooLong);
    this.#reported.add(report);
    throw tooLong;
  }
}

/** The whole PUBLISH packet (3.3), as the library writes it: without a topic alias. */
export function publishBytes(topic: string, message: CloudMessage): number {
  const { payload, qos = 0, expiryS, responseTopic, correlation, properties = {} } = message;
  const user = Object.entries(properties).map(([name, value]) => 1 + textBytes(name) + textBytes(value));
  const propertyBytes =
    (expiryS === undefined ? 0 : 5) +
    (responseTopic === undefined ? 0 : 1 + textBytes(responseTopic)) +
    (correlation === undefined ? 0 : 3 + correlation.length) +
    user.reduce((sum, each) => sum + each, 0);
  const packetId = qos === 0 ? 0 : 2;
  return packetBytes(textBytes(topic) + packetId + lengthBytes(propertyBytes) + propertyBytes + payload.length);
}

/** A SUBSCRIBE packet of one topic (3.8): a packet identifier, no properties, and the options. */
export function subscribeBytes(topic: string): number {
  return packetBytes(2 + 1 + textBytes(topic) + 1);
}

function packetBytes(rest: number): number {
  return 1 + lengthBytes(rest) + rest;
}

/** Two bytes of length, then the text. */
function textBytes(text: string): number {
  return 2 + Buffer.byteLength(text);
}

/** A variable byte integer (1.5.5). */
function lengthBytes(value: number): number {
  return value < 128 ? 1 : value < 16_384 ? 2 : value < 2_097_152 ? 3 : 4;
}
