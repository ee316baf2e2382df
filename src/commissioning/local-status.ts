import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';

/** The status comes within a second, whatever the disk does. */
const answerMs = 5_000;

/** What the terminal on this machine says of itself; fields that an older one lacks are absent. */
export interface LocalStatus {
  readonly state?: unknown;
  readonly ready?: boolean;
  readonly message?: string;
  readonly devices?: Readonly<Record<string, LocalDevice>>;
  readonly journal?: 'ok' | 'full' | 'silent';
  readonly journalFault?: string;
  readonly journalCheck?: { readonly state: string; readonly reason?: string };
  readonly archiveFault?: string;
  readonly pendingReversals?: number;
  readonly pendingAdvices?: number;
  readonly cloud?: { readonly state: string };
}

interface LocalDevice {
  readonly name: string;
  readonly state: string;
  readonly reason?: string;
  readonly fault?: string;
}

/** Asks on loopback. off: nobody listens there. unknown: no answer, or one that is no status. */
export async function askLocalStatus(port: number): Promise<LocalStatus | 'off' | 'unknown'> {
  try {
    const status = await readStatus(port);
    return typeof status.state === 'string' ? status : 'unknown';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'off' : 'unknown';
  }
}

function readStatus(port: number): Promise<LocalStatus> {
  return new Promise((resolve, reject) => {
    const url = { host: '127.0.0.1', port, path: '/status', signal: AbortSignal.timeout(answerMs), agent: false };
    const hear = (response: IncomingMessage) => void (json(response) as Promise<LocalStatus>).then(resolve, reject);
    get(url, hear).on('error', reject);
  });
}
