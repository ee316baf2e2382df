import { isatty } from 'node:tty';
import { type DestinationStream, pino } from 'pino';
import { scrub } from '../domain/masking.ts';
import { isJournalStream, journalPrefix } from './journal-prefix.ts';
import { readableLine } from './readable-line.ts';
import type { RecentLines } from './recent-lines.ts';

const standardError = 2;

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
}

/**
 * JSON lines on standard error, for journald; on a terminal, lines for a person. Synchronous: a logged line survives the
 * process. `recent` keeps the newest of them, too.
 */
export function openLog(level: 'debug' | 'info' | 'warn' | 'error', recent?: RecentLines): Log {
  const written = neverFailing(pino.destination({ dest: standardError, sync: true }));
  const stream = recent ? { write: (line: string) => keepLine(line, recent, written) } : written;
  const logger = pino({ level, base: null }, suited(stream));
  return {
    info: (event, fields = {}) => logger.info(allowedFields(fields), scrub(event)),
    warn: (event, fields = {}) => logger.warn(allowedFields(fields), scrub(event)),
    failure: (event, error) => logger.error(describeError(error), scrub(event)),
  };
}

/** Without its priority and its end. */
function keepLine(line: string, recent: RecentLines, stream: DestinationStream): void {
  recent.add(line.replace(/^<\d>/, '').trimEnd());
  stream.write(line);
}

/** A line that can't be written, as on a full disk, is lost: a payment does not end for its log. */
function neverFailing(stream: ReturnType<typeof pino.destination>): DestinationStream {
  stream.on('error', () => undefined);
  return {
    write(line) {
      try {
        stream.write(line);
      } catch {
        // There is nowhere to tell it.
      }
    },
  };
}

function suited(stream: DestinationStream): DestinationStream {
  if (isJournalStream(standardError)) return withPriorities(stream);
  return isatty(standardError) ? { write: (line) => stream.write(readableLine(line)) } : stream;
}

/** Each line with its priority, so that `journalctl -p err` finds it. */
function withPriorities(stream: DestinationStream): DestinationStream {
  const prefixed = {
    // pino sets `lastLevel` before each line of a stream that has this property.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string): void {
      stream.write(journalPrefix(prefixed.lastLevel) + line);
    },
  };
  return prefixed;
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
