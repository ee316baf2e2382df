import { Worker } from 'node:worker_threads';

/** Beside this file, among the sources and in the bundle. */
const workerUrl = new URL(`./worker${import.meta.url.endsWith('.ts') ? '.ts' : '.cjs'}`, import.meta.url);

let ahead: Worker | undefined;

/**
 * Starts the thread of a journal that will be opened soon. Node takes longer to begin a thread than the journal to
 * open, and the terminal reads its configuration meanwhile. The thread opens no file before it gets the path.
 */
export function startWorkerAhead(): void {
  ahead ??= beginWorker();
}

/** The thread that was started ahead, or a new one. */
export function takeWorker(): Worker {
  const taken = ahead ?? beginWorker();
  ahead = undefined;
  return taken;
}

/** Nothing waits for it until it is taken. */
function beginWorker(): Worker {
  return new Worker(workerUrl, { name: 'journal' });
}
