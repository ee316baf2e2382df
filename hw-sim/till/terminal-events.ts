import http from 'node:http';
import https from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';

/** Limit of one event, which has a few lines. */
const eventCharactersMax = 64 * 1024;

/** The terminal sends a sign of life every 15 seconds. */
const silenceMs = 60_000;
const reconnectMs = 500;
/** Pause before the next attempt if the terminal refuses, such as one whose tills are paired. */
const refusedMs = 5000;
const readyMs = 2000;

const dataShape = z.record(z.string(), z.unknown());

/** The terminal's current state as it reports it: idle, collecting, authorizing, settling, or an outcome. */
export interface TerminalSays {
  readonly state: string;
  readonly step?: string;
}

const saysShape = z.object({ state: z.string(), step: z.string().exactOptional() });

/** Called with an event's name and data. */
export type HearEvent = (event: string, data: Readonly<Record<string, unknown>>) => void;

/**
 * Receives the events that the terminal sends to every till (GET /sp/v1/events). After a disconnection it continues
 * after the last event.
 */
export class TerminalEvents {
  readonly #hear: HearEvent;
  #api: string | undefined;
  #request: http.ClientRequest | undefined;
  #opened = Promise.withResolvers<void>();
  #lastId: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #fault: string | undefined = 'nobody has called the terminal yet';
  #says: TerminalSays | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(hear: HearEvent) {
    this.#hear = hear;
  }

  /** Why no events are received now; undefined while they are. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Undefined while no events are received. */
  get says(): TerminalSays | undefined {
    return this.#says;
  }

  /** Called when the reported state changes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Listens to the terminal at this origin. Resolves once it is connected, or can't connect now. */
  async follow(api: string): Promise<void> {
    if (api !== this.#api) {
      this.close();
      this.#api = api;
      this.#lastId = undefined;
    }
    if (!this.#request) this.#ask(api);
    await Promise.race([this.#opened.promise, pause(readyMs, undefined, { ref: false })]);
  }

  close(): void {
    clearTimeout(this.#timer);
    const request = this.#request;
    this.#request = undefined;
    request?.destroy();
    this.#opened.resolve();
  }

  #ask(api: string): void {
    clearTimeout(this.#timer);
    const url = new URL('/sp/v1/events', api);
    const headers = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId };
    const options = { agent: false, rejectUnauthorized: false, headers, timeout: silenceMs };
    const request = url.protocol === 'https:' ? https.get(url, options) : http.get(url, options);
    this.#request = request;
    this.#opened = Promise.withResolvers();
    request.on('timeout', () => request.destroy(new Error('it was silent')));
    request.on('error', ({ message }) => this.#end(request, api, message, reconnectMs));
    request.on('response', (response) => {
      if (response.statusCode !== 200) {
        this.#end(request, api, `it answers HTTP ${response.statusCode}`, refusedMs);
        request.destroy();
        return;
      }
      this.#fault = undefined;
      this.#opened.resolve();
      response.on('error', ({ message }) => this.#end(request, api, message, reconnectMs));
      response.on('close', () => this.#end(request, api, 'its events have ended', reconnectMs));
      this.#read(request, response);
    });
  }

  #end(request: http.ClientRequest, api: string, fault: string, againMs: number): void {
    if (this.#request !== request) return;
    this.#request = undefined;
    this.#fault = fault;
    this.#say(undefined);
    this.#opened.resolve();
    this.#timer = setTimeout(() => this.#ask(api), againMs).unref();
  }

  #read(request: http.ClientRequest, response: http.IncomingMessage): void {
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      if (rest.length > eventCharactersMax) request.destroy(new Error('an event is too long'));
      if (this.#request !== request) return;
      for (const block of blocks) this.#take(block);
    });
  }

  #take(block: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    this.#lastId = field('id') ?? this.#lastId;
    const event = field('event') ?? 'message';
    const data = parse(field('data'));
    if (!data) return;
    this.#hear(event, data);
    if (event === 'state') this.#say(saysShape.safeParse(data).data);
  }

  #say(says: TerminalSays | undefined): void {
    this.#says = says;
    for (const listener of this.#listeners) listener();
  }
}

function parse(text: string | undefined): Record<string, unknown> | undefined {
  try {
    return dataShape.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined;
  }
}
