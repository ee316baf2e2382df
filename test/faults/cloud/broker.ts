import type { CloudMessage, SubscribeOptions } from '../../../src/payment/contracts/cloud-link.ts';
import type { Dice } from '../dice.ts';
import type { Log } from '../log.ts';
import type { VirtualTime } from '../virtual-time.ts';

/** How a client is reached while it is connected. */
export interface Ears {
  readonly hear: (topic: string, message: CloudMessage) => void;
  readonly end: () => void;
}

interface Session {
  ears: Ears | undefined;
  leftMs: number;
  readonly topics: Map<string, SubscribeOptions>;
  readonly queue: { readonly topic: string; readonly message: CloudMessage; readonly untilMs: number }[];
}

type Fate = 'well' | 'lost' | 'twice' | 'slow' | 'late' | 'replayed' | 'retained' | 'misdirected' | 'altered';

/** How long a session outlives its connection. */
const sessionMs = 60_000;

/**
 * A message broker in virtual time: topics, retained messages, sessions, expiry. It is not to be trusted: it loses,
 * repeats, delays and alters messages, and says what it likes of their age.
 */
export class Broker {
  /** Faults of messages, in percent. */
  trouble = 0;
  isDown = false;
  readonly #time: VirtualTime;
  readonly #dice: Dice;
  readonly #log: Log;
  readonly #root: string;
  readonly #sessions = new Map<string, Session>();
  readonly #retained = new Map<string, CloudMessage>();
  /** Calls that it hands out again later. */
  readonly #kept: { readonly topic: string; readonly message: CloudMessage }[] = [];

  constructor(time: VirtualTime, dice: Dice, log: Log, root: string) {
    this.#time = time;
    this.#dice = dice;
    this.#log = log;
    this.#root = root;
  }

  /** Opens a connection, and goes on with the client's session if there is one. False if there is no broker. */
  joins(client: string, ears: Ears): boolean {
    if (this.isDown) return false;
    this.cuts(client);
    const before = this.#sessions.get(client);
    const isAlive = before !== undefined && this.#time.elapsedMs - before.leftMs < sessionMs;
    const session = isAlive ? before : { ears, leftMs: 0, topics: new Map(), queue: [] };
    session.ears = ears;
    this.#sessions.set(client, session);
    for (const { topic, message, untilMs } of session.queue.splice(0))
      if (this.#time.elapsedMs < untilMs) this.#sends(client, topic, message);
    return true;
  }

  subscribes(client: string, topic: string, options: SubscribeOptions): void {
    this.#sessions.get(client)?.topics.set(topic, options);
    const retained = this.#retained.get(topic);
    if (retained) this.#sends(client, topic, { ...retained, retain: true });
    for (const kept of this.#kept.filter((each) => each.topic === topic)) this.#sends(client, topic, kept.message);
  }

  unsubscribes(client: string, topic: string): void {
    this.#sessions.get(client)?.topics.delete(topic);
  }

  /** A client publishes. */
  takes(topic: string, message: CloudMessage): void {
    if (this.isDown) return;
    if (message.retain) this.#retained.set(topic, message);
    for (const [client, { topics }] of this.#sessions)
      if (topics.has(topic)) this.#sends(client, topic, { ...message, retain: false });
  }

  /** The connection breaks, or its client is gone. */
  cuts(client: string): void {
    const session = this.#sessions.get(client);
    if (!session?.ears) return;
    const { ears } = session;
    Object.assign(session, { ears: undefined, leftMs: this.#time.elapsedMs });
    ears.end();
  }

  /** With its persistence it has its sessions and retained messages afterwards. */
  restarts(downMs: number, isPersistent: boolean): void {
    this.#log.counted(`broker restarts ${isPersistent ? 'with' : 'without'} its persistence`);
    this.isDown = true;
    for (const client of this.#sessions.keys()) this.cuts(client);
    if (!isPersistent) {
      this.#sessions.clear();
      this.#retained.clear();
    }
    this.#time.in(downMs, () => (this.isDown = false));
  }

  /** From now on it does its work. */
  heals(): void {
    this.trouble = 0;
    this.#kept.length = 0;
    this.#retained.clear();
  }

  #sends(client: string, topic: string, message: CloudMessage): void {
    const fate = this.#fate(topic);
    const usualMs = this.#dice.between(5, 80);
    const arrives = (ms: number, what = message) => this.#arrivesIn(ms, client, topic, what);
    switch (fate) {
      case 'well':
        return arrives(usualMs);
      case 'lost':
        return;
      case 'twice':
        arrives(usualMs);
        return arrives(usualMs + this.#dice.between(0, 40_000));
      case 'slow':
        return arrives(this.#dice.between(1_000, 12_000));
      case 'late':
        return arrives(this.#dice.of([this.#dice.between(12_000, 59_000), this.#dice.between(61_000, 150_000)]));
      case 'replayed':
        this.#kept.push({ topic, message });
        this.#time.in(this.#dice.between(1_000, 1_800_000), () => {
          if (this.#kept.some((kept) => kept.message === message)) arrives(0);
        });
        // The terminal may hear it for the first time then.
        return this.#dice.odds(50) ? arrives(usualMs) : undefined;
      case 'retained':
        this.#retained.set(topic, message);
        return arrives(usualMs, { ...message, retain: true });
      case 'misdirected':
        return arrives(usualMs, { ...message, responseTopic: this.#otherTopic() });
      case 'altered':
        return arrives(usualMs, { ...message, payload: altered(message.payload) });
    }
  }

  /** One that only the terminal, or another one, may write to. */
  #otherTopic(): string {
    return this.#dice.of([
      `${this.#root}/status`,
      `${this.#root}/books/ack`,
      `${this.#root}/configuration`,
      `${this.#root}0/answer/a`,
    ]);
  }

  #arrivesIn(ms: number, client: string, topic: string, message: CloudMessage): void {
    const untilMs = this.#time.elapsedMs + (message.expiryS ?? Infinity) * 1_000;
    this.#time.in(ms, () => {
      const session = this.#sessions.get(client);
      if (!session?.topics.has(topic)) return;
      if (session.ears) session.ears.hear(topic, message);
      else if (message.qos === 1) session.queue.push({ topic, message, untilMs });
    });
  }

  #fate(topic: string): Fate {
    if (!this.#dice.odds(this.trouble)) return 'well';
    const isCall = topic.endsWith('/call');
    // What the books are told is not signed: their reconciliation shows what was altered.
    const isSigned = isCall || topic.includes('/answer/');
    const fate = this.#dice.one<Fate>([
      [4, 'lost'],
      [2, 'twice'],
      [3, 'slow'],
      [3, 'late'],
      [isCall ? 2 : 0, 'replayed'],
      [isCall ? 2 : 0, 'retained'],
      [isCall ? 1 : 0, 'misdirected'],
      [isSigned ? 1 : 0, 'altered'],
    ]);
    this.#log.counted(`cloud ${isCall ? 'call' : isSigned ? 'answer' : 'books'} ${fate}`);
    return fate;
  }
}

/** Another amount, or another result. */
function altered(payload: Uint8Array): Uint8Array {
  const text = Buffer.from(payload).toString();
  return Buffer.from(text.replace(/"requestAmount":(\d)/, '"requestAmount":9$1').replace('SUCCESS', 'FAIL'));
}
