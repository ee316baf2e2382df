import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { md5 } from './ecr-client.ts';

export type Notice = Readonly<Record<string, string>>;

/** What it says to one notification. */
export interface Verdict {
  readonly status: number;
  readonly body: string;
}

export const accepted: Verdict = { status: 200, body: 'SUCCESS' };

/** The server of a POS: it verifies X-QF-SIGN by the published rule, and keeps what it gets. */
export class NoticeServer {
  readonly notices: Notice[] = [];
  /** Called with each before it is answered. */
  onNotice: ((notice: Notice) => Promise<void>) | undefined;
  /** The next ones; `accepted` after them. */
  readonly verdicts: Verdict[] = [];
  readonly #key: string;
  readonly #heard = new Set<() => void>();
  #server: Server | undefined;
  port = 0;

  constructor(key: string) {
    this.#key = key;
  }

  async start(port = this.port): Promise<this> {
    const server = createServer((request, response) => {
      this.#take(request)
        .then(({ status, body }) => response.writeHead(status, { 'content-type': 'text/html' }).end(body))
        .catch((error: Error) => response.writeHead(500).end(error.message));
    });
    this.#server = server;
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/qfpay/notify`;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (!server?.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  /** Resolves with all of them once there are so many. */
  async received(count: number): Promise<readonly Notice[]> {
    while (this.notices.length < count) {
      await new Promise<void>((resolve) => this.#heard.add(resolve));
    }
    return this.notices;
  }

  async #take(request: IncomingMessage): Promise<Verdict> {
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    assert.equal(request.method, 'POST');
    assert.equal(request.url, '/qfpay/notify');
    assert.equal(request.headers['content-type'], 'application/json');
    assert.equal(request.headers['x-qf-sign'], md5(body + this.#key).toUpperCase());
    const notice = JSON.parse(body) as Notice;
    this.notices.push(notice);
    await this.onNotice?.(notice);
    for (const heard of this.#heard) heard();
    this.#heard.clear();
    return this.verdicts.shift() ?? accepted;
  }
}
