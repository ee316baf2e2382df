import { openPosCalls } from '../../../src/pos/api/open-pos-calls.ts';
import { CallRooms } from '../../../src/pos/api/call-rooms.ts';
import type { ApiParts } from '../../../src/pos/api/call.ts';
import { CloudCalls } from '../../../src/pos/api/cloud-calls.ts';
import { Calls } from '../../../src/pos/cloud/calls.ts';
import { CloudConnection } from '../../../src/pos/cloud/connection.ts';
import { type BookSource, type CloudBooks, openBooks } from '../../../src/pos/cloud/link/books.ts';
import { describeChange } from '../../../src/pos/api/books.ts';
import type { Dial } from '../../../src/pos/cloud/session.ts';
import type { Accepted } from '../../../src/payment/events/accepted.ts';
import type { PairedKeys } from '../../../src/pos/pairing/paired-keys.ts';
import { RequestAuthenticator } from '../../../src/pos/pairing/request-authenticator.ts';
import type { CloudMessage } from '../../../src/payment/contracts/cloud-link.ts';
import type { Journal } from '../../../src/payment/contracts/journal.ts';
import type { Dice } from '../dice.ts';
import type { Generation } from '../generation.ts';
import { Books, type Kept } from './books.ts';
import { Broker } from './broker.ts';
import { Refusals } from './refusals.ts';
import { type CloudOptions, CloudTill, tillKey } from './till.ts';

const root = 'poid/v1/T-1';
const authority = 't-1.poid';
const terminal = 'T-1';

/** The pairing of the till, which outlives every process. */
const { posId, keyId, secret } = tillKey;
const pairing = { posId, keyId, key: Buffer.from(secret).toString('hex'), pairedAt: '2026-01-01T00:00:00.000Z' };
const keys = { all: async () => [pairing], onWritten: () => undefined } as unknown as PairedKeys;

type ServedParts = ApiParts & BookSource;
const bookTopics = [`${root}/books`, `${root}/books/state`];

function isOlderCopy(error: unknown): boolean {
  return error instanceof Error && /is an older copy, and is sent again|this one is sent again/.test(error.message);
}

/** A broker, a till and the chain's books behind it. */
export class Cloud {
  readonly till: CloudTill;
  readonly #world: CloudOptions;
  readonly #dice: Dice;
  readonly #broker: Broker;
  /** By message id: the latest `expires` of its calls that were delivered, and may be carried out. Unix seconds. */
  readonly #expiry = new Map<string, number>();
  readonly #books: Books;
  readonly #refusals: Refusals;
  /** Of the terminal's present life. */
  #published: CloudBooks | undefined;
  #parts: ServedParts | undefined;
  #isWell = false;

  constructor(world: CloudOptions, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
    this.#broker = new Broker(world.time, dice, world.log, root);
    this.till = new CloudTill(world, this.#broker, dice, root, authority);
    this.#refusals = new Refusals(world);
    this.#books = new Books(world, this.#broker, dice, root);
  }

  begins(): void {
    this.till.opens();
    this.#changes();
  }

  /** Ends all faults, and the till begins nothing any more. */
  heals(): void {
    this.#isWell = true;
    this.#broker.heals();
    this.till.closed = true;
  }

  /** The process of the terminal has ended. */
  gone(): void {
    this.#broker.cuts(terminal);
  }

  /** One life of the terminal's end of the link, as src/main/composition assembles it. */
  async serves(
    generation: Generation,
    parts: ServedParts,
    onFailure: (error: unknown) => void,
  ): Promise<{ close(): Promise<void> }> {
    const { clock } = generation;
    const authenticator = await RequestAuthenticator.open(keys, clock);
    const random = { bytes: (length: number) => Uint8Array.from({ length }, () => this.#dice.between(0, 255)) };
    const link = new CloudConnection({ dial: this.#dial(generation), root, clock, random });
    const posCalls = openPosCalls({ parts, isPairingRequired: false, rooms: new CallRooms(), onFailure });
    const answering = new CloudCalls({ calls: posCalls, authenticator, authority, bodyBytesMax: 65_536, onFailure });
    const calls = new Calls({ link, root, answer: (call) => answering.answer(call) });
    // An older copy of the journal is sent again, and reported as one: no fault.
    const onBooks = (error: unknown) => (isOlderCopy(error) ? undefined : onFailure(error));
    this.#parts = parts;
    const books = (this.#published = openBooks(parts, parts, { link, clock, random, onFailure: onBooks }));
    link.open();
    return {
      close: async () => {
        await books.close();
        await calls.close();
        await link.close();
      },
    };
  }

  /** The journal, with a look at what the till's payments begin with. */
  watched(journal: Journal): Journal {
    const open: Journal['open'] = (id, accepted, events) => {
      this.#opens(accepted);
      return journal.open(id, accepted, events);
    };
    const append: Journal['append'] = async (...written) => {
      const done = await journal.append(...written);
      this.#published?.notice();
      return done;
    };
    return { ...journal, open, append };
  }

  /** What the books lack of the terminal's journal, in words. In peace. */
  async missing(): Promise<string[]> {
    const { store } = this.#world.disk;
    const parts = this.#parts;
    if (!parts) return ['the terminal has not started'];
    const kept: Kept[] = [];
    for (let after = 0, hasMore = true; hasMore; ) {
      const slice = store.changes(after);
      for (const change of slice.changes) {
        const reported = await describeChange(change, parts);
        if (reported) kept.push({ id: change.id, record: JSON.parse(JSON.stringify(reported.record)) });
      }
      ({ until: after, hasMore } = slice);
    }
    this.#world.log.counted('books compared', `${kept.length} transactions and settlements`);
    return this.#books.differences(kept);
  }

  #opens({ posId: owner, messageId }: Accepted): void {
    if (owner !== posId) return;
    const { rules, clock, log } = this.#world;
    const expiresS = this.#expiry.get(messageId);
    log.counted('cloud payment begins', messageId);
    if (expiresS === undefined) rules.fault(`I4: ${messageId} begins by a call that must not be carried out`);
    else if (clock.now().getTime() >= expiresS * 1_000) rules.fault(`I4: ${messageId} begins after its call is over`);
  }

  /** What the broker hands to the terminal. */
  #delivered({ payload, properties = {}, responseTopic = '', retain }: CloudMessage): void {
    const [, expires = '0'] = /;expires=(\d+)/.exec(properties['signature-input'] ?? '') ?? [];
    const [, messageId = ''] = /"messageId":"([^"]*)"/.exec(Buffer.from(payload).toString()) ?? [];
    if (retain || !responseTopic.startsWith(`${root}/answer/`)) return;
    this.#expiry.set(messageId, Math.max(Number(expires), this.#expiry.get(messageId) ?? 0));
  }

  #dial(generation: Generation): Dial {
    const soon = () =>
      new Promise<void>((resolve) => {
        generation.receives(this.#dice.between(5, 200), resolve);
      });
    return async ({ onMessage, onEnd }) => {
      await soon();
      let isOver = false;
      const end = () => {
        isOver = true;
        generation.receives(0, onEnd);
      };
      const hear = (topic: string, message: CloudMessage) => {
        this.#delivered(message);
        this.#refusals.delivers(message);
        generation.receives(0, () => void onMessage(topic, message));
      };
      if (!generation.alive || !this.#broker.joins(terminal, { hear, end })) throw new Error('no broker');
      this.#world.log.counted('cloud link up');
      return {
        publish: async (topic, message) => {
          if (isOver) throw new Error('the connection broke');
          generation.does('publish', () => this.#writes(topic, message));
          await soon();
          if (isOver) throw new Error('the connection broke');
        },
        subscribe: async (topic, options) => {
          await soon();
          if (isOver) throw new Error('the connection broke');
          this.#broker.subscribes(terminal, topic, options);
        },
        unsubscribe: (topic) => this.#broker.unsubscribes(terminal, topic),
        end: async () => {
          if (!isOver) this.#broker.cuts(terminal);
        },
        cut: () => {
          if (!isOver) this.#broker.cuts(terminal);
        },
      };
    };
  }

  #writes(topic: string, message: CloudMessage): void {
    const isOwn = topic === this.till.topic || bookTopics.includes(topic);
    if (topic === bookTopics[0]) this.#books.sees(message);
    if (topic === this.till.topic) this.#refusals.answers(message);
    if (!isOwn) this.#world.rules.fault(`the terminal lets a call write to ${topic}`);
    this.#broker.takes(topic, message);
  }

  #changes(): void {
    if (this.#isWell) return;
    const dice = this.#dice;
    this.#broker.trouble = dice.of([0, 0, 20, 50, 80]);
    if (dice.odds(10)) this.#books.forges();
    if (!this.#broker.isDown && dice.odds(10)) this.#broker.restarts(dice.between(200, 90_000), dice.odds(50));
    else if (dice.odds(8)) this.#broker.cuts(terminal);
    this.#world.time.in(dice.between(5_000, 60_000), () => this.#changes());
  }
}
