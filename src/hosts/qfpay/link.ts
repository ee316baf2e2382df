import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { limitInterimAnswers } from '../../base/dial/answer-head.ts';
import type { LinkState } from '../../payment/contracts/acquirer-host.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { WalletOutcome } from '../../payment/contracts/wallet-host.ts';
import { type Dial, dial, type HostAddress } from './dial.ts';
import { RestingConnection } from './resting-connection.ts';

export interface HttpAnswer {
  readonly status: number;
  /** X-QF-SIGN. */
  readonly signature: string | undefined;
  /** Date. */
  readonly date: string | undefined;
  readonly body: Uint8Array;
}

type Unknown = Extract<WalletOutcome, { kind: 'unknown' }>;

/** notSent: no byte of the request was written to a socket. unknown: some bytes may have reached the host. */
type Exchange = { readonly kind: 'answer'; readonly answer: HttpAnswer } | { readonly kind: 'notSent' } | Unknown;

interface LinkOptions extends HostAddress {
  readonly replyTimeoutMs: number;
  readonly clock: MonotonicClock;
  /** Default: TCP or TLS. */
  readonly dial?: Dial | undefined;
}

interface Post {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One payment with the enquiries around it. More would be a defect of the caller. */
const inFlightMax = 8;
const bodyBytesMax = 65_536;
/**
 * One host over HTTP/1.1. Each connection is opened before its request is written, so that "not sent" is certain. Time
 * and connections come only from the given clock and dial.
 */
export class HttpLink {
  readonly #options: LinkOptions;
  readonly #closing = new AbortController();
  readonly #sockets = new Set<Duplex>();
  readonly #dialling = new Set<Promise<Duplex | undefined>>();
  readonly #interrupts = new Set<() => void>();
  readonly #resting: RestingConnection;
  #inFlight = 0;
  #state: LinkState = 'idle';

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#resting = new RestingConnection(options.clock);
  }

  /** up: the last attempt reached the host; down: it did not, or the connection broke; idle: never tried. */
  get state(): LinkState {
    return this.#state;
  }

  /** Never rejects for faults of the network or the host. */
  async post(post: Post): Promise<Exchange> {
    if (this.#closing.signal.aborted || this.#inFlight >= inFlightMax) return { kind: 'notSent' };
    this.#inFlight++;
    try {
      const socket = this.#resting.take() ?? (await this.#dialHost());
      return socket ? await this.#exchangeOn(post, socket) : { kind: 'notSent' };
    } finally {
      this.#inFlight--;
    }
  }

  /** Ends all requests in flight and all connections. No connection is opened any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const interrupt of this.#interrupts) interrupt();
    await Promise.all(this.#dialling);
    await Promise.all([...this.#sockets].map((socket) => closeSocket(socket)));
  }

  #exchangeOn({ path, headers, body }: Post, socket: Duplex): Promise<Exchange> {
    const { clock, host, port, replyTimeoutMs } = this.#options;
    const { promise, resolve } = Promise.withResolvers<Exchange>();
    const request = httpRequest({
      createConnection: () => socket,
      method: 'POST',
      host,
      port,
      path,
      headers: { ...headers, Connection: 'keep-alive' },
    });
    const finish = (exchange: Exchange) => {
      clock.clearTimeout(timer);
      this.#interrupts.delete(interrupt);
      resolve(exchange);
    };
    const fail = (reason: Unknown['reason']) => {
      // A request also closes after its answer: then it has ended already.
      if (!this.#interrupts.has(interrupt)) return;
      this.#state = 'down';
      finish({ kind: 'unknown', reason });
      request.destroy();
      socket.destroy();
    };
    const interrupt = () => fail('interrupted');
    const timer = clock.setTimeout(() => fail('no-answer'), replyTimeoutMs);
    this.#interrupts.add(interrupt);
    let keepAlive = '';
    // 'free' comes once the whole answer was read and the request has ended.
    socket.once('free', () => this.#resting.keep(socket, keepAlive));
    const resolveAnswer = (answer: HttpAnswer, hint: string) => {
      keepAlive = hint;
      this.#state = 'up';
      finish({ kind: 'answer', answer });
    };
    answerOf(request, resolveAnswer, fail);
    request.end(body);
    return promise;
  }

  async #dialHost(): Promise<Duplex | undefined> {
    const { dial: dialled = dial, clock } = this.#options;
    const dialling = dialled(this.#options, clock, this.#closing.signal);
    this.#dialling.add(dialling);
    const socket = await dialling;
    if (socket) {
      this.#sockets.add(socket);
      // A resting connection has no other error listener; 'close' follows.
      socket.on('error', () => {});
      socket.once('close', () => this.#sockets.delete(socket));
    }
    this.#dialling.delete(dialling);
    this.#state = socket ? 'up' : 'down';
    return this.#closing.signal.aborted ? undefined : socket;
  }
}

/**
 * Calls back with the one complete answer, or with the reason why there is none. Calls after the first have no effect.
 */
function answerOf(
  request: ClientRequest,
  onAnswer: (answer: HttpAnswer, keepAlive: string) => void,
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
      else
        onAnswer(
          { status, signature, date: headers.date, body: Buffer.concat(chunks) },
          String(headers['keep-alive'] ?? ''),
        );
    });
    response.on('error', () => onFailure('link-closed'));
  });
  // HPE_ codes: Node's HTTP parser rejected the answer.
  request.on('error', ({ code }: NodeJS.ErrnoException) => {
    onFailure(code?.startsWith('HPE_') ? 'garbled-answer' : 'link-closed');
  });
  limitInterimAnswers(request, () => onFailure('garbled-answer'));
  // A wallet host has no reason to change the protocol.
  request.once('upgrade', () => onFailure('garbled-answer'));
  request.once('close', () => onFailure('link-closed'));
}

async function closeSocket(socket: Duplex): Promise<void> {
  if (socket.closed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  socket.destroy();
  await promise;
}
