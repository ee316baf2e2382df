import { pino } from 'pino';
import { scrubbed } from '../domain/masking.ts';

/** The only fields that a log line can have. Card data has no name here. */
export interface LogFields {
  readonly acquirerId?: string;
  readonly code?: string;
  readonly device?: string;
  readonly port?: number;
  readonly reason?: string;
  readonly state?: string;
  readonly terminalTransactionId?: string;
}

export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  /** Of an error only its name, code and scrubbed message are kept, never its stack's arguments or its cause. */
  failure(event: string, error: unknown): void;
}

/** JSON lines on standard error, for journald. Synchronous: a line that was logged survives the process. */
export function openLog(level: 'debug' | 'info' | 'warn' | 'error'): Log {
  const logger = pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
  return {
    info: (event, fields) => logger.info(fields ?? {}, event),
    warn: (event, fields) => logger.warn(fields ?? {}, event),
    failure: (event, error) => logger.error(described(error), event),
  };
}

function described(error: unknown): Record<string, string> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return { error: error.name, ...code, reason: scrubbed(error.message) };
}
