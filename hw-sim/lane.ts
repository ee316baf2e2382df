import type { Chance } from './chance.ts';

/** Probability of each fault per byte, from 0 to 1. Default: 0. */
export interface LineFaults {
  /** One bit of the byte is flipped. */
  readonly flip?: number;
  readonly lose?: number;
  /** The byte is duplicated. */
  readonly repeat?: number;
  /** A write is split after this byte. At 1, bytes arrive one at a time. */
  readonly cut?: number;
  /** A write that ends with this byte is joined with the next write, or sent alone after `turnsMax` turns. */
  readonly hold?: number;
  /** This byte and all later ones are delayed by some turns. */
  readonly delay?: number;
  /** The line is unplugged before this byte. */
  readonly unplug?: number;
  /** The longest delay; 8 by default. */
  readonly turnsMax?: number;
}

/** 'toHost': bytes that the device writes. */
export type LineDirection = 'toHost' | 'toDevice';

/** A fault that has happened. */
export interface LineEvent {
  readonly direction: LineDirection;
  /** Which byte of this direction, from 0. */
  readonly at: number;
  /** 'overflow': the queue was full, and the byte was lost. */
  readonly fault: Exclude<keyof LineFaults, 'turnsMax'> | 'overflow';
  /** For 'flip' the bit, 0 to 7; for 'delay' the turns. */
  readonly detail?: number;
}

/** Calls back when a turn is over. */
export type Turn = (then: () => void) => void;

export interface LaneParts {
  readonly direction: LineDirection;
  readonly chance: Chance;
  readonly rates: () => Required<LineFaults>;
  readonly deliver: (bytes: Buffer) => void;
  readonly happened: (event: LineEvent) => void;
  readonly pullOut: () => void;
  readonly turn: Turn;
}

const waitingBytesMax = 64 * 1024;

/** Bytes that arrive together. */
interface Piece {
  readonly bytes: number[];
  /** Turns until it arrives, once it is the first. */
  turns: number;
}

/** One direction of a bad line. */
export class Lane {
  readonly #parts: LaneParts;
  readonly #pieces: Piece[] = [];
  /** The last piece, while it still accepts more bytes. */
  #open: Piece | undefined;
  /** Delay of the next piece, in turns. */
  #nextTurns = 0;
  #waitingBytes = 0;
  #at = 0;
  /** Incremented when everything is dropped: turns that began before are ignored. */
  #generation = 0;
  #isWaiting = false;
  #isDelivering = false;

  constructor(parts: LaneParts) {
    this.#parts = parts;
  }

  push(chunk: Uint8Array): void {
    const held = this.#open;
    let isHeld = false;
    for (const byte of chunk) {
      const hold = this.#take(byte);
      if (hold === undefined) return;
      isHeld = hold;
    }
    if (held !== undefined) held.turns = 0;
    if (isHeld && this.#open !== undefined) this.#open.turns = this.#parts.rates().turnsMax;
    else this.#close();
    this.#deliver();
  }

  /** Drops all bytes that have not arrived yet. */
  clear(): void {
    this.#generation++;
    this.#pieces.length = 0;
    this.#open = undefined;
    this.#nextTurns = 0;
    this.#waitingBytes = 0;
    this.#isWaiting = false;
  }

  /**
   * Whether a write that ends with this byte is held; undefined if the line is unplugged. Each byte draws equally
   * often.
   */
  #take(byte: number): boolean | undefined {
    const { chance, rates, pullOut } = this.#parts;
    const rate = rates();
    const fate = chance.next();
    const bit = Math.floor(chance.next() * 8);
    const isCut = chance.next() < rate.cut;
    const isHeld = chance.next() < rate.hold;
    const isLate = chance.next() < rate.delay;
    const turns = 1 + Math.floor(chance.next() * rate.turnsMax);
    const loseFrom = rate.unplug;
    const repeatFrom = loseFrom + rate.lose;
    const flipFrom = repeatFrom + rate.repeat;
    if (fate < loseFrom) {
      this.#happened('unplug');
      this.#flush();
      pullOut();
      return undefined;
    }
    if (isLate) this.#delay(turns);
    if (fate < repeatFrom) this.#happened('lose');
    else if (fate < flipFrom) {
      this.#happened('repeat');
      this.#append(byte);
      this.#append(byte);
    } else if (fate < flipFrom + rate.flip) {
      this.#happened('flip', bit);
      this.#append(byte ^ (1 << bit));
    } else this.#append(byte);
    if (isCut) {
      this.#happened('cut');
      this.#close();
      this.#nextTurns = Math.max(this.#nextTurns, 1);
    }
    if (isHeld) this.#happened('hold');
    this.#at++;
    return isHeld;
  }

  #delay(turns: number): void {
    this.#happened('delay', turns);
    this.#close();
    this.#nextTurns = Math.max(this.#nextTurns, turns);
  }

  #append(byte: number): void {
    if (this.#waitingBytes >= waitingBytesMax) {
      this.#happened('overflow');
      return;
    }
    if (this.#open === undefined) {
      this.#open = { bytes: [], turns: this.#nextTurns };
      this.#nextTurns = 0;
      this.#pieces.push(this.#open);
    }
    this.#open.bytes.push(byte);
    this.#waitingBytes++;
  }

  #close(): void {
    this.#open = undefined;
  }

  /** Delivers, in order, all pieces whose delay is over. */
  #deliver(): void {
    // The receiver may answer at once, which queues more pieces: they come after this one.
    if (this.#isDelivering || this.#isWaiting) return;
    this.#isDelivering = true;
    while (this.#pieces[0]?.turns === 0) this.#arrive();
    this.#isDelivering = false;
    if (this.#pieces.length > 0) this.#wait();
  }

  #wait(): void {
    const generation = this.#generation;
    this.#isWaiting = true;
    this.#parts.turn(() => {
      if (generation !== this.#generation) return;
      this.#isWaiting = false;
      const first = this.#pieces[0];
      if (first !== undefined && first.turns > 0) first.turns--;
      this.#deliver();
    });
  }

  #flush(): void {
    while (this.#pieces.length > 0) this.#arrive();
  }

  #arrive(): void {
    const piece = this.#pieces.shift();
    if (piece === undefined) return;
    if (piece === this.#open) this.#open = undefined;
    this.#waitingBytes -= piece.bytes.length;
    this.#parts.deliver(Buffer.from(piece.bytes));
  }

  #happened(fault: LineEvent['fault'], detail?: number): void {
    this.#parts.happened({
      direction: this.#parts.direction,
      at: this.#at,
      fault,
      ...(detail !== undefined && { detail }),
    });
  }
}
