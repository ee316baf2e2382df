import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Broker } from '../support/broker.ts';
import type { BenchStage } from './bench-stage.ts';
import { heard } from './children.ts';

/** How the broker is while a terminal sells. `no link`: none is configured. `queued`: there is much to tell a sink that takes it. */
export const neighbours = ['no link', 'up', 'down', 'flapping', 'queued'] as const;
export type Neighbour = (typeof neighbours)[number];

/** A flapping broker is there and away so long. */
const [upMs, downMs] = [1_500, 700];

/** What is at the other end of the link. */
export interface Chain {
  /** To be laid over a terminal's settings. */
  settings(neighbour: Neighbour, terminal: string): Promise<object>;
  during(neighbour: Neighbour, work: () => Promise<void>): Promise<void>;
  /** Messages that the sink took in each state. */
  readonly reportedWhile: Readonly<Record<Neighbour, number>>;
  close(): Promise<void>;
}

/** mosquitto with TLS, and a sink in a process of its own. Rejects where there is no mosquitto or no openssl. */
export async function openChain(stage: BenchStage, dir: string): Promise<Chain> {
  const broker = await Broker.start(dir, { tls: true, isBrief: true });
  // Whatever ends the bench: it is no child of the stage.
  const end = () => broker.pid !== undefined && process.kill(broker.pid, 'SIGKILL');
  process.once('exit', end);
  const { ca, certificate, key } = await broker.credentials('sink');
  const sink = stage.children.startNode('test/bench/book-sink.ts', [broker.url, ca, certificate, key]);
  await heard(sink, 'the sink');
  const reportedWhile = { 'no link': 0, up: 0, down: 0, flapping: 0, queued: 0 };
  return {
    reportedWhile,
    async settings(neighbour, terminal) {
      if (neighbour === 'no link') return {};
      const name = terminal.replaceAll(' ', '-');
      return { cloud: { url: broker.url, terminal: name, ...(await broker.credentials(name)) } };
    },
    async during(neighbour, work) {
      const before = await taken(sink);
      if (neighbour === 'down') await broker.kill();
      const stop = new AbortController();
      const flapping = neighbour === 'flapping' ? flap(broker, stop.signal) : undefined;
      try {
        await work();
      } finally {
        stop.abort();
        await flapping;
        if (neighbour === 'down') await broker.restart();
      }
      reportedWhile[neighbour] += (await taken(sink)) - before;
    },
    async close() {
      await stage.children.end(sink);
      await broker.stop();
      process.off('exit', end);
    },
  };
}

async function flap(broker: Broker, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await pause(upMs, undefined, { signal: stop }).catch(() => undefined);
    await broker.kill();
    await pause(downMs, undefined, { signal: stop }).catch(() => undefined);
    await broker.restart();
  }
}

async function taken(sink: ChildProcess): Promise<number> {
  const reported = heard<number>(sink, 'the sink');
  sink.send('taken?');
  return reported;
}
