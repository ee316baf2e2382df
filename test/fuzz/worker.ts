import { parentPort, workerData } from 'node:worker_threads';
import { campaign } from './campaign.ts';
import { Progress } from './progress.ts';
import { targets } from './targets.ts';

/** One target in a thread of its own: the other side ends it where it hangs. */
const { name, inputs, seed, shared } = workerData as {
  readonly name: string;
  readonly inputs: number;
  readonly seed: number;
  readonly shared: SharedArrayBuffer;
};
const target = targets.find((each) => each.name === name);
if (!target) throw new Error('no such target');
parentPort?.postMessage(await campaign(target, inputs, seed, new Progress(shared)));
await target.close?.();
