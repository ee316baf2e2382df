import { Duplex } from 'node:stream';
import { FrameReader, framed, swapped } from '../../hw-sim/host/iso8583/frame.ts';
import { decodeMessage, encodeMessage, type Message } from '../../hw-sim/host/iso8583/message.ts';
import type { Dial } from '../../src/acquirers/iso8583/dial.ts';
import type { TerminalTransactionId } from '../../src/domain/identifiers.ts';
import type { Posting } from './card-books.ts';
import type { CardHost } from './card-host.ts';
import type { Dice } from './dice.ts';
import type { Generation } from './generation.ts';
import type { Log } from './log.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A frame, and what was posted so late that nothing but this frame tells of it. */
interface Answer {
  readonly bytes: Buffer;
  readonly untold?: Posting;
  /** The settlement that it agrees to. */
  readonly settled?: string;
}

/** On its way to the host. */
interface Arrival {
  timer: unknown;
  readonly comes: () => void;
}

/** A request that comes when nobody expects it any more. */
interface Kept {
  readonly leftMs: number;
  readonly answered: () => Answer;
}

/** One connection as its terminal holds it. */
class Connection extends Duplex {
  readonly #sent: (frame: Buffer) => void;
  /** Messages keep their order within one connection. */
  arrivesAtMs = 0;
  answersAtMs = 0;
  /** An answer that somebody on the way keeps back, and for how many messages more: all, or those of one type. */
  held: { readonly answer: Answer; messages: number; readonly mti?: string } | undefined;

  constructor(sent: (frame: Buffer) => void) {
    super({ allowHalfOpen: false });
    this.#sent = sent;
  }

  override _write(chunk: Buffer, _encoding: unknown, done: () => void): void {
    this.#sent(chunk);
    done();
  }

  override _read(): void {}
}

/** What becomes of messages between a terminal and a card host: trouble in percent. */
export interface LineTrouble {
  readonly percent: number;
}

/** The way from a terminal to one card host, message by message. */
export class Line {
  readonly host: CardHost;
  trouble: LineTrouble = { percent: 0 };
  down = false;
  readonly #time: VirtualTime;
  readonly #dice: Dice;
  /** For what was not thought of at first: without it a schedule plays as it did. */
  readonly #later: Dice;
  readonly #log: Log;
  /** Called for each message as it leaves the terminal; whose it is. */
  readonly #onLeaving: (message: Message) => TerminalTransactionId | undefined;
  readonly #open = new Set<Connection>();
  /** Requests that some front end has kept, until a reversal of theirs comes by. */
  #kept: Kept[] = [];
  readonly #underWay = new Set<Arrival>();

  constructor(
    host: CardHost,
    time: VirtualTime,
    dice: Dice,
    later: Dice,
    log: Log,
    onLeaving: (message: Message) => TerminalTransactionId | undefined,
  ) {
    this.host = host;
    this.#time = time;
    this.#dice = dice;
    this.#later = later;
    this.#log = log;
    this.#onLeaving = onLeaving;
  }

  /** Nothing is on its way to the host: what its books have, they have for good. */
  get isQuiet(): boolean {
    return this.#underWay.size === 0 && this.#kept.every(({ leftMs }) => this.#time.elapsedMs - leftMs > keptMs);
  }

  /** Every connection breaks, and none can be made. */
  goesDown(): void {
    this.down = true;
    this.cut();
  }

  /** The process that sent it is gone: some of what is on its way lingers in a connection that nobody holds any more. */
  orphaned(): void {
    this.cut();
    for (const arrival of this.#underWay) {
      if (this.#dice.odds(60)) continue;
      this.#time.drop(arrival.timer);
      arrival.timer = this.#time.in(this.#dice.between(5_000, 50_000), arrival.comes);
    }
  }

  /** Every connection breaks. */
  cut(): void {
    for (const connection of this.#open) connection.destroy();
  }

  dial(generation: Generation): Dial {
    return (_address, _clock, signal) => {
      const { promise, resolve } = Promise.withResolvers<Duplex | undefined>();
      const refused = this.down || this.#dice.odds(this.trouble.percent / 4);
      generation.hears(this.#dice.between(1, 80), () => {
        if (refused || this.down || signal.aborted) return resolve(undefined);
        const connection: Connection = new Connection((frame) =>
          generation.does(`${this.host.id} message`, () => this.#leaves(connection, frame, generation)),
        );
        this.#open.add(connection);
        connection.once('close', () => this.#open.delete(connection));
        connection.on('error', () => undefined);
        this.#keepsAlive(connection, generation);
        resolve(connection);
      });
      return promise;
    };
  }

  #leaves(connection: Connection, bytes: Buffer, generation: Generation): void {
    const [frame] = new FrameReader().push(bytes);
    if (!frame) throw new Error('a message that is no frame');
    const { tpdu } = frame;
    const message = decodeMessage(frame.message);
    const { mti, fields } = message;
    const money = fields.has(4) ? `, ${Number(fields.get(4))} minor units of ${fields.get(49)}` : '';
    this.#log.push(`terminal -> ${this.host.id}: ${mti} ${fields.get(3)} trace ${fields.get(11)}${money}`);
    const owner = this.#onLeaving(message);
    this.#letsGo(connection, mti, generation);
    const fate = this.#fate('request');
    if (fate === 'lost') return;
    if (fate === 'closed') this.#closes(connection);
    if (fate === 'closed' && this.#dice.odds(30)) return;
    // What was sent last lingers on the way where its connection is gone: what comes by the next one overtakes it.
    const lingers = fate === 'closed' && this.#dice.odds(70);
    const arrivesInMs = this.#inOrder(connection, 'arrivesAtMs', lingers ? this.#dice.of(['slow', 'late']) : fate);
    const times = fate === 'twice' ? 2 : 1;
    // Why somebody on the way sends a message again: there was no answer.
    const leftMs = this.#time.elapsedMs;
    // What was asked for before the answer was heard may come after it: no terminal can call it back.
    const heardBefore = new Set(this.host.books.heard);
    const unheard = fate === 'twice' && this.#dice.odds(50);
    const answered = (): Answer => {
      const onTheWayMs = this.#time.elapsedMs - leftMs;
      const { message: told, ...tells } = this.host.answer(message, { owner, onTheWayMs, heardBefore });
      if (this.host.manners.reconsiders && told.fields.get(39) === '55') {
        this.#comes(this.#dice.between(1_000, 90_000), () => {
          const after = this.host.reconsidered(message, owner);
          if (!after) return;
          const bytes = framed(swapped(tpdu), encodeMessage(after.message));
          this.#answers(connection, mti, { bytes, untold: after.untold }, generation);
        });
      }
      return { bytes: framed(swapped(tpdu), encodeMessage(told)), ...tells };
    };
    if (fate === 'late' && isRequest(mti) && this.#dice.odds(25)) {
      this.#kept.push({ leftMs, answered });
      return;
    }
    for (let each = 0; each < times; each++) {
      this.#comes(arrivesInMs, () => {
        const answer = answered();
        if (!unheard || each > 0) this.#answers(connection, mti, answer, generation);
      });
    }
    if (mti.startsWith('04')) this.#letsCome(connection, arrivesInMs, generation);
  }

  #comes(inMs: number, arrives: () => void): void {
    const arrival: Arrival = {
      timer: undefined,
      comes: () => {
        this.#underWay.delete(arrival);
        if (!this.down) arrives();
      },
    };
    arrival.timer = this.#time.in(inMs, arrival.comes);
    this.#underWay.add(arrival);
  }

  /** What was kept longer than any grace comes right behind a reversal, and may be answered before that one. */
  #letsCome(connection: Connection, inMs: number, generation: Generation): void {
    const kept = this.#kept;
    this.#kept = kept.filter(({ leftMs }) => this.#time.elapsedMs - leftMs <= noRecordGraceMs);
    for (const { leftMs, answered } of kept) {
      const agoMs = this.#time.elapsedMs - leftMs;
      if (agoMs <= noRecordGraceMs || agoMs > keptMs) continue;
      this.#log.counted('request kept until its reversal', this.host.id);
      const comesMs = inMs + this.#dice.between(1, 50);
      const waitMs = this.#dice.of([0, this.#dice.between(1_000, 10_000)]);
      connection.answersAtMs = Math.max(connection.answersAtMs, this.#time.elapsedMs + comesMs + waitMs);
      this.#comes(comesMs, () => {
        const answer = answered();
        generation.hears(this.#dice.between(5, 200), () => this.#arrives(connection, answer, generation));
      });
    }
  }

  #answers(connection: Connection, mti: string, answer: Answer, generation: Generation): void {
    const fate = this.#fate('answer');
    if (fate === 'lost') {
      // Not for ever: it comes where another answer of its kind is waited for.
      if (isRequest(mti) && this.#later.odds(50)) connection.held = { answer, messages: 1, mti };
      return;
    }
    if (fate === 'closed') return this.#closes(connection);
    if (fate === 'held') {
      connection.held = { answer, messages: this.#dice.between(1, 3) };
      return;
    }
    const arrives = () => {
      if (fate === 'garbled') connection.push(garbled(answer.bytes));
      else this.#arrives(connection, answer, generation);
    };
    const arrivesInMs = this.#inOrder(connection, 'answersAtMs', fate);
    generation.hears(arrivesInMs, arrives);
    if (fate === 'twice') generation.hears(arrivesInMs + this.#dice.between(0, 40_000), arrives);
  }

  /** What was held back comes right behind a later message, before that one's own answer. */
  #letsGo(connection: Connection, mti: string, generation: Generation): void {
    const { held } = connection;
    if (!held || (held.mti !== undefined && held.mti !== mti) || --held.messages > 0) return;
    connection.held = undefined;
    generation.hears(1, () => {
      this.#arrives(connection, held.answer, generation);
    });
  }

  #arrives(connection: Connection, { bytes, untold, settled }: Answer, generation: Generation): void {
    if (connection.destroyed) return;
    if (this.host.manners.keepsAlive && this.#dice.odds(30)) connection.push(lifeSign);
    if (untold) {
      this.#log.counted('late posting told', `${this.host.id} host: tells trace ${untold.stan} late`);
      // A process that is gone before it could write it down has not heard it.
      generation.hears(writingMs, () => delete untold.untold);
    }
    if (settled !== undefined) generation.hears(writingMs, () => this.host.books.heard.add(settled));
    connection.push(bytes);
  }

  /** Every so often the host shows that it is there (jPOS, a frame of length zero). */
  #keepsAlive(connection: Connection, generation: Generation): void {
    if (!this.host.manners.keepsAlive) return;
    generation.hears(this.#dice.between(5_000, 60_000), () => {
      if (connection.destroyed) return;
      connection.push(lifeSign);
      this.#keepsAlive(connection, generation);
    });
  }

  /** How long it takes. What somebody on the way has kept back is overtaken; everything else keeps its order. */
  #inOrder(connection: Connection, way: 'arrivesAtMs' | 'answersAtMs', fate: Fate): number {
    const tookMs = this.#tookMs(fate);
    if (fate === 'late') return tookMs;
    connection[way] = Math.max(connection[way], this.#time.elapsedMs + tookMs);
    return connection[way] - this.#time.elapsedMs;
  }

  #closes(connection: Connection): void {
    this.#time.in(this.#dice.between(0, 50), () => connection.destroy());
  }

  #fate(what: 'request' | 'answer'): Fate {
    if (!this.#dice.odds(this.trouble.percent)) return 'well';
    const fate = this.#dice.one<Fate>([
      [3, 'lost'],
      [3, 'closed'],
      [2, 'slow'],
      [3, 'late'],
      [1, 'twice'],
      [what === 'answer' ? 1 : 0, 'garbled'],
      [what === 'answer' ? 1 : 0, 'held'],
    ]);
    this.#log.counted(`${what} ${fate}`, this.host.id);
    return fate;
  }

  #tookMs(fate: Fate): number {
    if (fate === 'slow') return this.#dice.between(1_000, 12_000);
    return fate === 'late'
      ? this.#dice.of([this.#dice.between(12_000, 60_000), this.#dice.between(56_000, 150_000)])
      : this.#dice.between(2, 150);
  }
}

/** So long a disk may keep it waiting. */
const writingMs = 60_000;
/** As configured where nobody says otherwise. */
const noRecordGraceMs = 60_000;
/** What is kept longer is thrown away. */
const keptMs = 300_000;
const lifeSign = Buffer.from([0, 0]);

type Fate = 'well' | 'lost' | 'closed' | 'slow' | 'late' | 'twice' | 'garbled' | 'held';

function isRequest(mti: string): boolean {
  return mti === '0100' || mti === '0200';
}

/** No message any more: a line without a checksum that turns one code into another could not be noticed by anybody. */
function garbled(answer: Buffer): Buffer {
  const bytes = Buffer.from(answer);
  bytes.fill(0xff, 7, 9);
  return bytes;
}
