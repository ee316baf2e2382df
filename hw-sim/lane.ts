import type { Chance } from './chance.ts';

/** How often each byte meets each fault, 0 never to 1 always; what is not named is 0. */
export interface LineFaults {
  /** One bit of the byte is flipped. */
  readonly flip?: number;
  readonly lose?: number;
  /** The byte comes twice. */
  readonly repeat?: number;
  /** What was written in one go is torn behind this byte. At 1, bytes come one at a time. */
  readonly cut?: number;
  /** What ends with this byte waits for what is written next and comes together with it, or alone after `turnsMax` turns. */
  readonly hold?: number;
  /** This byte, and all behind it, come some turns later. */
  readonly delay?: number;
  /** The line is unplugged before this byte. */
  readonly unplug?: number;
  /** The longest delay; 8 where it is not named. */
  readonly turnsMax?: number;
}

/** 'toHost' is what the device writes. */
export type LineDirection = 'toHost' | 'toDevice';

/** A fault that has happened. */
export interface LineEvent {
  readonly direction: LineDirection;
  /** Which byte of this direction, from 0. */
  readonly at: number;
  /** 'overflow': too much waited, and the byte was lost. */
  readonly fault: Exclude<keyof LineFaults, 'turnsMax'> | 'overflow';
  /** Of 'flip' the bit, 0 to 7; of 'delay' the turns. */
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

/** Bytes that arrive in one go. */
interface Piece {
  readonly bytes: number[];
  /** Turns until it arrives, once it is the first. */
  turns: number;
}

/** One direction of a bad line. */
export class Lane {
  readonly #parts: LaneParts;
  readonly #pieces: Piece[] = [];
  /** The last piece, as long as it takes more bytes. */
  #open: Piece | undefined;
  /** Turns that the next piece waits. */
  #nextTurns = 0;
  #waitingBytes = 0;
  #at = 0;
  /** Counts up when everything is forgotten: turns that were begun before mean nothing then. */
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

  /** Forgets what has not arrived yet. */
  clear(): void {
    this.#generation++;
    this.#pieces.length = 0;
    this.#open = undefined;
    this.#nextTurns = 0;
    this.#waitingBytes = 0;
    this.#isWaiting = false;
  }

  /** Whether what ends with this byte is held; nothing where the line is gone. Every byte draws as many numbers. */
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

  /** Everything that has no more turns to wait, in order. */
  #deliver(): void {
    // What is delivered may be answered at once by more to deliver: that goes behind it.
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
