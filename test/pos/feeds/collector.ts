import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FeedAnswer, FeedEntry, FeedSink } from '../../../src/pos/feeds/feed-sink.ts';

export interface Collected {
  /** The same of each repeat. */
  readonly id: string;
  readonly seq: number;
  readonly after: number;
  readonly transaction: string;
  readonly record: unknown;
}

/**
 * What the collector does with one request: cut it before it stores it, or when it has, but before its answer; ask for a pause; or
 * take it.
 */
export type Behaviour = 'take' | 'cutBefore' | 'cutAfter' | 'busy';

/** Keeps what it was sent, in the order in which it was stored, repeats included. */
export class Collector {
  readonly stored: Collected[] = [];
  behaviour: () => Behaviour = () => 'take';
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async open(): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<unknown>((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const behaviour = this.behaviour();
    if (behaviour === 'cutBefore') return void request.socket.destroy();
    const parts = await request.toArray().catch(() => undefined);
    if (!parts) return;
    if (behaviour === 'busy') return void response.writeHead(503, { 'retry-after': '2' }).end();
    this.stored.push(JSON.parse(Buffer.concat(parts).toString()));
    if (behaviour === 'cutAfter') return void request.socket.destroy();
    response.writeHead(204).end();
  }
}

/** Posts each entry to a collector. */
export class HttpSink implements FeedSink<{ readonly record: unknown }> {
  readonly #url: string;
  readonly #stream: string;

  constructor(url: string, stream: string) {
    this.#url = url;
    this.#stream = stream;
  }

  async send({ seq, after, change, described }: FeedEntry<{ readonly record: unknown }>, signal: AbortSignal) {
    const entry: Collected = {
      id: `${this.#stream}/${seq}`,
      seq,
      after,
      transaction: change.id,
      record: described.record,
    };
    const response = await fetch(this.#url, { method: 'POST', body: JSON.stringify(entry), signal });
    await response.arrayBuffer();
    return answerOf(response);
  }
}

function answerOf({ status, headers }: Response): FeedAnswer {
  if (status < 300) return { kind: 'accepted' };
  if (status < 500) return { kind: 'refused', reason: `it answers ${status}` };
  return { kind: 'retryLater', afterMs: Number(headers.get('retry-after') ?? 0) * 1_000 };
}
