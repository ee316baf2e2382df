import { isMainThread, BroadcastChannel } from 'node:worker_threads';
import { takeCoverage } from 'node:v8';

/**
 * Loaded into a program (`--import`) that runs with NODE_V8_COVERAGE: at each SIGWINCH, every thread writes which functions
 * have run since the last time.
 */
const channel = new BroadcastChannel('poid-coverage');
channel.unref();
channel.addEventListener('message', () => takeCoverage());
if (isMainThread) {
  process.on('SIGWINCH', () => {
    channel.postMessage('');
    takeCoverage();
  });
}
