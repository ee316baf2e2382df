import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Clock } from '../ports/clock.ts';
import type { TerminalEvent, TerminalEvents } from '../ports/terminal-events.ts';
import { type Answer, errorAnswer } from './envelope.ts';
import { endStream } from './open-streams.ts';
import { identifier, inputFaults, optional, text } from './pos-request.ts';
import type { Sender } from './sender.ts';

/** A comment line now and then, so that both sides notice a dead connection. */
const heartbeatMs = 15_000;
const watchersMax = 32;
const watchersPerAddressMax = 8;
/** What may wait for a watcher that does not read; an event is some 250 bytes. */
const unreadBytesMax = 65_536;
const ringMax = 1_000;
/** How long a browser waits before it connects again. */
const reconnectMs = 1_000;

/** The query of GET /sp/v1/events. */
export const eventsQuery = z.object({
  posId: optional(identifier).describe('only transactions of this POS, and idle'),
  lastEventId: optional(text(64)).describe('for a client that can’t send Last-Event-ID; the header goes before it'),
});

/** Why a stream can't go on where the client left it: the terminal was restarted, or it has forgotten that much. */
export type ResetReason = 'restarted' | 'too-old';

/** Beside the id that the client has: what it missed. */
interface ToldEvent {
  readonly sequence: number;
  readonly state: TerminalEvent['state'];
  readonly posId: string | undefined;
  /** As it goes over the wire. */
  readonly text: string;
}

interface Watcher {
  readonly address: string;
  readonly posId: string | undefined;
  /** Above it the watcher is too slow: what it missed came in one piece, and may take longer. */
  unreadMax: number;
}

/** What goes over the wire of an event, in this order, and nothing else. */
const fields: readonly (keyof TerminalEvent)[] = [
  'state',
  'step',
  'hint',
  'posId',
  'messageId',
  'terminalTransactionId',
  'at',
];

/**
 * GET /sp/v1/events: every change of state as server-sent events (html.spec.whatwg.org, 9.2). Who connects gets the present
 * state first, and who comes back with the id of the last event gets what was missed.
 */
export class EventStream implements TerminalEvents {
  readonly #clock: Clock;
  /** An id of another start of the terminal is none of this one. */
  readonly #boot: string;
  readonly #ring: ToldEvent[] = [];
  readonly #watchers = new Map<ServerResponse, Watcher>();
  #sequence = 0;
  #idle: ToldEvent;
  #present = '';
  #heartbeat: unknown;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#boot = clock.now().getTime().toString(36);
    this.#idle = this.#record({ state: 'idle' });
  }

  tell(event: Omit<TerminalEvent, 'at'>): void {
    if (wire(event) === this.#present) return;
    const told = this.#record(event);
    for (const [response, watcher] of this.#watchers) {
      if (isSeen(told, watcher.posId)) this.#write(response, watcher, told.text);
    }
  }

  /** Takes the response over and leaves it open; an answer says why not. `headers`: of access, for every answer. */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    sender: Sender,
  ): Answer | undefined {
    const query = parseQuery(request);
    if ('status' in query) return query;
    const full = this.#full(sender.address);
    if (full !== undefined) return errorAnswer(503, 'ERROR', full, { financialImpact: 'NONE' });
    // A paired POS hears of its own alone, also where it asks for all.
    const { posId = query.posId } = sender;
    const { 'last-event-id': header = '' } = request.headers;
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // It ends with its connection: nothing can come behind it.
      connection: 'close',
    });
    const flushed = response.write(
      `retry: ${reconnectMs}\n\n${this.#since(header.toString() || query.lastEventId, posId)}`,
    );
    const watcher = { address: sender.address, posId, unreadMax: unreadBytesMax + response.writableLength };
    if (!flushed) response.once('drain', () => (watcher.unreadMax = unreadBytesMax));
    this.#watchers.set(response, watcher);
    this.#heartbeat ??= this.#nextHeartbeat();
    response.on('close', () => this.#forget(response));
    return undefined;
  }

  /**
   * Why another watcher of this address has no place; nothing once it has one. Of many watchers of one address the oldest makes
   * place for those of another: nobody who only watches keeps a point of sale from it.
   */
  #full(address: string): string | undefined {
    const counts = new Map([[address, 0]]);
    for (const watcher of this.#watchers.values()) counts.set(watcher.address, (counts.get(watcher.address) ?? 0) + 1);
    const own = counts.get(address) ?? 0;
    if (own >= watchersPerAddressMax) return `${watchersPerAddressMax} watchers of one address are the most`;
    if (this.#watchers.size < watchersMax) return undefined;
    const [most, count] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one));
    const [oldest] = [...this.#watchers].find(([, watcher]) => watcher.address === most) ?? [];
    if (!oldest || count <= own + 1) return `${watchersMax} watchers are the most`;
    endStream(oldest);
    this.#forget(oldest);
    return undefined;
  }

  /** What a client gets first. */
  #since(lastEventId: string | undefined, posId: string | undefined): string {
    const present = () => (this.#ring.findLast((each) => isSeen(each, posId)) ?? this.#idle).text;
    if (lastEventId === undefined) return present();
    const [, boot, digits = ''] = /^([0-9a-z]{1,11})-(\d{1,15})$/.exec(lastEventId) ?? [];
    const sequence = Number(digits);
    if (boot !== this.#boot || sequence >= this.#sequence) return reset('restarted') + present();
    const [oldest] = this.#ring;
    if (oldest === undefined || sequence < oldest.sequence) return reset('too-old') + present();
    const missed = this.#ring.filter((each) => each.sequence > sequence && isSeen(each, posId));
    return missed.map((each) => each.text).join('');
  }

  #record(event: Omit<TerminalEvent, 'at'>): ToldEvent {
    const { state, posId } = event;
    const sequence = this.#sequence++;
    const data = wire({ ...event, at: this.#clock.now().toISOString() });
    const told = { sequence, state, posId, text: `id: ${this.#boot}-${sequence}\nevent: state\ndata: ${data}\n\n` };
    this.#present = wire(event);
    this.#ring.push(told);
    if (this.#ring.length > ringMax) this.#ring.shift();
    if (state === 'idle') this.#idle = told;
    return told;
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

  /** Nobody is kept awake for no watcher. */
  #forget(response: ServerResponse): void {
    this.#watchers.delete(response);
    if (this.#watchers.size > 0 || this.#heartbeat === undefined) return;
    this.#clock.clearTimeout(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}

/** Idle is everybody's: it says that the terminal is free. */
function isSeen({ state, posId: owner }: ToldEvent, posId: string | undefined): boolean {
  return posId === undefined || state === 'idle' || owner === posId;
}

function wire(event: Partial<TerminalEvent>): string {
  return JSON.stringify(event, fields as string[]);
}

/** Without an id: the event after it has one. */
function reset(reason: ResetReason): string {
  return `event: reset\ndata: ${JSON.stringify({ reason })}\n\n`;
}

function parseQuery({ url = '' }: IncomingMessage): z.infer<typeof eventsQuery> | Answer {
  const parameters = new URLSearchParams(url.replace(/^[^?]*/, ''));
  const parsed = eventsQuery.safeParse(Object.fromEntries(parameters));
  if (parsed.success) return parsed.data;
  const errors = inputFaults(parsed.error);
  const [first] = errors;
  const message = first ? `${first.pointer.slice(1)} ${first.message}` : 'the query is not acceptable';
  return errorAnswer(400, 'INVALID_PARAMETER', message, { financialImpact: 'NONE', errors });
}
