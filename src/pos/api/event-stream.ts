import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/ports/clock.ts';
import type {
  CustomerMatterEvent,
  ExtraPaymentEvent,
  ReceiptEvent,
  TerminalEvent,
  TerminalEvents,
} from '../../payment/contracts/terminal-events.ts';
import { type Answer, errorAnswer } from './pos-response.ts';
import { parseEventsQuery } from './events-query.ts';
import type { PosCaller } from '../contracts/pos-calls.ts';
import type { Duplex } from 'node:stream';

/** Responses that stay open as long as their client. */
export class OpenStreams {
  readonly #responses = new Set<ServerResponse>();

  add(response: ServerResponse): void {
    this.#responses.add(response);
    response.on('close', () => this.#responses.delete(response));
  }

  /** Whether this connection has a stream, or will have one after earlier answers. */
  on(socket: Duplex): boolean {
    return [...this.#responses].some((response) => response.req.socket === socket);
  }

  /** Whether a stream has this connection: the answers before it are sent. */
  serves(socket: Duplex): boolean {
    return [...this.#responses].some((response) => response.req.socket === socket && response.socket !== null);
  }

  /** Ends the streams of a client that has closed its side: such a watcher has ended. */
  endStreamOf(socket: Duplex): void {
    for (const response of this.#responses) {
      if (response.req.socket === socket) response.destroy();
    }
  }

  /** Ends them all. */
  end(): void {
    for (const response of this.#responses) endStream(response);
  }
}

/** Ends a stream without waiting for a client that does not read. */
export function endStream(response: ServerResponse): void {
  response.end();
  if (response.writableLength > 0) response.destroy();
}

/** Interval of comment lines, by which both sides detect a dead connection. */
const heartbeatMs = 15_000;
const watchersMax = 32;
const watchersPerAddressMax = 8;
/** Limit of unsent bytes for a watcher that does not read. An event has about 250 bytes. */
const unreadBytesMax = 65_536;
const ringMax = 1_000;
/** How long a browser waits before it reconnects. */
const reconnectMs = 1_000;

/** Why a stream can't continue from the client's last event: the terminal was restarted, or the event is too old. */
export type ResetReason = 'restarted' | 'too-old';

/** A past event, kept for clients that reconnect. */
interface SentEvent {
  readonly sequence: number;
  /** Undefined for events other than a change of state. */
  readonly state: TerminalEvent['state'] | undefined;
  readonly posId: string | undefined;
  /** The serialized event. */
  readonly text: string;
}

interface Watcher {
  readonly address: string;
  readonly posId: string | undefined;
  /**
   * Beyond this many unsent bytes the watcher counts as too slow. Missed events are sent in one piece, so the limit is
   * higher at first.
   */
  unreadMax: number;
}

type AnyEvent = TerminalEvent & ReceiptEvent & ExtraPaymentEvent & CustomerMatterEvent;
type PartField = keyof ExtraPaymentEvent['extraPayment'] | keyof CustomerMatterEvent['customerMatter'];
/** The name of an event in the stream. */
export type EventName = 'state' | 'receipt' | 'extraPayment' | 'customerMatter';

/** The fields of a serialized event and of its parts, in this order. */
const fields: readonly (keyof AnyEvent | PartField)[] = [
  'state',
  'step',
  'hint',
  'posId',
  'messageId',
  'terminalTransactionId',
  'receiptStatus',
  'receiptFault',
  'extraPayment',
  'customerMatter',
  'kind',
  'transactionType',
  'paymentMethod',
  'amount',
  'currency',
  'at',
];

/**
 * GET /sp/v1/events: every change of state as server-sent events (html.spec.whatwg.org, 9.2). A new client first gets
 * the present state. A client that returns with its last event id gets the events that it missed.
 */
export class EventStream implements TerminalEvents {
  readonly #clock: Clock;
  /** Distinguishes ids of this start of the terminal from those of another. */
  readonly #boot: string;
  readonly #ring: SentEvent[] = [];
  readonly #watchers = new Map<ServerResponse, Watcher>();
  readonly #listeners: ((name: EventName, data: string) => void)[] = [];
  #sequence = 0;
  #idle: SentEvent;
  #present = wire({ state: 'idle' });
  #heartbeat: unknown;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#boot = clock.now().getTime().toString(36);
    this.#idle = this.#record('state', { state: 'idle' });
  }

  emit(event: Omit<TerminalEvent, 'at'>): void {
    if (wire(event) === this.#present) return;
    this.#present = wire(event);
    this.#send(this.#record('state', event));
  }

  emitReceipt(event: ReceiptEvent): void {
    this.#send(this.#record('receipt', event));
  }

  emitExtraPayment(event: ExtraPaymentEvent): void {
    this.#send(this.#record('extraPayment', event));
  }

  emitCustomerMatter(event: CustomerMatterEvent): void {
    this.#send(this.#record('customerMatter', event));
  }

  /** Calls the listener for each further event, with its name, and its fields as JSON. */
  onSent(listener: (name: EventName, data: string) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Takes over the response and keeps it open; or returns the answer that refuses it. `headers`: access headers of
   * every answer.
   */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    caller: PosCaller,
  ): Answer | undefined {
    const query = parseEventsQuery(request);
    if ('status' in query) return query;
    const full = this.#full(caller.address);
    if (full !== undefined)
      return errorAnswer(503, 'ERROR', { reason: 'tooManyStreams', message: full }, { financialImpact: 'NONE' });
    // A paired POS receives only its own events, even if it asks for all.
    const { posId = query.posId } = caller;
    const { 'last-event-id': header = '' } = request.headers;
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream',
      // A proxy must neither compress nor buffer the stream: nginx does by default, unless its own header forbids it.
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      // The stream ends with its connection, so no request can follow it.
      connection: 'close',
    });
    const flushed = response.write(
      `retry: ${reconnectMs}\n\n${this.#since(header.toString() || query.lastEventId, posId)}`,
    );
    const watcher = { address: caller.address, posId, unreadMax: unreadBytesMax + response.writableLength };
    if (!flushed) response.once('drain', () => (watcher.unreadMax = unreadBytesMax));
    this.#watchers.set(response, watcher);
    this.#heartbeat ??= this.#nextHeartbeat();
    response.on('close', () => this.#forget(response));
    return undefined;
  }

  /**
   * Why this address can't have another watcher; undefined if it can. The oldest watcher of the address with the most
   * watchers is closed for another address, so that watchers of one address can't exclude a POS.
   */
  #full(address: string): string | undefined {
    const counts = new Map([[address, 0]]);
    for (const watcher of this.#watchers.values()) counts.set(watcher.address, (counts.get(watcher.address) ?? 0) + 1);
    const own = counts.get(address) ?? 0;
    if (own >= watchersPerAddressMax) return `at most ${watchersPerAddressMax} watchers of one address are possible`;
    if (this.#watchers.size < watchersMax) return undefined;
    const [most, count] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one));
    const [oldest] = [...this.#watchers].find(([, watcher]) => watcher.address === most) ?? [];
    if (!oldest || count <= own + 1) return `at most ${watchersMax} watchers are possible`;
    endStream(oldest);
    this.#forget(oldest);
    return undefined;
  }

  /** The first data for a client. */
  #since(lastEventId: string | undefined, posId: string | undefined): string {
    const present = () =>
      (this.#ring.findLast((each) => each.state !== undefined && isSeen(each, posId)) ?? this.#idle).text;
    if (lastEventId === undefined) return present();
    const [, boot, digits = ''] = /^([0-9a-z]{1,11})-(\d{1,15})$/.exec(lastEventId) ?? [];
    const sequence = Number(digits);
    if (boot !== this.#boot || sequence >= this.#sequence) return reset('restarted') + present();
    const [oldest] = this.#ring;
    if (oldest === undefined || sequence < oldest.sequence) return reset('too-old') + present();
    const missed = this.#ring.filter((each) => each.sequence > sequence && isSeen(each, posId));
    return missed.map((each) => each.text).join('');
  }

  #record(name: EventName, event: Partial<AnyEvent>): SentEvent {
    const { state, posId } = event;
    const sequence = this.#sequence++;
    const data = wire({ ...event, at: this.#clock.now().toISOString() });
    const sent = { sequence, state, posId, text: `id: ${this.#boot}-${sequence}\nevent: ${name}\ndata: ${data}\n\n` };
    this.#ring.push(sent);
    if (this.#ring.length > ringMax) this.#ring.shift();
    if (state === 'idle') this.#idle = sent;
    for (const notify of this.#listeners) notify(name, data);
    return sent;
  }

  #send(sent: SentEvent): void {
    for (const [response, watcher] of this.#watchers) {
      if (isSeen(sent, watcher.posId)) this.#write(response, watcher, sent.text);
    }
  }

  #write(response: ServerResponse, { unreadMax }: Watcher, text: string): void {
    // The server is closing.
    if (response.writableEnded) return;
    if (response.writableLength <= unreadMax) {
      response.write(text);
      return;
    }
    response.destroy();
    this.#forget(response);
  }

  #nextHeartbeat(): unknown {
    return this.#clock.setTimeout(() => {
      this.#heartbeat = this.#nextHeartbeat();
      for (const [response, watcher] of this.#watchers) this.#write(response, watcher, ':\n\n');
    }, heartbeatMs);
  }

  /** The heartbeat stops with the last watcher. */
  #forget(response: ServerResponse): void {
    this.#watchers.delete(response);
    if (this.#watchers.size > 0 || this.#heartbeat === undefined) return;
    this.#clock.clearTimeout(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}

/** Every watcher gets 'idle', because it means that the terminal is free. */
function isSeen({ state, posId: owner }: SentEvent, posId: string | undefined): boolean {
  return posId === undefined || state === 'idle' || owner === posId;
}

function wire(event: Partial<AnyEvent>): string {
  return JSON.stringify(event, fields as string[]);
}

/** A reset has no id; the event after it has one. */
function reset(reason: ResetReason): string {
  return `event: reset\ndata: ${JSON.stringify({ reason })}\n\n`;
}
