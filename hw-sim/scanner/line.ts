import type { Pty } from '../pty.ts';
import { type TriggerArrival, TriggerDecoder } from './trigger.ts';

/**
 * What can be wrong with a scanner. `garble`, `noise` and `tooLong` meet the next code; `splitBytes` stays until it is
 * switched off; `unplug: false` plugs the scanner in again. A field that is not named stays as it is.
 */
export interface ScannerFault {
  readonly unplug?: boolean;
  /** One byte of the code comes with its highest bit set. */
  readonly garble?: boolean;
  /** Every code comes byte by byte. */
  readonly splitBytes?: boolean;
  /** Bytes that are no text come before the code, on its line. */
  readonly noise?: boolean;
  /** The line goes on far beyond the 512 characters that a code has at most. */
  readonly tooLong?: boolean;
}

export interface ScannerState {
  readonly connected: boolean;
  /** The terminal has started it, and no code was read since. A code is sent either way: the light is on all day. */
  readonly triggered: boolean;
  /** Codes that left, spoilt or not. */
  readonly scans: number;
}

/** What a terminal should not have sent. */
export interface Unexpected {
  /** ISO 8601. */
  readonly at: string;
  readonly hex: string;
  readonly why: string;
}

export interface ScannerOptions {
  /** A trigger command that does not go on for so long is given up. */
  readonly commandGapMs?: number;
  readonly now?: () => Date;
}

const codeCharactersMax = 512;
const tooLongCharacters = 2048;
const unexpectedMax = 200;
const unexpectedBytesMax = 64;
const waitingBytesMax = 64 * 1024;

/** None of them is text, and none ends a line. */
const noise = Buffer.from('00FF1BA5C1', 'hex');

type OneTimeFaults = Pick<ScannerFault, 'garble' | 'noise' | 'tooLong'>;

/**
 * A scanner that sends each code as a line, as Honeywell's do with their RS-232 preset: printable ASCII, CR LF. The pty stays
 * the caller's to close.
 */
export class LineScanner {
  readonly #pty: Pty;
  readonly #commandGapMs: number;
  readonly #now: () => Date;
  readonly #decoder = new TriggerDecoder();
  readonly #listeners = new Set<() => void>();
  readonly #unexpected: Unexpected[] = [];
  #oneTime: OneTimeFaults = {};
  #splitBytes = false;
  #triggered = false;
  #scans = 0;
  #waiting: Buffer = Buffer.alloc(0);
  #next: NodeJS.Immediate | undefined;
  #commandGap: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(pty: Pty, { commandGapMs = 1000, now = () => new Date() }: ScannerOptions = {}) {
    this.#pty = pty;
    this.#commandGapMs = commandGapMs;
    this.#now = now;
    pty.onData((chunk) => this.#receive(chunk));
  }

  /** At most 200 entries: the first ones explain the others. */
  get unexpected(): readonly Unexpected[] {
    return [...this.#unexpected];
  }

  state(): ScannerState {
    return { connected: this.#pty.plugged, triggered: this.#triggered, scans: this.#scans };
  }

  /**
   * The customer shows a code: false where the scanner is unplugged or closed. Throws RangeError for what no scanner of this
   * kind sends: 1 to 512 printable ASCII characters.
   */
  scan(code: string): boolean {
    if (!/^[ -~]+$/.test(code) || code.length > codeCharactersMax) {
      throw new RangeError(`a code is 1 to ${codeCharactersMax} printable ASCII characters`);
    }
    if (this.#closed || !this.#pty.plugged) return false;
    const faults = this.#oneTime;
    this.#oneTime = {};
    // Published: it scans until a code has been read.
    this.#triggered = false;
    this.#scans += 1;
    this.#send(spoilt(code, faults));
    this.#changed();
    return true;
  }

  async fault({ unplug, splitBytes, ...oneTime }: ScannerFault): Promise<void> {
    this.#oneTime = { ...this.#oneTime, ...oneTime };
    this.#splitBytes = splitBytes ?? this.#splitBytes;
    if (unplug === true) {
      this.#powerOff();
      await this.#pty.unplug();
    }
    if (unplug === false) await this.#pty.plug();
    this.#changed();
  }

  /** Clean slate for the next test: no fault, nothing recorded, plugged in. What was triggered stays so. */
  async reset(): Promise<void> {
    this.#dropWaiting();
    this.#oneTime = {};
    this.#splitBytes = false;
    this.#scans = 0;
    this.#unexpected.length = 0;
    await this.#pty.plug();
    this.#changed();
  }

  /** Lets go of every timer. The pty is the caller's. */
  close(): Promise<void> {
    this.#closed = true;
    this.#powerOff();
    this.#listeners.clear();
    return Promise.resolve();
  }

  /** Called after every change of state or findings. Returns the way to stop listening. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #receive(chunk: Buffer): void {
    if (this.#closed) return;
    clearTimeout(this.#commandGap);
    this.#arrive(this.#decoder.push(chunk));
    if (this.#decoder.pendingBytes === 0) return;
    this.#commandGap = setTimeout(() => this.#arrive(this.#decoder.abandon()), this.#commandGapMs);
  }

  #arrive(arrivals: readonly TriggerArrival[]): void {
    for (const arrival of arrivals) {
      if (arrival.kind === 'noise') this.#record(arrival.bytes);
      else this.#triggered = arrival.kind === 'on';
    }
    if (arrivals.length > 0) this.#changed();
  }

  #send(bytes: Buffer): void {
    if (!this.#splitBytes && this.#waiting.length === 0) this.#pty.write(bytes);
    else this.#queue(bytes);
  }

  #queue(bytes: Buffer): void {
    if (this.#waiting.length + bytes.length > waitingBytesMax) return;
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    this.#next ??= setImmediate(() => {
      this.#next = undefined;
      this.#pty.write(this.#waiting.subarray(0, 1));
      this.#waiting = this.#waiting.subarray(1);
      if (this.#waiting.length > 0) this.#queue(Buffer.alloc(0));
    });
  }

  #dropWaiting(): void {
    clearImmediate(this.#next);
    this.#next = undefined;
    this.#waiting = Buffer.alloc(0);
  }

  #powerOff(): void {
    this.#dropWaiting();
    clearTimeout(this.#commandGap);
    this.#decoder.abandon();
    this.#triggered = false;
  }

  #record(bytes: Buffer): void {
    if (this.#unexpected.length >= unexpectedMax) return;
    const hex = bytes.toString('hex', 0, unexpectedBytesMax).toUpperCase();
    this.#unexpected.push({ at: this.#now().toISOString(), hex, why: 'bytes that neither start nor stop the scanner' });
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

function spoilt(code: string, { garble, noise: noisy, tooLong }: OneTimeFaults): Buffer {
  const text = tooLong === true ? code.repeat(Math.ceil(tooLongCharacters / code.length)) : code;
  const line = Buffer.from(`${text}\r\n`, 'latin1');
  if (garble === true) {
    const middle = text.length >> 1;
    line.writeUInt8(line.readUInt8(middle) | 0x80, middle);
  }
  return noisy === true ? Buffer.concat([noise, line]) : line;
}
