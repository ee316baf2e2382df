/** One HTTP request (RFC 9112), as far as a client that posts forms needs it. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const headEnd = '\r\n\r\n';

/** Cuts the bytes of one connection into requests. Throws for anything else: the terminal must not send it. */
export class HttpReader {
  #held = Buffer.alloc(0);

  push(bytes: Buffer): HttpRequest[] {
    this.#held = Buffer.concat([this.#held, bytes]);
    const requests: HttpRequest[] = [];
    for (let next = this.#next(); next; next = this.#next()) requests.push(next);
    return requests;
  }

  #next(): HttpRequest | undefined {
    const end = this.#held.indexOf(headEnd);
    if (end < 0) return undefined;
    const [line = '', ...rest] = this.#held.subarray(0, end).toString('latin1').split('\r\n');
    const [method = '', path = '', version = ''] = line.split(' ');
    if (version !== 'HTTP/1.1') throw new Error('a request of another protocol');
    const headers = new Map(
      rest.map((each): [string, string] => {
        const colon = each.indexOf(':');
        return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()];
      }),
    );
    const length = Number(headers.get('content-length'));
    if (!Number.isInteger(length)) throw new Error('a request that does not say how long it is');
    const begin = end + headEnd.length;
    if (this.#held.length < begin + length) return undefined;
    const body = this.#held.subarray(begin, begin + length).toString('utf8');
    this.#held = this.#held.subarray(begin + length);
    return { method, path, headers, body };
  }
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function answerBytes({ status, headers, body }: HttpAnswer): Buffer {
  const bytes = Buffer.from(body, 'utf8');
  const fields = Object.entries({ ...headers, 'Content-Length': String(bytes.length) });
  const head = [
    `HTTP/1.1 ${status} ${status === 200 ? 'OK' : 'Error'}`,
    ...fields.map(([name, of]) => `${name}: ${of}`),
  ];
  return Buffer.concat([Buffer.from(head.join('\r\n') + headEnd, 'latin1'), bytes]);
}

/** application/x-www-form-urlencoded. */
export function formOf(body: string): ReadonlyMap<string, string> {
  const plain = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
  return new Map(
    body.split('&').map((pair): [string, string] => {
      const [name = '', ...value] = pair.split('=');
      return [plain(name), plain(value.join('='))];
    }),
  );
}
