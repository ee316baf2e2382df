import { Findings, type Unexpected, upperHex } from '../findings.ts';
import type { Pty } from '../pty.ts';
import { type TriggerArrival, TriggerDecoder } from './trigger.ts';

/**
 * Faults of a scanner. `garble`, `noise` and `tooLong` affect the next code; `splitBytes` stays until it is switched
 * off;
 * `unplug: false` plugs the scanner in again. A missing field stays as it is.
 */
export interface ScannerFault {
  readonly unplug?: boolean;
  /** One byte of the code comes with its highest bit set. */
  readonly garble?: boolean;
  /** Every code comes byte by byte. */
  readonly splitBytes?: boolean;
  /** Bytes that are not text come before the code, on the same line. */
  readonly noise?: boolean;
  /** The line is far longer than the 512 characters of the longest code. */
  readonly tooLong?: boolean;
}

export interface ScannerState {
  readonly connected: boolean;
  /**
   * The terminal has triggered it, and no code was read since. A code is sent in any case, as if the light were always
   * on.
   */
  readonly triggered: boolean;
  /** Codes that were sent, damaged or not. */
  readonly scans: number;
}

export interface ScannerOptions {
  /** An incomplete trigger command is dropped after this time. */
  readonly commandGapMs?: number;
  readonly now?: () => Date;
}

const codeCharactersMax = 512;
const tooLongCharacters = 2048;
const waitingBytesMax = 64 * 1024;

/** None of them is text, and none ends a line. */
const noise = Buffer.from('00FF1BA5C1', 'hex');

type OneTimeFaults = Pick<ScannerFault, 'garble' | 'noise' | 'tooLong'>;

/**
 * A scanner that sends each code as a line, like Honeywell's with their RS-232 preset: printable ASCII, CR LF. The
 * caller closes the pty.
 */
export class LineScanner {
  readonly #pty: Pty;
  readonly #commandGapMs: number;
  readonly #decoder = new TriggerDecoder();
  readonly #listeners = new Set<() => void>();
  readonly #findings: Findings;
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
    this.#findings = new Findings({ now, toHex: upperHex(64) });
    pty.onData((chunk) => this.#receive(chunk));
  }

  /** At most 200 entries: the first ones count, because they explain the others. */
  get unexpected(): readonly Unexpected[] {
    return this.#findings.list;
  }

  state(): ScannerState {
    return { connected: this.#pty.plugged, triggered: this.#triggered, scans: this.#scans };
  }

  /**
   * The customer shows a code. False if the scanner is unplugged or closed. Throws RangeError unless the code is 1 to
   * 512 printable ASCII characters.
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

  /** Prepares for the next test: no fault, no findings, plugged in. A triggered scan continues. */
  async reset(): Promise<void> {
    this.#dropWaiting();
    this.#oneTime = {};
    this.#splitBytes = false;
    this.#scans = 0;
    this.#findings.clear();
    await this.#pty.plug();
    this.#changed();
  }

  /** Releases every timer. The caller closes the pty. */
  close(): Promise<void> {
    this.#closed = true;
    this.#powerOff();
    this.#listeners.clear();
    return Promise.resolve();
  }

  /** Called after every change of state or findings. Returns a function that removes the listener. */
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
      if (arrival.kind === 'noise')
        this.#findings.record('bytes that neither start nor stop the scanner', arrival.bytes);
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
