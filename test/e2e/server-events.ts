import assert from 'node:assert/strict';
import http from 'node:http';

/** One server-sent event; `data` as it came. */
export interface ServerEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

/** A stream of server-sent events, read one by one. */
export class ServerEvents {
  readonly #response: http.IncomingMessage;
  readonly #chunks: AsyncIterator<Buffer>;
  #text = '';

  private constructor(response: http.IncomingMessage) {
    this.#response = response;
    this.#chunks = response[Symbol.asyncIterator]();
  }

  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<ServerEvents> {
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
    http.get(url, { agent: false, headers }, resolve).on('error', reject);
    const response = await promise;
    assert.equal(response.statusCode, 200);
    assert.match(response.headers['content-type'] ?? '', /^text\/event-stream/);
    return new ServerEvents(response);
  }

  /** The next event with data, not a comment or the reconnection time. Undefined once the stream has ended. */
  async next(): Promise<ServerEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end >= 0) {
        const event = parsed(this.#text.slice(0, end));
        this.#text = this.#text.slice(end + 2);
        if (event) return event;
        continue;
      }
      const { value, done } = await this.#chunks.next().catch(() => ({ value: undefined, done: true }));
      if (done === true || value === undefined) return undefined;
      this.#text += value.toString('utf8');
    }
  }

  close(): void {
    this.#response.destroy();
  }
}

function parsed(block: string): ServerEvent | undefined {
  const fields = new Map(block.split('\n').map((line) => [line.replace(/:.*$/s, ''), line.replace(/^[^:]*: ?/, '')]));
  const data = fields.get('data');
  if (data === undefined) return undefined;
  const [id, event] = [fields.get('id'), fields.get('event')];
  return { data, ...(id === undefined ? {} : { id }), ...(event === undefined ? {} : { event }) };
}
