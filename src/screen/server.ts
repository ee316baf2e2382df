import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BodyRefusal, bodyText } from '../http/body.ts';
import type { CollectMode } from '../domain/entry-mode.ts';
import type { Desk } from '../ports/desk.ts';
import type { Screen, ScreenAction, ScreenView } from '../ports/screen.ts';
import { parseAction } from './action.ts';
import { type DrawnCode, drawCode } from './drawn-code.ts';
import { type PageFile, pageFiles } from './page-file.ts';

const bodyLimits = { bytesMax: 4096, drainBytesMax: 1024 * 1024 };

/** A comment line now and then, so that a browser notices a dead connection. */
const heartbeatMs = 15_000;
const watchersMax = 16;
/** What may wait for a watcher that does not read; views are some 100 bytes, with a drawn code some 20,000. */
const unreadBytesMax = 65_536;
/** How long a browser waits before it connects again. */
const reconnectMs = 1_000;
/** One browser of this machine, with its streams. */
const connectionsMax = 128;
/** How long a request may take to come in whole. */
const requestMs = 5_000;

export interface ScreenServer extends Screen {
  readonly port: number;
  /** From now on an idle screen has the operator's menu. */
  equip(desk: Desk): void;
  close(): Promise<void>;
}

/** What the event stream tells: the view, and its code as it is to be drawn. */
interface DrawnView extends ScreenView {
  readonly modules?: DrawnCode;
}

/**
 * The payment app's page for the terminal's own browser, on loopback only. Whoever connects gets the present view at once
 * and every change after it: a browser that was away never shows an old outcome.
 */
export async function serveScreen(port: number): Promise<ScreenServer> {
  const files = await pageFiles();
  const watchers = new Set<ServerResponse>();
  const listeners = new Set<(action: ScreenAction) => void>();
  let present = event({ scene: 'idle' });
  let shownModes: readonly CollectMode[] = [];
  let desk: Desk | undefined;

  const server = createServer({
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: 1_000,
  });
  server.maxConnections = connectionsMax;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { method } = request;
    const [path = ''] = (request.url ?? '').split('?');
    const file = files.get(path);
    if (!isOwnPage(request)) refuse(response, 403);
    else if (path === '/action' || path === '/desk') {
      if (method !== 'POST') refuse(response, 405, { allow: 'POST' });
      // A browser always says where a POST comes from: what does not say it is no page of ours.
      else if (request.headers.origin === undefined) refuse(response, 403);
      else void (path === '/desk' ? ask(request, response) : act(request, response));
    } else if (method !== 'GET') refuse(response, 405, { allow: 'GET' });
    else if (path === '/events') watch(response);
    else if (file) void sendFile(response, file);
    else refuse(response, 404);
  });

  async function act(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyText(request, bodyLimits);
    if (response.destroyed) return;
    if (typeof text === 'object') return refuseBody(response, text.refused);
    const action = parseAction(text, shownModes);
    if ('refused' in action) return refuse(response, 400, {}, action.refused);
    response.writeHead(204).end();
    for (const listener of listeners) listener(action);
  }

  async function ask(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyText(request, bodyLimits);
    if (response.destroyed) return;
    if (typeof text === 'object') return refuseBody(response, text.refused);
    if (!desk) return refuse(response, 404);
    const { status, body } = await desk.handle(parseText(text));
    if (response.destroyed) return;
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    response.writeHead(status, headers).end(JSON.stringify(body));
  }

  function watch(response: ServerResponse): void {
    if (watchers.size >= watchersMax) return refuse(response, 503);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(`retry: ${reconnectMs}\n${present}${desk ? deskEvent(desk) : ''}`);
    watchers.add(response);
    response.on('close', () => watchers.delete(response));
  }

  function tell(text: string): void {
    for (const watcher of watchers) {
      if (watcher.writableLength > unreadBytesMax) watcher.destroy();
      else watcher.write(text);
    }
  }

  const heartbeat = setInterval(() => tell(':\n\n'), heartbeatMs);

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  }).catch((error: unknown) => {
    clearInterval(heartbeat);
    throw error;
  });

  return {
    port: (server.address() as AddressInfo).port,
    show(view) {
      shownModes = view.modes ?? [];
      present = event(view);
      tell(present);
    },
    equip(equipped) {
      desk = equipped;
      equipped.onChange(() => tell(deskEvent(equipped)));
      tell(deskEvent(equipped));
    },
    onAction(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      clearInterval(heartbeat);
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function sendFile(response: ServerResponse, { url, type }: PageFile): Promise<void> {
  try {
    const bytes = await readFile(url);
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store', ...guards }).end(bytes);
  } catch {
    refuse(response, 500);
  }
}

/** The page takes nothing from elsewhere and runs nowhere else. */
const guards = {
  'content-security-policy': "default-src 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

/**
 * Loopback already; a foreign Host is a DNS rebinding try, and another Origin another page in this browser. A picture of another
 * page comes without an Origin, but a browser says where it comes from (Fetch Metadata, 2.3).
 */
function isOwnPage({ headers }: IncomingMessage): boolean {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  const own = /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/;
  const isForeign = site === 'cross-site' || site === 'same-site';
  return own.test(host) && !isForeign && (origin === undefined || origin === `http://${host}`);
}

function event(view: ScreenView): string {
  const modules = view.code === undefined ? undefined : drawCode(view.code);
  const drawn: DrawnView = modules === undefined ? view : { ...view, modules };
  return `data: ${JSON.stringify(drawn)}\n\n`;
}

/** Another event than a view: who waits for views does not hear it. */
function deskEvent({ view }: Desk): string {
  return `event: desk\ndata: ${JSON.stringify(view)}\n\n`;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuseBody(response: ServerResponse, refused: BodyRefusal): void {
  switch (refused) {
    case 'too-large':
      return refuse(response, 413, { connection: 'close' }, 'the body is too large');
    case 'not-json-type':
      return refuse(response, 415, {}, 'the Content-Type must be application/json');
    case 'not-utf8':
      return refuse(response, 400, {}, 'the body is not UTF-8');
    case 'aborted':
      return refuse(response, 400, { connection: 'close' }, 'the body ended early');
    default:
      return refused satisfies never;
  }
}

function refuse(response: ServerResponse, status: number, headers: Record<string, string> = {}, reason?: string): void {
  const body = reason === undefined ? '' : JSON.stringify({ reason });
  const type = reason === undefined ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...headers, ...type, 'content-length': Buffer.byteLength(body) }).end(body);
}
