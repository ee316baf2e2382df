import { Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { LinkState } from '../../ports/acquirer-host.ts';
import type { Clock } from '../../ports/clock.ts';
import type { WalletOutcome } from '../../ports/wallet-host.ts';
import { dial, type HostAddress } from './dial.ts';

export interface HttpAnswer {
  readonly status: number;
  /** X-QF-SIGN. */
  readonly signature: string | undefined;
  readonly body: Uint8Array;
}

type Unknown = Extract<WalletOutcome, { kind: 'unknown' }>;

/** notSent: no byte of the request was given to a socket. unknown: some may have reached the host. */
type Exchange = { readonly kind: 'answer'; readonly answer: HttpAnswer } | { readonly kind: 'notSent' } | Unknown;

interface LinkOptions extends HostAddress {
  readonly replyTimeoutMs: number;
  readonly clock: Clock;
}

interface Post {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One payment and the enquiries around it; more would be a fault of the caller. */
const inFlightMax = 8;
const bodyBytesMax = 65_536;
/** A connection that rested longer may be forgotten by a router, and would swallow the next request. */
const idleMsMax = 10_000;

/** One host over HTTP/1.1. Every connection is made before its request is written, so that "not sent" is certain. */
export class HttpLink {
  readonly #options: LinkOptions;
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 1, timeout: idleMsMax });
  readonly #closing = new AbortController();
  readonly #sockets = new Set<Socket>();
  readonly #connecting = new Set<Promise<void>>();
  readonly #interrupts = new Set<() => void>();
  #state: LinkState = 'idle';

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#agent.createConnection = (_options, callback) => {
      const connecting = this.#connect(callback).finally(() => this.#connecting.delete(connecting));
      this.#connecting.add(connecting);
      return undefined;
    };
  }

  /** up: the last attempt reached the host; down: it did not, or the connection broke; idle: never tried. */
  get state(): LinkState {
    return this.#state;
  }

  /** Never rejects for what network or host do. */
  post({ path, headers, body }: Post): Promise<Exchange> {
    const { clock, host, port, replyTimeoutMs } = this.#options;
    if (this.#closing.signal.aborted || this.#interrupts.size >= inFlightMax) {
      return Promise.resolve({ kind: 'notSent' });
    }
    const { promise, resolve } = Promise.withResolvers<Exchange>();
    const request = httpRequest({ agent: this.#agent, method: 'POST', host, port, path, headers });
    let handed = false;
    let timer: unknown;
    const settle = (exchange: Exchange) => {
      clock.clearTimeout(timer);
      this.#interrupts.delete(interrupt);
      resolve(exchange);
    };
    const fail = (reason: Unknown['reason']) => {
      // The request closes after its answer too.
      if (!this.#interrupts.has(interrupt)) return;
      this.#state = 'down';
      settle(handed ? { kind: 'unknown', reason } : { kind: 'notSent' });
      request.destroy();
    };
    const interrupt = () => fail('interrupted');
    this.#interrupts.add(interrupt);
    // The agent gives a request its socket right before the first byte is written.
    request.once('socket', () => {
      handed = true;
      timer = clock.setTimeout(() => fail('no-answer'), replyTimeoutMs);
    });
    const answered = (answer: HttpAnswer) => {
      this.#state = 'up';
      settle({ kind: 'answer', answer });
    };
    answerOf(request, answered, fail);
    request.end(body);
    return promise;
  }

  /** Ends everything in flight and every connection; nothing is dialled any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const interrupt of this.#interrupts) interrupt();
    await Promise.all(this.#connecting);
    this.#agent.destroy();
    await Promise.all([...this.#sockets].map((socket) => closed(socket)));
  }

  async #connect(callback: Parameters<Agent['createConnection']>[1]): Promise<void> {
    const socket = await dial(this.#options, this.#options.clock, this.#closing.signal);
    this.#state = socket ? 'up' : 'down';
    if (socket) {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      callback?.(null, socket);
    } else {
      // With an error the agent looks at nothing else.
      callback?.(new Error('not connected'), undefined as never);
    }
  }
}

/** Tells the one whole answer to a request, or why there is none; what comes after the first call says nothing more. */
function answerOf(
  request: ClientRequest,
  onAnswer: (answer: HttpAnswer) => void,
  onFailure: (reason: 'garbled-answer' | 'link-closed') => void,
): void {
  request.once('response', (response: IncomingMessage) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bodyBytesMax) onFailure('garbled-answer');
      else chunks.push(chunk);
    });
    response.once('end', () => {
      const { statusCode: status = 0, headers } = response;
      const signature = headers['x-qf-sign'];
      if (!response.complete || Array.isArray(signature)) onFailure('garbled-answer');
      else onAnswer({ status, signature, body: Buffer.concat(chunks) });
    });
    response.on('error', () => onFailure('link-closed'));
  });
  // HPE: the parser of HTTP found what is none.
  request.on('error', ({ code }: NodeJS.ErrnoException) => {
    onFailure(code?.startsWith('HPE_') ? 'garbled-answer' : 'link-closed');
  });
  request.once('close', () => onFailure('link-closed'));
}

async function closed(socket: Socket): Promise<void> {
  if (socket.closed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  socket.destroy();
  await promise;
}
