import { openPosCalls } from '../../../src/pos/api/open-pos-calls.ts';
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { TestContext } from 'node:test';
import { terminalCapabilitiesOf } from '../../payment/transaction/terminal-capabilities.ts';
import { Access, type AccessRules } from '../../../src/pos/api/access.ts';
import { EventStream } from '../../../src/pos/api/event-stream.ts';
import type { RequestAuthenticator } from '../../../src/pos/pairing/request-authenticator.ts';
import { serveApi } from '../../../src/pos/api/server.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { collectTimes, type Json, noLists, noReports, noReprints, profiles, ScriptedTerminal, shop } from './served.ts';
import { noCounter } from '../../support/no-counter.ts';
import { noteReasons } from '../../support/reported-reasons.ts';
import { WaitingCalls } from '../../../src/pos/api/waiting-calls.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';

/** One event as a browser would give it out. */
export interface SeenEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: Json;
}

/** A client that reads the stream as a browser does, and keeps what it got. */
export class EventClient {
  readonly events: SeenEvent[] = [];
  text = '';
  status = 0;
  headers: IncomingMessage['headers'] = {};
  /** The server ended the stream, or the connection broke. */
  readonly over: Promise<'ended' | 'broken'>;
  readonly #request: ClientRequest;
  #response: IncomingMessage | undefined;
  #rest = '';
  #onData: (() => void) | undefined;

  private constructor(request: ClientRequest) {
    this.#request = request;
    const { promise, resolve } = Promise.withResolvers<'ended' | 'broken'>();
    this.over = promise;
    request.on('error', () => resolve('broken'));
    request.on('response', (response) => {
      response.on('error', () => resolve('broken'));
      response.on('end', () => resolve('ended'));
      response.on('close', () => resolve('broken'));
    });
  }

  /** Resolves once the head of the answer is there. */
  static async open(port: number, { path = '/sp/v1/events', method = 'GET', headers = {}, address }: Opening = {}) {
    const from = address === undefined ? {} : { localAddress: address };
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false, ...from });
    const client = new EventClient(request);
    const responded = once(request, 'response');
    request.end();
    const [response] = (await responded) as [IncomingMessage];
    client.#response = response;
    client.status = response.statusCode ?? 0;
    client.headers = response.headers;
    response.setEncoding('utf8').on('data', (chunk: string) => client.#push(chunk));
    return client;
  }

  /** The first `count` events, once they are there. */
  async seen(count: number): Promise<SeenEvent[]> {
    await this.until(() => this.events.length >= count);
    return this.events.slice(0, count);
  }

  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) await new Promise<void>((resolve) => (this.#onData = resolve));
  }

  /** What the client answered with instead of events. */
  async json(): Promise<Json> {
    await this.over;
    const json: unknown = JSON.parse(this.text);
    noteReasons(json);
    return json;
  }

  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  destroy(): void {
    this.#request.destroy();
  }

  #push(chunk: string): void {
    this.text += chunk;
    this.#rest += chunk;
    const blocks = this.#rest.split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => [line.replace(/:.*/, ''), line.replace(/^[^:]*: ?/, '')]));
      const data = fields.get('data');
      if (data !== undefined) {
        this.events.push({ id: fields.get('id'), event: fields.get('event') ?? '', data: JSON.parse(data) });
      }
    }
    this.#onData?.();
  }
}

export interface Opening {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Of the client: 127.0.0.1 where none is named. */
  readonly address?: string;
}

/** Where points of sale are paired. */
export type GateOf = (clock: ManualClock) => Promise<RequestAuthenticator>;

/** The API with its events on a free port, over a scripted terminal and a clock that stands still. */
export async function watched(t: TestContext, access: Partial<AccessRules> = {}, gateOf?: GateOf, counter = noCounter) {
  const clock = new ManualClock();
  const authenticator = await gateOf?.(clock);
  const events = new EventStream(clock);
  const terminal = new ScriptedTerminal();
  const failures: unknown[] = [];
  const server = await serveApi({
    host: '127.0.0.1',
    port: 0,
    bodyBytesMax: 65_536,
    access: new Access({ hostnames: [], origins: [], networks: [], ...access }),
    calls: openPosCalls({
      parts: {
        terminal,
        waiting: new WaitingCalls(),
        pictures: new ReadingTurns(),
        lists: noLists,
        reports: noReports,
        capabilities: terminalCapabilitiesOf(profiles, { scanner: false, pinPad: false }),
        collectTimes,
        shop,
        answerFor: () => ({ shape: 'A', printedBy: 'terminal' }),
        reprints: noReprints,
        counter,
        status: async () => ({}),
      },
      isPairingRequired: authenticator !== undefined,
      onFailure: (error) => failures.push(error),
    }),
    events: events,
    ...(authenticator ? { authenticator } : {}),
    onFailure: (error) => failures.push(error),
  });
  const clients = new Set<{ destroy(): unknown }>();
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= server.close());
  t.after(() => {
    for (const client of clients) client.destroy();
    return close();
  });
  const open = async (opening?: Opening) => {
    const client = await EventClient.open(server.port, opening);
    clients.add(client);
    return client;
  };
  return { clock, events, terminal, failures, port: server.port, clients, close, open };
}
