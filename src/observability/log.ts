import { isatty } from 'node:tty';
import { pino } from 'pino';
import { scrub } from '../base/domain/masking.ts';
import { isJournalStream, journalPrefix } from './journal-prefix.ts';
import { LineOutput } from './line-output.ts';
import { readableLine } from './readable-line.ts';
import type { RecentLines } from './recent-lines.ts';

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
  'messageId',
  'method',
  'ms',
  'operation',
  'original',
  'port',
  'posId',
  'reason',
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
 * JSON lines on standard error, for journald; on a terminal, lines for a person. A logged line survives the process, and
 * nobody waits for it: see LineOutput. `recent` keeps the newest of them, too.
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

/** What is written for a line of JSON: in the journal it has its priority, so that `journalctl -p err` finds it. */
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
