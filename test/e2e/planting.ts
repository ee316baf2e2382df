import { EventEmitter } from 'node:events';
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a terminal before it starts (`--import`): breaks one method of a module, named by POID_PLANTED as JSON, once its parent
 * process says how. What is planted belongs to whoever calls the method first, as what the method itself begins would.
 */
export interface Planted {
  /** The end of the module's path. */
  readonly module: string;
  readonly className: string;
  readonly method: string;
}

export type Breaking = 'call' | 'timer' | 'rejection' | 'listener';

/** For the planted code, which knows this module by nothing else. */
interface Received {
  plantedNow: Breaking | undefined;
  plantHere: () => void;
  breakCall: () => void;
}

const named = process.env['POID_PLANTED'];
if (named !== undefined && isMainThread) plant(JSON.parse(named) as Planted);

function plant({ module, className, method }: Planted): void {
  Object.assign(globalThis, { plantHere, breakCall } satisfies Partial<Received>);
  process.on('message', (message: { readonly plant?: Breaking }) => {
    if (message.plant) readMarks().plantedNow = message.plant;
  });
  process.channel?.unref();
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(module)) return loaded;
      process.stderr.write(`planted in ${module}\n`);
      return {
        ...loaded,
        source: `${typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString()}\n${code(className, method)}`,
      };
    },
  });
}

function code(className: string, method: string): string {
  return `{
    const was = ${className}.prototype.${method};
    if (typeof was !== 'function') throw new Error('${className} has no method ${method}');
    let isPlanted = false;
    ${className}.prototype.${method} = function (...given) {
      if (!isPlanted) globalThis.plantHere();
      isPlanted = true;
      globalThis.breakCall();
      return was.apply(this, given);
    };
  }`;
}

function readMarks(): Received {
  return globalThis as unknown as Received;
}

function breaks(how: Breaking): boolean {
  if (readMarks().plantedNow !== how) return false;
  readMarks().plantedNow = undefined;
  return true;
}

function breakCall(): void {
  if (breaks('call')) throw new Error('planted: call');
}

function plantHere(): void {
  const emitter = new EventEmitter();
  emitter.on('due', () => {
    throw new Error('planted: listener');
  });
  setInterval(() => {
    if (breaks('rejection')) void Promise.reject(new Error('planted: rejection'));
    if (breaks('listener')) emitter.emit('due');
    if (breaks('timer')) throw new Error('planted: timer');
  }, 10).unref();
}
