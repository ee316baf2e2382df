import { inState } from '../base/domain/written-files.ts';
import type { Clock } from '../base/ports/clock.ts';
import type { AuditedRequest, MenuRequest } from './menu-request.ts';
import { KeptLines } from './kept-lines.ts';

const bytesMax = 1024 * 1024;

/** One step of the operator. `session`: shared by a login and all its steps. Never a password. */
export interface AuditEntry {
  readonly session: string;
  readonly action: MenuRequest['kind'];
  /** asked: before it is carried out. Otherwise its result. */
  readonly state: 'asked' | 'done' | 'refused';
  readonly detail?: Readonly<Record<string, unknown>>;
}

/**
 * The durable record of the operator's steps: lines of JSON in the state directory, the last 1 to 2 MiB of them. There
 * is one password, so it identifies the login, not the person.
 */
export class OperatorAudit {
  readonly #lines: KeptLines;

  constructor(stateDir: string, clock: Pick<Clock, 'now'>) {
    this.#lines = new KeptLines(inState(stateDir, 'operator.jsonl'), bytesMax, clock);
  }

  /** Survives a power cut once this resolves. Rejects with the system's error. */
  write(entry: AuditEntry): Promise<void> {
    return this.#lines.write({ who: 'OPERATOR', ...entry });
  }
}

/** The recorded part of a request that changes something. */
export function auditDetail(request: AuditedRequest): Readonly<Record<string, unknown>> {
  const { kind: _kind, session: _session, ...rest } = request;
  return Object.fromEntries(Object.entries(rest).filter(([name]) => name !== 'code'));
}
