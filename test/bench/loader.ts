import { get } from 'node:http';
import { Caller } from './caller.ts';

/**
 * A process that keeps a daemon busy until it is told to stop: `node loader.ts <kind> <api> <screen> <transaction id>`.
 * It says that it is ready once each of its calls was answered for the first time: what is loaded then (a font) is loaded before a
 * turn is measured. Later it answers any message with how much it has done.
 */
const [kind = '', api = '', screen = '', terminalTransactionId = ''] = process.argv.slice(2);
const done: Record<string, number> = {};
const stop = new AbortController();

const httpConnections = 16;
const screenWatchers = 4;
const pictureConnections = 2;

process.once('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
process.on('message', () => {
  stop.abort();
  process.send?.(done);
});

const begun: Promise<unknown>[] = [];

switch (kind) {
  case 'http':
    begun.push(
      first((caller) => status(caller)),
      first((caller) => enquiry(caller)),
    );
    for (let each = 0; each < httpConnections; each++) {
      void repeated((caller, turn) => (turn % 2 === 0 ? status(caller) : enquiry(caller)));
    }
    break;
  case 'watch':
    for (let each = 0; each < screenWatchers; each++) {
      begun.push(watched());
    }
    break;
  case 'receipts':
    begun.push(first((caller) => receipt(caller, 'PNG')));
    for (let each = 0; each < pictureConnections; each++) void repeated((caller) => receipt(caller, 'PNG'));
    void repeated((caller) => receipt(caller, 'PRINT'));
    break;
  default:
    throw new Error(`there is no load '${kind}'`);
}
await Promise.all(begun);
process.send?.({ ready: true });

function watched(): Promise<void> {
  return new Promise((resolve) => {
    get(`${screen}/events`, { agent: false }, (stream) => {
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => {
        count('views', chunk.split('data:').length - 1);
        resolve();
      });
      stream.on('error', () => undefined);
    }).on('error', () => undefined);
  });
}

function status(caller: Caller): Promise<void> {
  return counted('status', caller.call('GET', `${api}/status`));
}

function enquiry(caller: Caller): Promise<void> {
  return counted('enquiry', caller.call('POST', `${api}/enquiry`, { posId: 'POS-1', messageId: 'none' }));
}

function receipt(caller: Caller, output: 'PNG' | 'PRINT'): Promise<void> {
  return counted(output, caller.call('POST', `${api}/receipt`, { terminalTransactionId, output }));
}

async function first(act: (caller: Caller) => Promise<void>): Promise<void> {
  const caller = new Caller();
  await act(caller);
  caller.close();
}

async function repeated(act: (caller: Caller, turn: number) => Promise<void>): Promise<void> {
  const caller = new Caller();
  for (let turn = 0; !stop.signal.aborted; turn++) await act(caller, turn);
}

/** Whatever is not 200 or 404 is counted by itself: a load that is refused is none. */
async function counted(what: string, answer: Promise<{ readonly status: number }>): Promise<void> {
  const { status } = await answer.catch(() => ({ status: 0 }));
  count(status === 200 || status === 404 ? what : `${what} ${status}`, 1);
}

function count(what: string, by: number): void {
  done[what] = (done[what] ?? 0) + by;
}
