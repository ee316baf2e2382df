import { isatty } from 'node:tty';
import { pino } from 'pino';
import { scrub } from '../base/domain/masking.ts';
import { isJournalStream, journalPrefix } from './journal-prefix.ts';
import { readableLine } from './readable-line.ts';
import type { RecentLines } from './recent-lines.ts';
import { constants, fstatSync, openSync, writeSync } from 'node:fs';

/** Limit of the bytes that wait for a slow reader. */
const waitingBytesMax = 262_144;
/** Pause before waiting lines are tried again, if no further line comes. */
const retryMs = 100;
/** How long an exit waits for a slow reader, and the pause between two attempts. */
const exitMs = 500;
const exitPauseMs = 10;

interface LineOutputOptions {
  readonly waitingBytesMax?: number;
  /** The line that reports how many could not be written. */
  readonly lostLine: (count: number) => string;
}

/**
 * Writes whole lines to a descriptor of this process and never waits for its reader. The system has the line when
 * `write` returns, so it survives the process. If the reader is behind, lines wait here, and beyond a limit they are
 * lost. Lines are also lost if the reader has ended or the disk is full. Once writing works again, a line reports how
 * many.
 */
class LineOutput {
  readonly #descriptor: number;
  readonly #options: LineOutputOptions;
  readonly #waitingBytesMax: number;
  /** The first may be the rest of a line whose beginning is written. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isRest = false;
  /** A line has no end, because its rest was lost. */
  #isCutOff = false;
  #lost = 0;
  /** The lost lines that are not reported yet, and the number that the waiting report contains. */
  #unsaid = 0;
  #saying = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(descriptor: number, options: LineOutputOptions) {
    this.#descriptor = withoutBlocking(descriptor);
    this.#options = options;
    this.#waitingBytesMax = options.waitingBytesMax ?? waitingBytesMax;
    process.on('exit', () => this.#finish());
  }

  /** Lines that were lost since the start. */
  get lost(): number {
    return this.#lost;
  }

  write(line: string): void {
    const bytes = Buffer.from(this.#isCutOff ? `\n${line}` : line);
    if (this.#waitingBytes + bytes.length > this.#waitingBytesMax) {
      this.#lose(1);
      this.#flush();
      return;
    }
    this.#isCutOff = false;
    this.#add(bytes);
    this.#flush();
  }

  #add(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }

  #lose(count: number): void {
    this.#lost += count;
    this.#unsaid += count;
  }

  /** Writes as many waiting lines as the system accepts. Returns whether none waits any more. */
  #flush(): boolean {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0) {
      const written = this.#writeFirst();
      if (written === 'full') {
        this.#timer = setTimeout(() => this.#flush(), retryMs).unref();
        return false;
      }
      if (written === 'failed') return true;
      if (this.#waiting.length === 0) this.#sayLost();
    }
    return true;
  }

  /** Everything is written. */
  #sayLost(): void {
    this.#unsaid -= this.#saying;
    this.#saying = this.#unsaid;
    if (this.#saying > 0) this.#add(Buffer.from(this.#options.lostLine(this.#saying)));
  }

  #writeFirst(): 'taken' | 'full' | 'failed' {
    const [first] = this.#waiting;
    if (!first) return 'taken';
    try {
      this.#took(first, writeSync(this.#descriptor, first));
      return 'taken';
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') return 'full';
      // The reader has ended, or the disk is full. A later attempt may succeed.
      this.#lose(this.#waiting.length - (this.#saying > 0 ? 1 : 0));
      this.#saying = 0;
      this.#waiting = [];
      this.#waitingBytes = 0;
      this.#isCutOff ||= this.#isRest;
      this.#isRest = false;
      return 'failed';
    }
  }

  #took(first: Buffer, bytes: number): void {
    this.#waitingBytes -= bytes;
    this.#isRest = bytes < first.length;
    if (this.#isRest) this.#waiting[0] = first.subarray(bytes);
    else this.#waiting.shift();
  }

  /** At the end of the process, waits briefly for the last lines. */
  #finish(): void {
    const until = performance.now() + exitMs;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (!this.#flush() && performance.now() < until) Atomics.wait(pause, 0, 0, exitPauseMs);
  }
}

/**
 * A descriptor for the same file that does not block. O_NONBLOCK belongs to what all processes share that have
 * inherited a descriptor, and any of them may reset it, as Node does at its end. So a pipe and a terminal are opened
 * once more. That is not possible for a socket, such as journald's, nor for a pipe of another user: there Node's own
 * stream for it sets O_NONBLOCK. A file does not block.
 */
function withoutBlocking(descriptor: number): number {
  const kind = fstatSync(descriptor);
  if (kind.isFIFO() || kind.isCharacterDevice()) {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    try {
      return openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    } catch {
      if (kind.isCharacterDevice()) return descriptor;
    }
  }
  if (kind.isFIFO() || kind.isSocket()) void (descriptor === 1 ? process.stdout : process.stderr);
  return descriptor;
}

const standardError = 2;
const warnLevel = 40;

/** The only fields of a log line, whatever is passed in. Card data has no field here. */
const fieldNames = [
  'acquirerId',
  'amount',
  'attempt',
  'batch',
  'cashierId',
  'code',
  'currency',
  'device',
  'entryMode',
  'fingerprint',
  'merchantId',
  'messageId',
  'method',
  'ms',
  'operation',
  'original',
  'port',
  'posId',
  'reason',
  'site',
  'stan',
  'state',
  'terminalTransactionId',
  'type',
] as const;

export type LogFields = { readonly [Name in (typeof fieldNames)[number]]?: string | number };

export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  /** Logs name, code and scrubbed message of an error, never its stack or its cause. */
  failure(event: string, error: unknown): void;
  /** How many lines could not be written since the start. */
  readonly lostLines?: number;
}

/**
 * JSON lines on standard error, for journald; on a terminal, readable lines. A logged line survives the process, and no
 * caller waits for it: see LineOutput. `recent` also keeps the newest of them.
 */
export function openLog(level: 'debug' | 'info' | 'warn' | 'error', recent?: RecentLines): Log {
  const suit = suitOf(standardError);
  const output = new LineOutput(standardError, { lostLine: (count) => suit(lostLine(count), warnLevel) });
  const stream = {
    // pino sets `lastLevel` before each line of a stream that has this property.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string): void {
      recent?.add(line.trimEnd());
      output.write(suit(line, stream.lastLevel));
    },
  };
  const logger = pino({ level, base: null }, stream);
  return {
    get lostLines() {
      return output.lost;
    },
    info: (event, fields = {}) => logger.info(allowedFields(fields), scrub(event)),
    warn: (event, fields = {}) => logger.warn(allowedFields(fields), scrub(event)),
    failure: (event, error) => logger.error(describeError(error), scrub(event)),
  };
}

/**
 * The text that is written for a line of JSON. In the journal it has a priority, so that `journalctl -p err` finds it.
 */
function suitOf(descriptor: number): (line: string, level: number) => string {
  if (isJournalStream(descriptor)) return (line, level) => journalPrefix(level) + line;
  return isatty(descriptor) ? readableLine : (line) => line;
}

function lostLine(count: number): string {
  const reason = `${count} lines could not be written`;
  return `${JSON.stringify({ level: warnLevel, time: Date.now(), reason, msg: 'log' })}\n`;
}

function allowedFields(fields: LogFields): Record<string, string | number> {
  const kept: Record<string, string | number> = {};
  for (const name of fieldNames) {
    const value = fields[name];
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const text = scrub(String(value));
    kept[name] = text === String(value) ? value : text;
  }
  return kept;
}

function describeError(error: unknown): Record<string, string> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: scrub(error.code) } : {};
  return { error: scrub(error.name), ...code, reason: scrub(error.message) };
}
