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
import { networkCodes, outOfStep } from './keyed-dialects.ts';
import type { LineSecurity, Opened } from './line-security.ts';
import type { Log } from './log.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A frame, and a posting that came so late that only this frame shows it. */
interface Answer {
  readonly bytes: Buffer;
  readonly unreported?: Posting;
  /** The settlement that it confirms. */
  readonly settled?: string;
  /** What arrives instead of the answer. */
  readonly tampered?: 'altered' | 'cut' | undefined;
  /** On a line with working keys: message type and trace number, and the key of its code. */
  readonly name?: string;
  readonly key?: Buffer | undefined;
  /** It approves a sign-on. */
  readonly isSignOn?: boolean;
  /** How often and how late the answer is sent. Absent: once and immediately. */
  readonly times?: number;
  readonly afterMs?: number;
}

/** A request whose answer the terminal awaits, on a line with working keys. */
interface Awaited {
  readonly key: Buffer | undefined;
  readonly untilMs: number;
}

/** A message on its way to the host. */
interface Arrival {
  readonly isRequest: boolean;
  timer: unknown;
  readonly comes: () => void;
}

/** A message of the terminal, as it was sent. */
interface Sent {
  readonly message: Message;
  readonly opened: Opened;
  readonly tpdu: Buffer;
  readonly owner: TerminalTransactionId | undefined;
  readonly leftMs: number;
  readonly heardBefore: ReadonlySet<string>;
  readonly tampering: 'altered' | 'cut' | undefined;
}

/** A request that is delivered very late. */
interface Kept {
  readonly leftMs: number;
  readonly answered: () => Answer | undefined;
}

/** One connection, from the terminal's side. */
class Connection extends Duplex {
  readonly #sent: (frame: Buffer) => void;
  /** Messages keep their order within one connection. */
  arrivesAtMs = 0;
  answersAtMs = 0;
  /** An answer that the network holds back, and for how many more messages: of any type, or of one. */
  held: { readonly answer: Answer; messages: number; readonly mti?: string } | undefined;
  /** By type and trace number of the answer: the requests whose answers the terminal awaits. */
  readonly awaited = new Map<string, Awaited>();
  isSignedOn = false;
  /** Whether the network ends the connection, not the terminal. */
  isCutOff = false;
  /** The number of deliveries to the terminal. */
  deliveries = 0;

  constructor(sent: (frame: Buffer) => void) {
    super({ allowHalfOpen: false });
    this.#sent = sent;
  }

  override _write(chunk: Buffer, _encoding: unknown, done: () => void): void {
    this.#sent(chunk);
    done();
  }

  override _read(): void {}

  override push(chunk: Buffer | null): boolean {
    this.deliveries += 1;
    return super.push(chunk);
  }
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
  /** How long the address is unavailable after the host has carried out a request and before its answer; may be 0. */
  drawAwayMs: () => number = () => 0;
  /** Called when the terminal violates a rule of the line. */
  onFault: (what: string) => void = () => undefined;
  /** Authentication codes and an attacker, in schedules that have them. */
  security: LineSecurity | undefined;
  /** Whether the terminal has written the answer to the settlement of this batch and currency. */
  isWritten: (settled: string) => boolean = () => true;
  /** When the terminal's disk last failed, in virtual time. */
  diskFailedAtMs: () => number = () => -Infinity;
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
  #awayUntilMs = 0;

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

  /** Whether the host can't be reached at this address. */
  get isGone(): boolean {
    return this.down || this.isAway;
  }

  /** Whether the address is unavailable after a request. */
  get isAway(): boolean {
    return this.#time.elapsedMs < this.#awayUntilMs;
  }

  /** Ends the attacks. An answer that the attacker holds back does not arrive. */
  heals(): void {
    for (const connection of this.#open) if (connection.held?.answer.tampered) connection.held = undefined;
  }

  /** Breaks every connection, and allows no new one. */
  goesDown(): void {
    this.down = true;
    this.cut();
  }

  /** The sending process has ended: some of its messages linger in abandoned connections. */
  orphaned(): void {
    this.cut();
    this.security?.working?.restarts(this.trouble.percent > 0);
    for (const arrival of this.#underWay) {
      if (this.#dice.odds(60)) continue;
      this.#time.drop(arrival.timer);
      arrival.timer = this.#time.in(this.#dice.between(5_000, 50_000), arrival.comes);
    }
  }

  /** Breaks every connection. */
  cut(): void {
    for (const connection of this.#open) {
      connection.isCutOff = true;
      connection.destroy();
    }
  }

  dial(generation: Generation): Dial {
    return (_address, _clock, signal) => {
      const { promise, resolve } = Promise.withResolvers<Duplex | undefined>();
      const refused = this.isGone || this.#dice.odds(this.trouble.percent / 4);
      generation.receives(this.#dice.between(1, 80), () => {
        if (refused || this.isGone || signal.aborted) return resolve(undefined);
        const connection: Connection = new Connection((frame) =>
          generation.does(`${this.host.label} message`, () => this.#leaves(connection, frame, generation)),
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
    const opened = this.security?.open(frame.message) ?? { rest: frame.message };
    const message = decodeMessage(opened.rest);
    const { mti, fields } = message;
    const money = fields.has(4) ? `, ${Number(fields.get(4))} minor units of ${fields.get(49)}` : '';
    this.#log.push(`terminal -> ${this.host.label}: ${mti} ${fields.get(3)} trace ${fields.get(11)}${money}`);
    const owner = this.#onLeaving(message);
    if (this.security?.working) this.#notes(connection, message, opened);
    this.#letsGo(connection, mti, generation);
    const tampering = this.#tampers(connection, frame, message, opened, generation);
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
    const sent: Sent = { message, opened, tpdu, owner, leftMs, heardBefore, tampering };
    const answered = () => this.#answerTo(sent, connection, generation);
    if (fate === 'late' && isRequest(mti) && this.#dice.odds(25)) {
      this.#kept.push({ leftMs, answered });
      return;
    }
    for (let each = 0; each < times; each++) {
      this.#comes(
        arrivesInMs,
        () => {
          const isConfirmed = owner !== undefined && mti.startsWith('04') && this.host.isConfirmed(owner);
          // The reversal of a posting that the bank has confirmed would never be reported. Nor does the bank confirm
          // what a message that is older than the no-record window would undo.
          const isOlder = this.#time.elapsedMs - leftMs > noRecordGraceMs;
          if (isConfirmed && (!generation.alive || connection.destroyed || isOlder)) return;
          const answer = answered();
          if (isConfirmed && answer) return this.#arrives(connection, { ...answer, tampered: undefined }, generation);
          if (this.#goesAway(message) || !answer) return;
          if (!unheard || each > 0) this.#sends(connection, mti, answer, generation);
        },
        isRequest(mti),
      );
    }
    if (mti.startsWith('04')) this.#letsCome(connection, arrivesInMs, generation);
  }

  /** Passes a message that has arrived to the host. Returns its answer. */
  #answerTo(sent: Sent, connection: Connection, generation: Generation): Answer | undefined {
    const { message, opened, tpdu, owner, leftMs, heardBefore, tampering } = sent;
    const { mti } = message;
    const onTheWayMs = this.#time.elapsedMs - leftMs;
    const managed = this.#managed(tpdu, message, opened);
    if (managed) return managed === 'silent' ? undefined : { ...managed, tampered: tampering };
    const { message: notes, ...others } = this.host.answer(message, { owner, onTheWayMs, heardBefore });
    if (this.host.manners.reconsiders && notes.fields.get(39) === '55') {
      this.#comes(this.#dice.between(1_000, 90_000), () => {
        const after = this.host.reconsidered(message, owner);
        if (!after) return;
        const { unreported } = after;
        this.#answers(connection, mti, { ...this.#sealed(tpdu, after.message, opened.key), unreported }, generation);
      });
    }
    if (isRequest(mti) && this.host.postsLater(message, notes.fields)) {
      const inMs = this.#dice.between(100, graceMs - 10_000);
      this.#comes(inMs, () => this.host.postLater(message, owner, this.#time.elapsedMs - leftMs), true);
    }
    const key = this.security?.working && opened.key && this.#answerKey(mti, opened.key);
    return { ...this.#sealed(tpdu, notes, key ?? opened.key), ...others, tampered: tampering };
  }

  /** An answer with its code. `key`: on a line with working keys; undefined there if the answer has no code. */
  #sealed(tpdu: Buffer, message: Message, key: Buffer | undefined): Pick<Answer, 'bytes' | 'name' | 'key'> {
    const plain = encodeMessage(message);
    const isOpen = !this.security || (this.security.working && !key);
    const bytes = framed(swapped(tpdu), isOpen ? plain : (this.security?.seal(plain, key) ?? plain));
    this.security?.record(bytes);
    return { bytes, name: nameOf(message.mti, message), key };
  }

  /** Records that the terminal has sent a message on a line with working keys. */
  #notes(connection: Connection, message: Message, { key }: Opened): void {
    const { mti } = message;
    connection.awaited.set(nameOf(answerType(message), message), {
      key,
      untilMs: this.#time.elapsedMs + replyTimeoutMs,
    });
    if (mti !== '0800' && this.security?.terms?.signsOn === true && !connection.isSignedOn)
      this.onFault(`a message of type ${mti} leaves for ${this.host.label} before the sign-on is approved`);
  }

  /** The key of the answer to a message that the host has carried out. */
  #answerKey(mti: string, key: Buffer): Buffer | undefined {
    return this.security?.working?.answerKey(mti, key, this.trouble.percent > 0);
  }

  /** The answer to a message that reaches no books: network management, or a key that the host does not accept. */
  #managed(tpdu: Buffer, message: Message, { key }: Opened): Answer | 'silent' | undefined {
    const working = this.security?.working;
    if (!working) return undefined;
    const isTroubled = this.trouble.percent > 0;
    if (message.mti === '0800' || !key) {
      const { message: reply, ...how } = working.answer(message, isTroubled) ?? {};
      return reply ? { ...this.#sealed(tpdu, reply, undefined), ...how } : 'silent';
    }
    const refusal = working.admit(message.mti, key, isTroubled);
    if (refusal === undefined) return undefined;
    // With this answer to a repeat, the host would deny a request that it has carried out.
    if (refusal === 'silent' || this.host.hasCarriedOut(message)) return 'silent';
    return this.#sealed(tpdu, this.host.refuse(message, outOfStep), refusal === 'announced' ? key : working.present);
  }

  /** Whether the address becomes unavailable after the host has carried out a request, before its answer. */
  #goesAway(message: Message): boolean {
    const awayMs = this.trouble.percent > 0 && this.host.hasCarriedOut(message) ? this.drawAwayMs() : 0;
    if (awayMs === 0) return false;
    this.#awayUntilMs = this.#time.elapsedMs + awayMs;
    this.cut();
    return true;
  }

  /** Sends an answer as often and as late as the host decided. */
  #sends(connection: Connection, mti: string, answer: Answer, generation: Generation): void {
    const { times = 1, afterMs = 0 } = answer;
    for (let each = 0; each < times; each++) {
      if (afterMs === 0) this.#answers(connection, mti, answer, generation);
      else generation.receives(afterMs, () => this.#answers(connection, mti, answer, generation));
    }
  }

  /** An attack, at once or later on the answer. forged: the request does not reach the host. */
  #tampers(
    connection: Connection,
    { tpdu }: Frame,
    message: Message,
    { key }: Opened,
    generation: Generation,
  ): 'forged' | 'altered' | 'cut' | undefined {
    const { security } = this;
    const kind = security && this.trouble.percent > 0 ? security.draw(this.host.label) : undefined;
    if (!security || kind === undefined) return undefined;
    if (kind === 'altered' || kind === 'cut') return kind;
    if (message.mti === '0800') return this.#replays(connection, tpdu, message, generation);
    const bytes = kind === 'forged' ? framed(swapped(tpdu), security.forge(message, key)) : security.replay();
    generation.receives(this.#later.between(1, 100), () => {
      if (!bytes || connection.destroyed) return;
      if (security.working && kind === 'forged')
        this.#hands(connection, { bytes }, nameOf(answerType(message), message), generation);
      else connection.push(bytes);
    });
    return kind === 'forged' && this.#later.odds(70) ? kind : undefined;
  }

  /** The attacker replays the answer to an earlier key exchange. */
  #replays(connection: Connection, tpdu: Buffer, message: Message, generation: Generation): undefined {
    const isExchange = message.fields.get(3) === networkCodes.keyExchange;
    const old = isExchange ? this.security?.working?.replay(message) : undefined;
    if (!old) return;
    const bytes = framed(swapped(tpdu), encodeMessage(old));
    generation.receives(this.#later.between(1, 100), () => {
      if (!connection.destroyed) connection.push(bytes);
    });
  }

  #dropsUpload(mti: string): boolean {
    const { dropsUpload } = this.host.manners;
    if (dropsUpload === 0 || !mti.startsWith('032')) return false;
    this.#uploads += 1;
    if (this.#uploads % dropsUpload !== 0) return false;
    this.#log.counted('upload dropped', this.host.label);
    return true;
  }

  #comes(inMs: number, arrives: () => void, isRequest = false): void {
    const arrival: Arrival = {
      isRequest,
      timer: undefined,
      comes: () => {
        this.#underWay.delete(arrival);
        if (!this.isGone) arrives();
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
      this.#log.counted('request kept until its reversal', this.host.label);
      const comesMs = inMs + this.#dice.between(1, 50);
      const waitMs = this.#dice.of([0, this.#dice.between(1_000, 10_000)]);
      connection.answersAtMs = Math.max(connection.answersAtMs, this.#time.elapsedMs + comesMs + waitMs);
      this.#comes(comesMs, () => {
        const answer = answered();
        if (!answer) return;
        generation.receives(this.#dice.between(5, 200), () => this.#arrives(connection, answer, generation));
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
    generation.receives(arrivesInMs, arrives);
    if (fate === 'twice') generation.receives(arrivesInMs + this.#dice.between(0, 40_000), arrives);
  }

  /** Delivers a held answer right after a later message, before the answer to that one. */
  #letsGo(connection: Connection, mti: string, generation: Generation): void {
    const { held } = connection;
    if (!held || (held.mti !== undefined && held.mti !== mti) || --held.messages > 0) return;
    connection.held = undefined;
    generation.receives(1, () => {
      this.#arrives(connection, held.answer, generation);
    });
  }

  #arrives(connection: Connection, answer: Answer, generation: Generation): void {
    const { bytes, tampered, isSignOn } = answer;
    if (connection.destroyed) return;
    if (isSignOn) connection.isSignedOn = true;
    if (tampered && this.security) {
      connection.push(tampered === 'cut' ? bytes.subarray(0, bytes.length >> 1) : this.security.alter(bytes));
      if (tampered === 'cut') {
        // What comes after half a message can't be read.
        connection.isCutOff = true;
        this.#closes(connection);
      }
      return;
    }
    if (this.host.manners.keepsAlive && this.#dice.odds(30)) connection.push(lifeSign);
    if (this.security?.working) {
      this.#hands(connection, answer, answer.name, generation);
      return;
    }
    this.#reportsLate(answer, generation);
    connection.push(bytes);
  }

  /**
   * Delivers an answer on a line with working keys. An answer is valid only under the key of its request. After a
   * message with a wrong code, the terminal ends the connection.
   */
  #hands(
    connection: Connection,
    answer: Pick<Answer, 'bytes' | 'key' | 'unreported' | 'settled'>,
    name: string | undefined,
    generation: Generation,
  ): void {
    const { bytes, key } = answer;
    const awaited = name === undefined ? undefined : connection.awaited.get(name);
    const isAwaited = awaited !== undefined && this.#time.elapsedMs < awaited.untilMs;
    const isRight = awaited?.key === key;
    if (isAwaited && isRight) connection.awaited.delete(name ?? '');
    connection.push(bytes);
    const { deliveries } = connection;
    generation.receives(0, () => {
      // A later message at the same moment may have ended the connection.
      const isCut = connection.destroyed && !connection.isCutOff && connection.deliveries === deliveries;
      if (isAwaited && !isRight && !connection.destroyed)
        this.onFault(`${this.host.label}: an answer under another key than its request's is taken (${name})`);
      if (isAwaited && isRight && isCut && key && !generation.isStopping)
        this.onFault(`${this.host.label}: an answer under the key of its request is refused (${name})`);
      if (isAwaited && !isRight) this.#log.counted('answer under another key is refused', this.host.label);
      if (!isCut) this.#reportsLate(answer, generation);
    });
  }

  /** Records that the terminal has received this answer. */
  #reportsLate({ unreported, settled }: Pick<Answer, 'unreported' | 'settled'>, generation: Generation): void {
    if (unreported) {
      this.#log.counted('late posting reported', `${this.host.label} host: reports trace ${unreported.stan} late`);
      this.#writesReport(unreported, generation);
    }
    if (settled !== undefined) this.#receives(settled, generation);
  }

  /** A process that ended before it could write the report has not received it. */
  #writesReport(posting: Posting, generation: Generation): void {
    generation.receives(writingMs, () => {
      const isWell = this.#time.elapsedMs - this.diskFailedAtMs() >= writingMs;
      if (isWell) delete posting.unreported;
      else this.#writesReport(posting, generation);
    });
  }

  /** An answer counts as received once the terminal has written it to disk. */
  #receives(settled: string, generation: Generation): void {
    generation.receives(writingMs, () => {
      if (this.isWritten(settled)) this.host.books.heard.add(settled);
      else this.#receives(settled, generation);
    });
  }

  /** Sends the host's keep-alive at intervals (jPOS, a frame of length zero). */
  #keepsAlive(connection: Connection, generation: Generation): void {
    if (!this.host.manners.keepsAlive) return;
    generation.receives(this.#dice.between(5_000, 60_000), () => {
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
    this.#time.in(this.#dice.between(0, 50), () => {
      connection.isCutOff = true;
      connection.destroy();
    });
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
    this.#log.counted(`${what} ${fate}`, this.host.label);
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
const replyTimeoutMs = 15_000;
/** Configured default. */
const noRecordGraceMs = 60_000;
/** A message that is held longer is dropped. */
const keptMs = 300_000;
const lifeSign = Buffer.from([0, 0]);

type Fate = 'well' | 'lost' | 'closed' | 'slow' | 'late' | 'twice' | 'garbled' | 'held';

/** The type of the answer to a message. */
function answerType({ mti }: Message): string {
  return `${mti.slice(0, 2)}${Number(mti[2]) + 1}0`;
}

/** A message by its type and trace number. */
function nameOf(mti: string, { fields }: Message): string {
  return `${mti} ${fields.get(11)}`;
}

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
