import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { plainStyle, type ScreenStyle } from '../base/domain/screen-style.ts';
import { bodyText, dropBody } from '../base/http/body.ts';
import { Connections } from '../base/http/connections.ts';
import { DueAnswers } from '../base/http/due-answers.ts';
import { pace, readingLimit } from '../base/http/paced-socket.ts';
import { PipelinedRequests } from '../base/http/pipelined-requests.ts';
import { Turns } from '../base/http/turns.ts';
import type { MenuPort } from '../payment/contracts/operator-menu.ts';
import type { Screen, ScreenAction, ScreenView } from '../payment/contracts/screen.ts';
import { actionBytesMax, parseAction } from './action.ts';
import { type DrawnCode, drawCode } from './drawn-code.ts';
import { guards, type PageFile, type PageLogo, pageFiles } from './page-file.ts';
import { refusalOf, refuse, refuseBody } from './refusal.ts';

/** Logos of wallets, as files of the page. */
class WalletLogos {
  readonly files: ReadonlyMap<string, PageFile>;
  readonly #paths: ReadonlyMap<string, string>;

  /** `logos`: PNGs by the codes of wallets. */
  constructor(logos: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#paths = new Map([...logos.keys()].map((scheme) => [scheme, `/wallet-logos/${scheme}.png`]));
    this.files = new Map(
      [...logos].map(([scheme, bytes]) => [
        `/wallet-logos/${scheme}.png`,
        { type: 'image/png', read: async () => bytes },
      ]),
    );
  }

  /** The data of wallets for a view with a choice of them. */
  of({ wallets = [] }: ScreenView): { readonly logos?: Readonly<Record<string, string>> } {
    const found = wallets.flatMap((scheme) => {
      const path = this.#paths.get(scheme);
      return path === undefined ? [] : [[scheme, path] as const];
    });
    return found.length === 0 ? {} : { logos: Object.fromEntries(found) };
  }
}

/** Interval of comment lines, by which a browser detects a dead connection. */
const heartbeatMs = 15_000;
const watchersMax = 16;
/** Bytes that may wait for a watcher that does not read. A view is some 100 bytes, with a drawn code some 20,000. */
const unreadBytesMax = 65_536;
/** How long a browser waits before it connects again. */
const reconnectMs = 1_000;

/** The browsers that follow the screen as server-sent events. */
class Watchers {
  readonly #responses = new Set<ServerResponse>();
  readonly #heartbeat = setInterval(() => this.show(':\n\n'), heartbeatMs);

  /** Sends `present` at once, and every later event. */
  add(response: ServerResponse, present: string): void {
    if (this.#responses.size >= watchersMax) return refuse(response, 503);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(`retry: ${reconnectMs}\n${present}`);
    this.#responses.add(response);
    response.on('close', () => this.#responses.delete(response));
  }

  get isEmpty(): boolean {
    return this.#responses.size === 0;
  }

  /** Whether a browser follows the screen on this connection. */
  serves(socket: Duplex): boolean {
    return [...this.#responses].some(({ req }) => req.socket === socket);
  }

  show(text: string): void {
    for (const response of this.#responses) {
      if (response.writableLength > unreadBytesMax) response.destroy();
      else response.write(text);
    }
  }

  close(): void {
    clearInterval(this.#heartbeat);
  }
}

/** What the page posts, with a body. */
const posted: ReadonlySet<string> = new Set(['/action', '/desk']);

const bodyLimits = { bytesMax: 4096, drainBytesMax: 1024 * 1024 };

/** Enough for one browser on this machine with its streams. All come from this machine: their rate is not limited. */
const connectionLimits = { connectionsMax: 128, perAddressMax: 128, newPerSecondMax: Number.MAX_SAFE_INTEGER };
/** So many requests of one connection wait for their answers. No browser sends one before the last is answered. */
const pipelinedMax = 4;
/** How long a request may take to arrive completely. */
const requestMs = 5_000;

/** `type`: the media type with its version. */
interface MetricsText {
  readonly type: string;
  readonly text: string;
}

export interface ScreenServer extends Screen {
  readonly port: number;
  /** Adds the operator's menu to the idle screen. */
  equip(menu: MenuPort): void;
  /** Serves the terminal's status to programs of this machine, which have no key of a POS. */
  serveStatus(report: () => Promise<unknown>): void;
  /** Serves the fleet's signed document to the update agent, which checks it again. */
  serveFleet(report: () => Promise<unknown>): void;
  /** Serves the terminal's metrics to Prometheus on this machine. */
  serveMetrics(report: () => Promise<MetricsText>): void;
  close(): Promise<void>;
}

/** The data of the event stream: the view, and its code ready to draw. */
export interface DrawnView extends ScreenView {
  readonly modules?: DrawnCode;
  /** Paths of logos on this server, by the codes of wallets. */
  readonly logos?: Readonly<Record<string, string>>;
}

/**
 * Serves the payment app's page on loopback. `logos`: PNGs by the codes of wallets. `framedBy`: origins of pages that
 * may show it within themselves; none on a terminal. `style`: its languages, colours and sounds. `logo`: the shop's.
 * Rejects with the system's error (EADDRINUSE, EACCES).
 */
export async function serveScreen(
  port: number,
  logos?: ReadonlyMap<string, Uint8Array>,
  framedBy: readonly string[] = [],
  style: ScreenStyle = plainStyle,
  logo?: PageLogo,
): Promise<ScreenServer> {
  const server = createServer({
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: 1_000,
  });
  // Connections that are being closed count until the next round.
  server.maxConnections = 2 * connectionLimits.connectionsMax;
  const page = new ScreenPage(await pageFiles(style, logo), new WalletLogos(logos), server, framedBy);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  }).catch(async (error: unknown) => {
    await page.close();
    throw error;
  });
  page.port = (server.address() as AddressInfo).port;
  return page;
}

/**
 * The page of the terminal's own browser. A browser that connects receives the present view at once and every change
 * after it, so it never shows an old outcome.
 */
class ScreenPage implements ScreenServer {
  port = 0;
  readonly #files: ReadonlyMap<string, PageFile>;
  readonly #logos: WalletLogos;
  readonly #server: Server;
  readonly #framedBy: readonly string[];
  readonly #watchers = new Watchers();
  readonly #turns = new Turns();
  readonly #due = new DueAnswers();
  readonly #pipelined = new PipelinedRequests(pipelinedMax);
  readonly #listeners = new Set<(action: ScreenAction) => void>();
  #shown: ScreenView = { scene: 'idle' };
  /** The event of `#shown`, made at the first request for it. */
  #present: string | undefined;
  #menu: MenuPort | undefined;
  readonly #reports = new Map<string, () => Promise<unknown>>();
  #metrics: (() => Promise<MetricsText>) | undefined;

  constructor(files: ReadonlyMap<string, PageFile>, logos: WalletLogos, server: Server, framedBy: readonly string[]) {
    this.#framedBy = framedBy;
    this.#files = new Map([...files, ...logos.files]);
    this.#logos = logos;
    this.#server = server;
    this.#paceConnections();
    const take = (request: IncomingMessage, response: ServerResponse, answer: () => void) => {
      if (this.#pipelined.takes(request, response)) answer();
      else request.socket.destroy();
    };
    server.on('request', (request, response) => take(request, response, () => this.#answer(request, response)));
    // Node would answer by itself, and read the rest of the request without limits.
    server.on('checkExpectation', (request, response) =>
      take(request, response, () => {
        dropBody(request, bodyLimits.drainBytesMax);
        refuse(response, 417, { connection: 'close' });
      }),
    );
  }

  /** A client that sends without reading, or only holds connections, keeps neither memory nor the browser's place. */
  #paceConnections(): void {
    const connections = new Connections(connectionLimits, (carried) => {
      if (this.#due.isPreparing(carried) || this.#watchers.serves(carried)) return 'answering';
      if (!this.#due.on(carried)) return 'idle';
      return carried.isUnread ? 'unread' : 'sending';
    });
    pace(this.#server, 'connection', this.#turns, readingLimit, (socket, carried) =>
      connections.carry(socket, carried),
    );
    this.#server.prependListener('connection', (socket: Socket) => connections.add(socket));
  }

  get isWatched(): boolean {
    return !this.#watchers.isEmpty;
  }

  show(view: ScreenView): void {
    this.#shown = view;
    this.#present = undefined;
    if (this.#watchers.isEmpty) return;
    this.#watchers.show(this.#presentEvent());
    if (view.scene === 'idle') this.#menu?.look();
  }

  equip(menu: MenuPort): void {
    this.#menu = menu;
    const send = () => {
      if (!this.#watchers.isEmpty) this.#watchers.show(menuEvent(menu));
    };
    menu.onChange(send);
    send();
  }

  serveStatus(report: () => Promise<unknown>): void {
    this.#reports.set('/status', report);
  }

  serveFleet(report: () => Promise<unknown>): void {
    this.#reports.set('/fleet', report);
  }

  serveMetrics(report: () => Promise<MetricsText>): void {
    this.#metrics = report;
  }

  onAction(listener: (action: ScreenAction) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    this.#watchers.close();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const refused = refusalOf(request, this.#framedBy.length > 0);
    const { method = '', url = '' } = request;
    const [path = ''] = url.split('?');
    if (!this.#readsBody(request, path, refused)) dropBody(request, bodyLimits.drainBytesMax);
    const file = this.#files.get(path);
    const report = this.#reports.get(path);
    const metrics = this.#metrics;
    if (method !== 'POST' && path !== '/events') this.#due.add(response);
    const reads = path === '/events' ? ['GET'] : ['GET', 'HEAD'];
    if (refused) refuse(response, refused, refused === 400 ? { connection: 'close' } : {});
    else if (posted.has(path)) {
      if (method !== 'POST') refuse(response, 405, { allow: 'POST' });
      // A browser sends an Origin with every POST: a request without one does not come from the page.
      else if (request.headers.origin === undefined) refuse(response, 403);
      else void (path === '/desk' ? this.#answerMenu(request, response) : this.#act(request, response));
    } else if (!reads.includes(method)) refuse(response, 405, { allow: reads.join(', ') });
    else if (path === '/events') {
      this.#watchers.add(response, `${this.#presentEvent()}${this.#menu ? menuEvent(this.#menu) : ''}`);
      this.#menu?.look();
    } else if (report) void this.#nextTurn(request).then(() => answerReport(response, report));
    else if (path === '/metrics' && metrics) void this.#nextTurn(request).then(() => answerMetrics(response, metrics));
    else if (file) void sendFile(response, file, this.#framedBy);
    else refuse(response, 404);
  }

  #readsBody({ method, headers }: IncomingMessage, path: string, refused: number | undefined): boolean {
    return refused === undefined && posted.has(path) && method === 'POST' && headers.origin !== undefined;
  }

  /** All callers are of this machine. */
  #nextTurn({ socket }: IncomingMessage): Promise<void> {
    return this.#turns.next(socket.remoteAddress ?? '');
  }

  #presentEvent(): string {
    this.#present ??= viewEvent(this.#shown, this.#logos.of(this.#shown));
    return this.#present;
  }

  async #act(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyText(request, { ...bodyLimits, bytesMax: actionBytesMax });
    if (response.destroyed) return;
    this.#due.add(response);
    if (typeof text === 'object') return refuseBody(response, text.refused);
    const action = parseAction(text, this.#shown);
    if ('refused' in action) return refuse(response, 400, {}, action.refused);
    response.writeHead(204).end();
    for (const listener of this.#listeners) listener(action);
  }

  async #answerMenu(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyText(request, bodyLimits);
    if (response.destroyed) return;
    this.#due.add(response);
    if (typeof text === 'object') return refuseBody(response, text.refused);
    if (!this.#menu) return refuse(response, 404);
    const { status, body } = await this.#menu.handle(parseText(text));
    if (response.destroyed) return;
    sendJson(response, status, body);
  }
}

async function answerReport(response: ServerResponse, report: () => Promise<unknown>): Promise<void> {
  try {
    sendJson(response, 200, await report());
  } catch {
    refuse(response, 500);
  }
}

async function answerMetrics(response: ServerResponse, report: () => Promise<MetricsText>): Promise<void> {
  try {
    const { type, text } = await report();
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
  } catch {
    refuse(response, 500);
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

async function sendFile(
  response: ServerResponse,
  { type, read }: PageFile,
  framedBy: readonly string[],
): Promise<void> {
  try {
    const bytes = await read();
    const headers = { 'content-type': type, 'content-length': Buffer.byteLength(bytes), 'cache-control': 'no-store' };
    response.writeHead(200, { ...headers, ...guards(framedBy) }).end(bytes);
  } catch {
    refuse(response, 500);
  }
}

function viewEvent(view: ScreenView, logos: Pick<DrawnView, 'logos'>): string {
  const modules = view.code === undefined ? undefined : drawCode(view.code);
  const drawn: DrawnView = { ...view, ...logos, ...(modules === undefined ? {} : { modules }) };
  return `data: ${JSON.stringify(drawn)}\n\n`;
}

/** An event of another name than the view's: a listener for views does not receive it. */
function menuEvent({ view }: MenuPort): string {
  return `event: desk\ndata: ${JSON.stringify(view)}\n\n`;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
