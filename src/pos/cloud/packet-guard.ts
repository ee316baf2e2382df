import { PublishHead } from './publish-head.ts';

/** The terminal's packets that a broker answers with a packet of its own. */
export type Asking = 'connect' | 'publish' | 'subscribe' | 'unsubscribe' | 'pingreq';

/** The packet types (MQTT 5, 2.1.2), by their number. */
const names = [
  'a reserved packet',
  'CONNECT',
  'CONNACK',
  'PUBLISH',
  'PUBACK',
  'PUBREC',
  'PUBREL',
  'PUBCOMP',
  'SUBSCRIBE',
  'SUBACK',
  'UNSUBSCRIBE',
  'UNSUBACK',
  'PINGREQ',
  'PINGRESP',
  'DISCONNECT',
  'AUTH',
] as const;
const [connack, publish, disconnect] = [2, 3, 14];

const answerOf: Readonly<Record<Asking, number>> = {
  connect: connack,
  publish: 4,
  subscribe: 9,
  unsubscribe: 11,
  pingreq: 13,
};

/** Bytes after the fixed header. Only a PUBLISH contains data of other clients; CONNACK has the broker's properties. */
const controlBytesMax = 4_096;
const connackBytesMax = 16_384;

/**
 * Watches the bytes of a broker before the library reads them: it would collect a packet of any length in memory (MQTT
 * 5, 3.1.2.11.4), and answer or count any number of unexpected packets. With QoS 1 in both directions each packet of a
 * broker is a message, the one answer to a packet of the terminal, or its DISCONNECT.
 */
export class PacketGuard {
  readonly #bytesMax: number;
  /** Answers that are due, by packet type. */
  readonly #due = new Map<number, number>();
  #isAccepted = false;
  #isOver = false;
  /** The first byte of a packet whose length is not whole yet. */
  #first: number | undefined;
  /** Up to four bytes of length (2.1.4). */
  #lengthBytes = 0;
  #length = 0;
  /** Bytes of the present packet that are still to come. */
  #left = 0;
  /** Of the present packet, if it is a PUBLISH. */
  #head: PublishHead | undefined;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The terminal sends a packet that the broker answers once. */
  expect(answerTo: Asking): void {
    const type = answerOf[answerTo];
    this.#due.set(type, (this.#due.get(type) ?? 0) + 1);
  }

  /** Whether a packet has begun and not ended. */
  get isInside(): boolean {
    return this.#left > 0 || this.#first !== undefined;
  }

  /**
   * How many of these bytes may go on to the parser: to the end of one packet at most. Or a sentence with the reason
   * why the connection must end.
   */
  next(bytes: Uint8Array): number | string {
    let at = 0;
    while (at < bytes.length) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, bytes.length - at);
        this.#left -= taken;
        const isShort = this.#head?.admits(bytes.subarray(at, at + taken)) ?? true;
        return isShort ? at + taken : 'the broker sent a PUBLISH whose topic and properties are too long';
      }
      const fault = this.#readHeader(bytes[at++] ?? 0);
      if (fault !== undefined) return fault;
      // A packet without content is over.
      if (!this.isInside) return at;
    }
    return at;
  }

  #readHeader(byte: number): string | undefined {
    if (this.#first === undefined) {
      this.#first = byte;
      this.#lengthBytes = 0;
      this.#length = 0;
      return this.#faultOf(byte);
    }
    this.#length += (byte & 0x7f) * 128 ** this.#lengthBytes;
    this.#lengthBytes += 1;
    const bytesMax = this.#bytesMaxOf(this.#first >> 4);
    if (this.#length > bytesMax || (byte > 0x7f && this.#lengthBytes === 4))
      return `the broker sent a ${names[this.#first >> 4]} of more than ${bytesMax} bytes`;
    if (byte > 0x7f) return undefined;
    this.#left = this.#length;
    this.#head = this.#first >> 4 === publish ? new PublishHead(this.#first) : undefined;
    this.#first = undefined;
    return undefined;
  }

  /** Why a packet that begins with this byte must not come now. */
  #faultOf(first: number): string | undefined {
    const type = first >> 4;
    const name = names[type];
    if (this.#isOver) return `the broker sent ${name} after DISCONNECT`;
    if (!this.#isAccepted && type !== connack) return `the broker sent ${name} before CONNACK`;
    if (type === publish) return (first & 0x06) > 0x02 ? 'the broker sent a message with QoS 2' : undefined;
    if (type === disconnect) {
      this.#isOver = true;
      return undefined;
    }
    const due = this.#due.get(type) ?? 0;
    if (due === 0) return `the broker sent ${name} without being asked`;
    this.#due.set(type, due - 1);
    if (type === connack) this.#isAccepted = true;
    return undefined;
  }

  #bytesMaxOf(type: number): number {
    if (type === publish) return this.#bytesMax;
    return Math.min(this.#bytesMax, type === connack ? connackBytesMax : controlBytesMax);
  }
}
