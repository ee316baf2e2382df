import type { Duplex } from 'node:stream';
import { emptyFrame, encodeFrame, FrameDecoder, type Frame } from '../../codecs/iso8583/frame.ts';
import { Iso8583Error } from '../../codecs/iso8583/iso8583-error.ts';
import { pack, unpack } from '../../codecs/iso8583/message.ts';
import type { HostOutcome, LinkState } from '../../payment/contracts/acquirer-host.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { Dialect, HostMessage, Matching } from './dialect.ts';
import type { Dial, HostAddress } from './dial.ts';
import { type KeyPair, SentPairs } from './mac-keys.ts';
import type { MessageMacs, PartPlaces } from './message-macs.ts';

/** notSent: no byte was written to a socket. unknown: some bytes may have reached the host. */
type Exchange =
  | { readonly kind: 'answer'; readonly answer: HostMessage }
  | { readonly kind: 'notSent' }
  | Extract<HostOutcome, { kind: 'unknown' }>;

type Unknown = Extract<Exchange, { kind: 'unknown' }>['reason'];

/** Sends a request on one connection, and waits for an answer of the given type. */
export type Ask = (request: HostMessage, answerMti: string) => Promise<Exchange>;

interface LinkOptions extends HostAddress {
  /** Empty if the dialect has none. */
  readonly tpdu: Uint8Array;
  readonly dialect: Pick<Dialect, 'spec' | 'answerSpec' | 'framing' | 'echoesKeepAlive' | 'matching'>;
  /** Absent: messages have no authentication code. */
  readonly macs?: MessageMacs | undefined;
  /** Called with each message of the host that has an authentication code, or lacks a required one. */
  readonly onMac?: (isValid: boolean) => void;
  readonly replyTimeoutMs: number;
  readonly clock: MonotonicClock;
  readonly dial: Dial;
  /** Called with each new connection, before anything else is sent on it. Returns false if it must not be used. */
  readonly onBegin?: ((ask: Ask) => Promise<boolean>) | undefined;
  /** Called before the terminal ends a connection on which nothing is in flight. */
  readonly onEnd?: ((ask: Ask) => Promise<void>) | undefined;
  /** Called with each frame that is sent and each message that is received. It must not throw. */
  readonly observer?: LinkObserver | undefined;
  /** Receives well-formed messages that answer no request in flight: late, repeated, or unrelated. */
  readonly onUnmatched: (message: HostMessage) => void;
}

export interface LinkObserver {
  sent(frame: Uint8Array): void;
  received(message: Uint8Array): void;
}

/** A request that is ready to be written. */
interface Ready {
  readonly frame: Uint8Array;
  readonly request: HostMessage;
  /** The keys of request and answer. Absent: the request has no authentication code. */
  readonly pair?: KeyPair | undefined;
}

interface InFlight extends Omit<Ready, 'frame'> {
  readonly finish: (exchange: Exchange) => void;
}

/** One transaction with the reversals and advices around it. More would be a defect of the caller. */
const inFlightMax = 8;

/**
 * After one reply time-out, the connection to a silent host is kept, so that a late answer arrives and a reversal can't
 * overtake its sale. After the second time-out in a row without any message, the connection counts as dead and is
 * opened again. Keep-alives do not count as messages: the front end that sends them knows nothing about the host behind
 * it, which may be stuck on this very connection.
 */
const silentRepliesMax = 2;

/**
 * Healthy hosts send a keep-alive every few seconds at most, and few answers that no request waits for. More than this
 * is a fault.
 */
const uselessMax = 600;
const uselessWindowMs = 60_000;

/**
 * One TCP connection to one host: opened when needed, kept, and opened again when lost. `renew` leaves it for a second
 * one. An answer belongs to a request if it has the corresponding message type, the same fields that answers always
 * repeat (11 and 41), and, if it has them, the same fields that answers may repeat (3 and 24).
 */
export class HostLink {
  readonly #options: LinkOptions;
  readonly #inFlight = new Map<string, InFlight>();
  readonly #sentPairs = new SentPairs();
  readonly #closing = new AbortController();
  #socket: Duplex | undefined;
  /** The previous connection. Nothing is sent on it any more, but messages of the host are still received. */
  #former: Duplex | undefined;
  #dialling: Promise<Duplex | undefined> | undefined;
  #silentReplies = 0;
  /** The time of the last message of the host, or of the connection. */
  #heardMs = 0;
  #state: LinkState = 'idle';

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** up: connected; down: not connected, after having tried; idle: never tried. */
  get state(): LinkState {
    return this.#state;
  }

  /** Whether a request is in flight that a message of this type, with the numbers of this message, would answer. */
  awaits(answerMti: string, message: HostMessage): boolean {
    return this.#inFlight.has(answerKey(answerMti, message, this.#options.dialect.matching));
  }

  /**
   * Sends `request` and waits for the answer of type `answerMti`. Never rejects for faults of the network or the host.
   * Throws Iso8583Error if the request can't be packed, and Error if an equal request is in flight.
   */
  async exchange(request: HostMessage, answerMti: string): Promise<Exchange> {
    const plain = this.#frameOf(pack(this.#options.dialect.spec, request));
    const socket = await this.#connect();
    return socket ? this.#ask(socket, await this.#sealed(request, plain), answerMti) : { kind: 'notSent' };
  }

  /** Adds the authentication code. Undefined: there is no key. `plain`: the frame without a code. */
  async #sealed(request: HostMessage, plain?: Uint8Array): Promise<Ready | undefined> {
    const { macs, dialect } = this.#options;
    if (!macs) return { frame: plain ?? this.#frameOf(pack(dialect.spec, request)), request };
    const sealed = await macs.pack(request);
    return sealed && { frame: this.#frameOf(sealed.bytes), request: sealed.request, pair: sealed.pair };
  }

  #frameOf(message: Uint8Array): Uint8Array {
    const { tpdu, dialect } = this.#options;
    return encodeFrame({ tpdu, message }, dialect.framing);
  }

  async #ask(socket: Duplex, ready: Ready | undefined, answerMti: string): Promise<Exchange> {
    const { dialect, clock, replyTimeoutMs } = this.#options;
    if (!ready) return { kind: 'notSent' };
    const { frame, request, pair } = ready;
    if (!socket.writable || this.#inFlight.size >= inFlightMax) return { kind: 'notSent' };
    const key = answerKey(answerMti, request, dialect.matching);
    if (this.#inFlight.has(key)) throw new Error('a request with this trace number is in flight already');
    const { promise, resolve } = Promise.withResolvers<Exchange>();
    const timer = clock.setTimeout(() => {
      this.#silentReplies++;
      this.#inFlight.get(key)?.finish({ kind: 'unknown', reason: 'no-answer' });
    }, replyTimeoutMs);
    const finish = (exchange: Exchange) => {
      clock.clearTimeout(timer);
      this.#inFlight.delete(key);
      resolve(exchange);
    };
    this.#inFlight.set(key, { request, pair, finish });
    if (pair) this.#sentPairs.note(key, pair);
    socket.write(frame);
    this.#options.observer?.sent(frame);
    return promise;
  }

  /**
   * The next request opens another connection, on which no answer to an earlier request can come. Messages on the
   * present one are still received, until the host closes it or the link is renewed again. False if a request is in
   * flight: nothing is changed then.
   */
  renew(): boolean {
    if (this.#inFlight.size > 0) return false;
    // Without a present connection nothing changes: the previous one is still received from.
    if (!this.#socket) return true;
    this.#former?.destroy();
    this.#former = this.#socket;
    this.#socket = undefined;
    return true;
  }

  /**
   * Closes the present connection, and still receives on the previous one. Changes nothing if a request is in flight.
   */
  retreat(): void {
    if (this.#inFlight.size === 0) this.#lose(this.#socket, 'link-closed');
  }

  /** Connects if there is no connection. Returns false if that fails. */
  async open(): Promise<boolean> {
    return (await this.#connect()) !== undefined;
  }

  get isIdle(): boolean {
    return this.#inFlight.size === 0;
  }

  /** Milliseconds since the last message of the host. */
  get silentMs(): number {
    return this.#options.clock.elapsedMs() - this.#heardMs;
  }

  /** Closes both connections, for a host that serves only one. Changes nothing if a request is in flight. */
  drop(): void {
    if (this.#inFlight.size > 0) return;
    this.#former?.destroy();
    this.#lose(this.#socket, 'link-closed');
  }

  /** Closes the connection and ends all requests in flight. No connection is opened any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#former?.destroy();
    // Otherwise an unanswered sign-on would delay the end by its time-out.
    if (this.#dialling) this.#lose(this.#socket, 'interrupted');
    await this.#dialling;
    const socket = this.#socket;
    if (!socket) return;
    if (this.#inFlight.size === 0) await this.#options.onEnd?.(this.#askOn(socket));
    this.#lose(socket, 'interrupted');
    const { promise, resolve } = Promise.withResolvers<void>();
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
    await promise;
  }

  async #connect(): Promise<Duplex | undefined> {
    if (this.#closing.signal.aborted) return undefined;
    if (this.#dialling) return this.#dialling;
    const dead = this.#silentReplies >= silentRepliesMax || this.#socket?.writable === false;
    if (dead) this.#lose(this.#socket, 'link-closed');
    if (this.#socket) return this.#socket;
    this.#dialling = this.#dialHost();
    return this.#dialling;
  }

  async #dialHost(): Promise<Duplex | undefined> {
    const { dial, clock, onBegin } = this.#options;
    const socket = await dial(this.#options, clock, this.#closing.signal);
    this.#socket = socket;
    this.#silentReplies = 0;
    this.#heardMs = clock.elapsedMs();
    if (socket) this.#listen(socket);
    if (socket && onBegin && !(await onBegin(this.#askOn(socket)))) this.#lose(socket, 'link-closed');
    this.#dialling = undefined;
    this.#state = this.#socket ? 'up' : 'down';
    return this.#socket;
  }

  #askOn(socket: Duplex): Ask {
    return async (request, answerMti) => this.#ask(socket, await this.#sealed(request), answerMti);
  }

  #listen(socket: Duplex): void {
    const { framing, echoesKeepAlive } = this.#options.dialect;
    const decoder = new FrameDecoder({ framing });
    let unmatched = 0;
    let echoed = 0;
    const isFlood = this.#flood(() => decoder.keepAlives + unmatched);
    socket.on('data', (chunk) => {
      const { frames, fault } = decoder.push(chunk);
      if (echoesKeepAlive && !isFlood()) {
        for (; echoed < decoder.keepAlives; echoed++) socket.write(emptyFrame(framing));
      }
      if (frames.length > 0 && socket === this.#socket) {
        this.#silentReplies = 0;
        this.#heardMs = this.#options.clock.elapsedMs();
      }
      const intact = frames.every((frame) => {
        const taken = this.#take(frame, socket);
        if (taken === 'unmatched') unmatched += 1;
        return taken !== 'garbled' && !isFlood();
      });
      if (fault || !intact || isFlood()) this.#lose(socket, 'garbled-answer');
    });
    // Without allowHalfOpen, Node closes our half when the host closes its own.
    socket.once('close', () => this.#lose(socket, this.#closing.signal.aborted ? 'interrupted' : 'link-closed'));
  }

  /**
   * Whether the host has sent more than any healthy host that answers no request. `useless`: how much since the start.
   */
  #flood(useless: () => number): () => boolean {
    const { clock } = this.#options;
    let begin = { at: clock.now().getTime(), count: 0 };
    return () => {
      const at = clock.now().getTime();
      // The machine's clock may be set meanwhile, in either direction.
      if (Math.abs(at - begin.at) >= uselessWindowMs) begin = { at, count: useless() };
      return useless() - begin.count > uselessMax;
    };
  }

  /** garbled: it is not a message, and the stream can't be trusted any further. */
  #take({ tpdu, message: bytes }: Frame, socket: Duplex): 'answer' | 'unmatched' | 'garbled' {
    const { dialect, tpdu: own, observer } = this.#options;
    observer?.received(bytes);
    if (tpdu[0] !== own[0]) return 'garbled';
    let message: HostMessage;
    const places = new Map<number, readonly [number, number]>();
    try {
      message = unpack(dialect.answerSpec, bytes, (field, start, end) => places.set(field, [start, end]));
    } catch (error) {
      if (error instanceof Iso8583Error) return 'garbled';
      throw error;
    }
    const key = answerKey(message.mti, message, dialect.matching);
    const found = socket === this.#socket ? this.#inFlight.get(key) : undefined;
    const waiting = found && agrees(found.request, message, dialect.matching) ? found : undefined;
    const authentic = this.#authenticate(message.mti, bytes, places, { waiting, key });
    if (authentic === 'none') return 'garbled';
    if (waiting && authentic === 'request') {
      waiting.finish({ kind: 'answer', answer: message });
      return 'answer';
    }
    this.#options.onUnmatched(message);
    return 'unmatched';
  }

  /**
   * Which key authenticates a message: that of the request in flight that it would answer, or another one. With DUKPT,
   * a repeat has the numbers of the earlier request but another key, so a late answer to the earlier one is recognized.
   */
  #authenticate(
    mti: string,
    bytes: Uint8Array,
    places: PartPlaces,
    { waiting, key }: { readonly waiting: InFlight | undefined; readonly key: string },
  ): 'request' | 'other' | 'none' {
    const { macs, onMac } = this.#options;
    if (!macs) return 'request';
    const judge = (pairs: readonly KeyPair[] | undefined) => macs.judge(mti, bytes, places, pairs);
    const ofAnswer = waiting ? judge(waiting.pair && [waiting.pair]) : 'wrong';
    const mayBeOther = ofAnswer === 'wrong' && (!waiting || waiting.pair?.ksn !== undefined);
    const code = mayBeOther ? judge(this.#sentPairs.of(key)) : ofAnswer;
    // A message that needs no code does not end the fault of the line.
    if (code !== 'none') onMac?.(code === 'right');
    if (ofAnswer !== 'wrong') return 'request';
    return code === 'wrong' ? 'none' : 'other';
  }

  #lose(socket: Duplex | undefined, reason: Unknown): void {
    if (!socket) return;
    socket.destroy();
    if (socket === this.#former) this.#former = undefined;
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    this.#state = 'down';
    for (const { finish } of this.#inFlight.values()) finish({ kind: 'unknown', reason });
  }
}

/** Message type, trace number and terminal identify one answer. Missing fields match no request in flight. */
function answerKey(mti: string, { fields }: HostMessage, { always }: Matching): string {
  return [mti, ...always.map((field) => keyPart(fields[field]))].join('/');
}

function keyPart(value: string | Uint8Array = ''): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString('hex');
}

/** Whether the numbers of `answer` match this request. The caller checks the message type. */
export function isAnswer(request: HostMessage, answer: HostMessage, matching: Matching): boolean {
  return answerKey('', request, matching) === answerKey('', answer, matching) && agrees(request, answer, matching);
}

/** Whether the fields that an answer may repeat equal those of the request, if the answer has them. */
function agrees(request: HostMessage, answer: HostMessage, { ifPresent }: Matching): boolean {
  return ifPresent.every((field) => {
    const answered = answer.fields[field];
    return answered === undefined || isEqual(answered, request.fields[field]);
  });
}

export function isEqual(one: string | Uint8Array, other: string | Uint8Array | undefined): boolean {
  if (typeof one === 'string' || typeof other === 'string' || !other) return one === other;
  return Buffer.compare(one, other) === 0;
}
