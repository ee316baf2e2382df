import { Duplex } from 'node:stream';
import { type Frame, FrameReader, framed, swapped } from '../../hw-sim/host/iso8583/frame.ts';
import { decodeMessage, encodeMessage, type Message } from '../../hw-sim/host/iso8583/message.ts';
import type { Dial } from '../../src/hosts/iso8583/dial.ts';
import type { TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { Posting } from './card-books.ts';
import type { CardHost } from './card-host.ts';
import { graceMs } from './card-manners.ts';
import type { Dice } from './dice.ts';
import type { Generation } from './generation.ts';
import type { LineSecurity } from './line-security.ts';
import type { Log } from './log.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A frame, and a posting that came so late that only this frame shows it. */
interface Answer {
  readonly bytes: Buffer;
  readonly untold?: Posting;
  /** The settlement that it confirms. */
  readonly settled?: string;
  /** What arrives instead of the answer. */
  readonly tampered?: 'altered' | 'cut' | undefined;
}

/** A message on its way to the host. */
interface Arrival {
  readonly isRequest: boolean;
  timer: unknown;
  readonly comes: () => void;
}

/** A request that is delivered very late. */
interface Kept {
  readonly leftMs: number;
  readonly answered: () => Answer;
}

/** One connection, from the terminal's side. */
class Connection extends Duplex {
  readonly #sent: (frame: Buffer) => void;
  /** Messages keep their order within one connection. */
  arrivesAtMs = 0;
  answersAtMs = 0;
  /** An answer that the network holds back, and for how many more messages: of any type, or of one. */
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

/** Faults of messages between a terminal and a card host, in percent. */
export interface LineTrouble {
  readonly percent: number;
}

/** The line between a terminal and one card host, message by message. */
export class Line {
  readonly host: CardHost;
  trouble: LineTrouble = { percent: 0 };
  down = false;
  /** Authentication codes and an attacker, in schedules that have them. */
  security: LineSecurity | undefined;
  /** Whether the terminal has written the answer to the settlement of this batch and currency. */
  isWritten: (settled: string) => boolean = () => true;
  readonly #time: VirtualTime;
  readonly #dice: Dice;
  /** A generator of its own for faults that were added later: older schedules stay the same. */
  readonly #later: Dice;
  readonly #log: Log;
  /** Called with each message that leaves the terminal, and its transaction. */
  readonly #onLeaving: (message: Message) => TerminalTransactionId | undefined;
  readonly #open = new Set<Connection>();
  /** Requests that a front end holds until their reversal comes. */
  #kept: Kept[] = [];
  readonly #underWay = new Set<Arrival>();
  #uploads = 0;

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

  /** Whether nothing is on its way to the host: then its books are final. */
  get isQuiet(): boolean {
    return this.#underWay.size === 0 && this.#kept.every(({ leftMs }) => this.#time.elapsedMs - leftMs > keptMs);
  }

  /**
   * Whether a request is on its way. After the bank's answer, only the answer to the request could show its posting,
   * and that answer may be lost.
   */
  get hasRequest(): boolean {
    const isKept = this.#kept.some(({ leftMs }) => this.#time.elapsedMs - leftMs <= keptMs);
    return isKept || [...this.#underWay].some(({ isRequest }) => isRequest);
  }

  /** Breaks every connection, and allows no new one. */
  goesDown(): void {
    this.down = true;
    this.cut();
  }

  /** The sending process has ended: some of its messages linger in abandoned connections. */
  orphaned(): void {
    this.cut();
    for (const arrival of this.#underWay) {
      if (this.#dice.odds(60)) continue;
      this.#time.drop(arrival.timer);
      arrival.timer = this.#time.in(this.#dice.between(5_000, 50_000), arrival.comes);
    }
  }

  /** Breaks every connection. */
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
    const message = decodeMessage(this.security?.open(frame.message) ?? frame.message);
    const { mti, fields } = message;
    const money = fields.has(4) ? `, ${Number(fields.get(4))} minor units of ${fields.get(49)}` : '';
    this.#log.push(`terminal -> ${this.host.id}: ${mti} ${fields.get(3)} trace ${fields.get(11)}${money}`);
    const owner = this.#onLeaving(message);
    this.#letsGo(connection, mti, generation);
    const tampering = this.#tampers(connection, frame, message, generation);
    if (tampering === 'forged') return;
    const fate = this.#fate('request');
    if (fate === 'lost' || this.#dropsUpload(mti)) return;
    if (fate === 'closed') this.#closes(connection);
    if (fate === 'closed' && this.#dice.odds(30)) return;
    // The last message of a broken connection lingers: messages of the next connection overtake it.
    const lingers = fate === 'closed' && this.#dice.odds(70);
    const arrivesInMs = this.#inOrder(connection, 'arrivesAtMs', lingers ? this.#dice.of(['slow', 'late']) : fate);
    // A device on the network repeats a message, because there was no answer. A host that rejects an advice that it has
    // taken, because it compares no numbers, has no such device before it: where the first answer is lost on its way,
    // nobody could tell the second from a rejection of the only try.
    const rejectsIt = mti.startsWith('022') && this.host.manners.adviceAgain === 'rejected';
    const times = fate === 'twice' && !rejectsIt ? 2 : 1;
    const leftMs = this.#time.elapsedMs;
    // A message that was sent before the answer arrived may be delivered after it: no terminal can recall it.
    const heardBefore = new Set(this.host.books.heard);
    const isHeardOnce = fate === 'twice' && this.#dice.odds(50);
    const unheard = isHeardOnce && times === 2;
    const answered = (): Answer => {
      const onTheWayMs = this.#time.elapsedMs - leftMs;
      const { message: notes, ...others } = this.host.answer(message, { owner, onTheWayMs, heardBefore });
      if (this.host.manners.reconsiders && notes.fields.get(39) === '55') {
        this.#comes(this.#dice.between(1_000, 90_000), () => {
          const after = this.host.reconsidered(message, owner);
          if (!after) return;
          const bytes = this.#framed(tpdu, after.message);
          this.#answers(connection, mti, { bytes, untold: after.untold }, generation);
        });
      }
      if (isRequest(mti) && this.host.postsLater(message, notes.fields)) {
        const inMs = this.#dice.between(100, graceMs - 10_000);
        this.#comes(inMs, () => this.host.postLater(message, owner, this.#time.elapsedMs - leftMs), true);
      }
      return { bytes: this.#framed(tpdu, notes), ...others, tampered: tampering };
    };
    if (fate === 'late' && isRequest(mti) && this.#dice.odds(25)) {
      this.#kept.push({ leftMs, answered });
      return;
    }
    for (let each = 0; each < times; each++) {
      this.#comes(
        arrivesInMs,
        () => {
          const isConfirmed = owner !== undefined && mti.startsWith('04') && this.host.isConfirmed(owner);
          // The reversal of a posting that the bank has confirmed would never be reported.
          if (isConfirmed && (!generation.alive || connection.destroyed)) return;
          const answer = answered();
          if (isConfirmed) this.#arrives(connection, { ...answer, tampered: undefined }, generation);
          else if (!unheard || each > 0) this.#answers(connection, mti, answer, generation);
        },
        isRequest(mti),
      );
    }
    if (mti.startsWith('04')) this.#letsCome(connection, arrivesInMs, generation);
  }

  #framed(tpdu: Buffer, message: Message): Buffer {
    const bytes = encodeMessage(message);
    const frame = framed(swapped(tpdu), this.security?.seal(bytes) ?? bytes);
    this.security?.record(frame);
    return frame;
  }

  /** An attack, at once or later on the answer. forged: the request does not reach the host. */
  #tampers(
    connection: Connection,
    { tpdu }: Frame,
    message: Message,
    generation: Generation,
  ): 'forged' | 'altered' | 'cut' | undefined {
    const { security } = this;
    const kind = security && this.trouble.percent > 0 ? security.draw(this.host.id) : undefined;
    if (!security || kind === undefined) return undefined;
    if (kind === 'altered' || kind === 'cut') return kind;
    const bytes = kind === 'forged' ? framed(swapped(tpdu), security.forge(message)) : security.replay();
    generation.hears(this.#later.between(1, 100), () => {
      if (bytes && !connection.destroyed) connection.push(bytes);
    });
    return kind === 'forged' && this.#later.odds(70) ? kind : undefined;
  }

  #dropsUpload(mti: string): boolean {
    const { dropsUpload } = this.host.manners;
    if (dropsUpload === 0 || !mti.startsWith('032')) return false;
    this.#uploads += 1;
    if (this.#uploads % dropsUpload !== 0) return false;
    this.#log.counted('upload dropped', this.host.id);
    return true;
  }

  #comes(inMs: number, arrives: () => void, isRequest = false): void {
    const arrival: Arrival = {
      isRequest,
      timer: undefined,
      comes: () => {
        this.#underWay.delete(arrival);
        if (!this.down) arrives();
      },
    };
    arrival.timer = this.#time.in(inMs, arrival.comes);
    this.#underWay.add(arrival);
  }

  /** Delivers requests that were held longer than any grace right after a reversal; their answer may come first. */
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
      // Delivered later, while another answer of its kind is awaited.
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

  /** Delivers a held answer right after a later message, before the answer to that one. */
  #letsGo(connection: Connection, mti: string, generation: Generation): void {
    const { held } = connection;
    if (!held || (held.mti !== undefined && held.mti !== mti) || --held.messages > 0) return;
    connection.held = undefined;
    generation.hears(1, () => {
      this.#arrives(connection, held.answer, generation);
    });
  }

  #arrives(connection: Connection, answer: Answer, generation: Generation): void {
    const { bytes, untold, settled, tampered } = answer;
    if (connection.destroyed) return;
    if (tampered && this.security) {
      connection.push(tampered === 'cut' ? bytes.subarray(0, bytes.length >> 1) : this.security.alter(bytes));
      if (tampered === 'cut') this.#closes(connection);
      return;
    }
    if (this.host.manners.keepsAlive && this.#dice.odds(30)) connection.push(lifeSign);
    if (untold) {
      this.#log.counted('late posting told', `${this.host.id} host: tells trace ${untold.stan} late`);
      // A process that ended before it could write the answer has not received it.
      generation.hears(writingMs, () => delete untold.untold);
    }
    if (settled !== undefined) this.#receives(settled, generation);
    connection.push(bytes);
  }

  /** An answer counts as received once the terminal has written it to disk. */
  #receives(settled: string, generation: Generation): void {
    generation.hears(writingMs, () => {
      if (this.isWritten(settled)) this.host.books.heard.add(settled);
      else this.#receives(settled, generation);
    });
  }

  /** Sends the host's keep-alive at intervals (jPOS, a frame of length zero). */
  #keepsAlive(connection: Connection, generation: Generation): void {
    if (!this.host.manners.keepsAlive) return;
    generation.hears(this.#dice.between(5_000, 60_000), () => {
      if (connection.destroyed) return;
      connection.push(lifeSign);
      this.#keepsAlive(connection, generation);
    });
  }

  /** Delay of a message. A held message is overtaken; all others keep their order. */
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

/** Longest delay by the disk. */
const writingMs = 60_000;
/** Configured default. */
const noRecordGraceMs = 60_000;
/** A message that is held longer is dropped. */
const keptMs = 300_000;
const lifeSign = Buffer.from([0, 0]);

type Fate = 'well' | 'lost' | 'closed' | 'slow' | 'late' | 'twice' | 'garbled' | 'held';

function isRequest(mti: string): boolean {
  return mti === '0100' || mti === '0200';
}

/**
 * Damages a frame so that it is no message. Without a checksum nobody could notice a changed code in a valid message.
 */
function garbled(answer: Buffer): Buffer {
  const bytes = Buffer.from(answer);
  bytes.fill(0xff, 7, 9);
  return bytes;
}
