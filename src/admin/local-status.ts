import { get, type IncomingMessage } from 'node:http';
import { headOf } from '../base/dial/answer-head.ts';
import { plainText } from '../base/domain/plain-text.ts';
import { systemClock } from '../base/ports/clock.ts';

/** Limit of an answer, because the service may be compromised. No genuine answer is longer. */
const answerBytesMax = 1_048_576;
/** The status comes within a second, whatever the disk does. */
const answerMs = 5_000;

/** The status of the terminal on this machine; fields that an older version lacks are absent. */
export interface LocalStatus {
  readonly state?: unknown;
  readonly ready?: boolean;
  readonly message?: string;
  readonly devices?: Readonly<Record<string, LocalDevice>>;
  readonly journal?: 'ok' | 'full' | 'silent';
  readonly journalFault?: string;
  readonly journalCheck?: { readonly state: string; readonly reason?: string };
  readonly archiveFault?: string;
  readonly journalMigration?: 'onTrial' | 'failed';
  readonly pendingReversals?: number;
  readonly pendingAdvices?: number;
  readonly cloud?: { readonly state: string; readonly books?: { readonly waiting: number; readonly oldestS: number } };
  readonly protocols?: { readonly ecr?: LocalEcr };
  readonly clock?: { readonly state: string; readonly timeZone: string; readonly timeZoneFault?: string };
  readonly acquirers?: readonly LocalAcquirer[];
  readonly discrepancies?: readonly LocalDiscrepancy[];
}

interface LocalEcr {
  readonly port: number;
  readonly notificationsWaiting: number;
  readonly notificationsGivenUp: number;
}

interface LocalAcquirer {
  readonly id: string;
  readonly mid?: string;
  readonly tid?: string;
  readonly held?: { readonly message: string };
  readonly security?: string;
  readonly lineFault?: { readonly reason: string; readonly since: string };
  readonly sites?: readonly {
    readonly site: string;
    readonly inUse: boolean;
    readonly fault?: { readonly reason: string; readonly since: string };
  }[];
  readonly certificate?: { readonly notAfter: string };
  readonly clientCertificate?: { readonly notAfter: string };
  readonly commissioningFault?: { readonly hostCode: string; readonly since: string };
}

interface LocalDiscrepancy {
  readonly kind: string;
  readonly at: string;
  readonly since?: string;
  readonly acquirer?: string;
  readonly batch?: number;
}

interface LocalDevice {
  readonly name: string;
  readonly state: string;
  readonly reason?: string;
  readonly fault?: string;
}

/** Requested on loopback. off: no terminal listens. unknown: no answer, or one that is not a status. */
export async function askLocalStatus(port: number): Promise<LocalStatus | 'off' | 'unknown'> {
  try {
    const status = (await readLocal(port, '/status')) as LocalStatus | null;
    if (typeof status?.state !== 'string') return 'unknown';
    return { ...status, state: plainText(status.state).slice(0, 100) };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'off' : 'unknown';
  }
}

/** The fleet's document that the terminal has stored; its signature is not checked. Undefined if it does not answer. */
export async function askLocalFleet(port: number): Promise<unknown> {
  return readLocal(port, '/fleet').catch(() => undefined);
}

/** `answerMs` is the limit of the whole answer. */
async function readLocal(port: number, path: string): Promise<unknown> {
  const end = new AbortController();
  const timer = systemClock.setTimeout(() => end.abort(), answerMs);
  try {
    return await readJson(await headOf(get({ host: '127.0.0.1', port, path, signal: end.signal, agent: false })));
  } finally {
    systemClock.clearTimeout(timer);
    end.abort();
  }
}

async function readJson(response: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > answerBytesMax) throw new RangeError('the answer is longer than any of the terminal');
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString());
}
