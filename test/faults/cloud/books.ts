import { isDeepStrictEqual } from 'node:util';
import type { CloudMessage } from '../../../src/payment/contracts/cloud-link.ts';
import type { Dice } from '../dice.ts';
import type { Broker } from './broker.ts';
import type { CloudOptions } from './till.ts';

interface Entry {
  readonly life: number;
  readonly version: number;
  readonly record: unknown;
}

interface Message {
  readonly stream: string;
  readonly seq: number;
  readonly after: number;
  readonly id: string;
  readonly version: number;
  readonly record: unknown;
  readonly originals?: readonly { readonly id: string; readonly record: unknown }[];
}

/** What a transaction or a settlement is at the terminal. */
export interface Kept {
  readonly id: string;
  readonly record: unknown;
}

/**
 * Whoever keeps the chain's books, behind the broker, by the rules of docs/books.md: it takes each change once and in its order, says
 * what it has, and says so when something is missing.
 */
export class Books {
  readonly #world: Pick<CloudOptions, 'time' | 'log'>;
  readonly #broker: Broker;
  readonly #dice: Dice;
  readonly #topic: string;
  readonly #streams = new Map<string, { readonly life: number; seq: number }>();
  readonly #entries = new Map<string, Entry>();
  /** The last message that the terminal has sent, whether it came or not. */
  #sent: { readonly stream: string; readonly seq: number } | undefined;

  constructor(world: Pick<CloudOptions, 'time' | 'log'>, broker: Broker, dice: Dice, root: string) {
    this.#world = world;
    this.#broker = broker;
    this.#dice = dice;
    this.#topic = `${root}/books`;
    this.#connects();
  }

  /** What the terminal has, and these have not or otherwise: in words. */
  differences(kept: readonly Kept[]): string[] {
    return kept.flatMap(({ id, record }) => {
      const entry = this.#entries.get(id);
      if (!entry) return [`the books lack ${id}`];
      return isDeepStrictEqual(entry.record, record) ? [] : [`the books have ${id} otherwise`];
    });
  }

  /** The terminal has sent this. */
  sees({ payload }: CloudMessage): void {
    const { stream, seq } = JSON.parse(Buffer.from(payload).toString()) as Message;
    this.#sent = { stream, seq };
  }

  /** Whoever has the broker says that the books have what they may not have. */
  forges(): void {
    if (!this.#sent) return;
    const { stream, seq } = this.#sent;
    this.#world.log.counted('books: forged acknowledgement');
    this.#acknowledges({ stream, seq: Math.max(0, seq + this.#dice.between(-10, 10)) });
  }

  #receives({ payload }: CloudMessage): void {
    const message = JSON.parse(Buffer.from(payload).toString()) as Message;
    const { stream, seq, after } = message;
    // What went by the first name of a journal may come after what goes by a later one.
    const [journal = ''] = stream.split('.');
    this.#stream(journal);
    const known = this.#stream(stream);
    // The journal goes on under a later name, which its terminal has forgotten.
    const later = [...this.#streams].findLast(
      ([name, { life }]) => name.startsWith(`${journal}.`) && life > known.life,
    );
    if (later) return this.#acknowledges({ stream: later[0], seq: later[1].seq, again: true });
    const isMissing = after > known.seq;
    if (seq > known.seq && !isMissing) {
      known.seq = seq;
      this.#keeps(message, known.life);
    }
    this.#world.log.counted(isMissing ? 'books: something is missing' : 'books: message');
    this.#acknowledges({ stream, seq: known.seq, ...(isMissing ? { again: true } : {}) });
  }

  #stream(name: string): { readonly life: number; seq: number } {
    const known = this.#streams.get(name) ?? { life: this.#streams.size, seq: 0 };
    this.#streams.set(name, known);
    return known;
  }

  #keeps({ id, version, record, originals = [] }: Message, life: number): void {
    for (const each of [{ id, record }, ...originals]) {
      const old = this.#entries.get(each.id);
      if (old && (old.life > life || (old.life === life && old.version > version))) continue;
      this.#entries.set(each.id, { life, version, record: each.record });
    }
  }

  #acknowledges(reported: object): void {
    this.#broker.takes(`${this.#topic}/ack`, { payload: Buffer.from(JSON.stringify(reported)), qos: 1, retain: true });
  }

  #connects(): void {
    const { time } = this.#world;
    const again = () => time.in(1_000, () => this.#connects());
    const hear = (_topic: string, message: CloudMessage) => this.#receives(message);
    if (this.#broker.joins('sink', { hear, end: again })) this.#broker.subscribes('sink', this.#topic, {});
    else again();
  }
}
