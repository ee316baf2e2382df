import { parentPort, workerData } from 'node:worker_threads';
import { JournalError, type JournalErrorCode } from '../ports/journal.ts';
import { JournalStore } from './store.ts';

/** A call of the store by name. Calls are answered in the order they came in. */
export interface JournalCall {
  readonly call: number;
  readonly operation: JournalOperation;
  readonly parameters: readonly unknown[];
}

export type JournalOperation = Exclude<keyof JournalStore, 'constructor'>;

export type JournalReply =
  | { readonly call: number; readonly value: unknown }
  | { readonly call: number; readonly failure: { readonly code: JournalErrorCode; readonly message: string } };

/** `call` 0 answers the opening of the journal itself. */
const port = parentPort;
if (port) {
  try {
    const store = new JournalStore((workerData as { path: string }).path);
    port.on('message', (message: JournalCall) => {
      port.postMessage(answered(store, message));
      if (message.operation === 'close') port.close();
    });
    port.postMessage({ call: 0, value: undefined } satisfies JournalReply);
  } catch (error) {
    port.postMessage({ call: 0, failure: failureOf(error) } satisfies JournalReply);
  }
}

function answered(store: JournalStore, { call, operation, parameters }: JournalCall): JournalReply {
  try {
    const method = store[operation] as (...values: readonly unknown[]) => unknown;
    return { call, value: method.apply(store, [...parameters]) };
  } catch (error) {
    return { call, failure: failureOf(error) };
  }
}

/** SQLite's result codes (sqlite.org/rescode.html): 5 BUSY and 6 LOCKED, with extended codes in the upper bits. */
function failureOf(error: unknown): { code: JournalErrorCode; message: string } {
  if (error instanceof JournalError) return { code: error.code, message: error.message };
  const result = (error as { errcode?: unknown }).errcode;
  if (typeof result === 'number' && ((result & 0xff) === 5 || (result & 0xff) === 6)) {
    return { code: 'in-use', message: 'another process uses this journal' };
  }
  return { code: 'storage', message: error instanceof Error ? error.message : 'the journal failed' };
}
