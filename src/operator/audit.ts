import { open, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../ports/clock.ts';
import type { DeskDeed, DeskRequest } from './desk-request.ts';

const file = 'operator.jsonl';
const bytesMax = 1024 * 1024;

/** One step of the operator. `session`: a login and all that was done with it share one. Never a password. */
export interface AuditEntry {
  readonly session: string;
  readonly action: DeskRequest['kind'];
  /** asked: before it is done. Otherwise how it ended. */
  readonly state: 'asked' | 'done' | 'refused';
  readonly detail?: Readonly<Record<string, unknown>>;
}

/**
 * The durable record of what the operator did: lines of JSON in the state directory, the last 1 to 2 MiB of them. There
 * is one password, so it tells which login, not which person.
 */
export class OperatorAudit {
  readonly #file: string;
  readonly #clock: Pick<Clock, 'now'>;
  #turn: Promise<void> = Promise.resolve();

  constructor(stateDir: string, clock: Pick<Clock, 'now'>) {
    this.#file = path.join(stateDir, file);
    this.#clock = clock;
  }

  /** Survives a power cut once this resolves. Rejects with the system's error. */
  write(entry: AuditEntry): Promise<void> {
    const line = JSON.stringify({ at: this.#clock.now().toISOString(), who: 'OPERATOR', ...entry });
    const written = this.#turn.then(() => this.#append(`${line}\n`));
    this.#turn = written.catch(() => undefined);
    return written;
  }

  async #append(line: string): Promise<void> {
    const size = await sizeOf(this.#file);
    if (size !== undefined && size + line.length > bytesMax) await rename(this.#file, `${this.#file}.1`);
    const handle = await open(this.#file, 'a', 0o600);
    try {
      await handle.writeFile(line);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (size === undefined || size + line.length > bytesMax) await syncDirectory(path.dirname(this.#file));
  }
}

async function sizeOf(name: string): Promise<number | undefined> {
  try {
    return (await stat(name)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What is written of a deed. */
export function auditDetail(deed: DeskDeed): Readonly<Record<string, unknown>> {
  const { kind: _kind, session: _session, ...rest } = deed;
  return Object.fromEntries(Object.entries(rest).filter(([name]) => name !== 'code'));
}
