import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Screen, ScreenView } from '../ports/screen.ts';

const files: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/page.css': { file: 'page.css', type: 'text/css; charset=utf-8' },
  '/page.js': { file: 'page.js', type: 'text/javascript; charset=utf-8' },
};

/** A comment line now and then, so that a browser notices a dead connection. */
const heartbeatMs = 15_000;
const watchersMax = 16;
/** What may wait for a watcher that does not read; views are some 100 bytes. */
const unreadBytesMax = 65_536;
/** How long a browser waits before it connects again. */
const reconnectMs = 1_000;

export interface ScreenServer extends Screen {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * The payment app's page for the terminal's own browser, on loopback only. Whoever connects gets the present view at once
 * and every change after it: a browser that was away never shows an old outcome.
 */
export async function serveScreen(port: number): Promise<ScreenServer> {
  const watchers = new Set<ServerResponse>();
  let view: ScreenView = { scene: 'idle' };

  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const entry = Object.hasOwn(files, path) ? files[path] : undefined;
    if (!isOwnPage(request)) refuse(response, 403);
    else if (request.method !== 'GET') refuse(response, 405);
    else if (path === '/events') watch(response);
    else if (entry) void sendFile(response, entry);
    else refuse(response, 404);
  });

  function watch(response: ServerResponse): void {
    if (watchers.size >= watchersMax) return refuse(response, 503);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(`retry: ${reconnectMs}\n${event(view)}`);
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
    show(next) {
      view = next;
      tell(event(view));
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

async function sendFile(response: ServerResponse, { file, type }: { file: string; type: string }): Promise<void> {
  try {
    const bytes = await readFile(new URL(`./page/${file}`, import.meta.url));
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

/** Loopback already; a foreign Host is a DNS rebinding try, and another Origin another page in this browser. */
function isOwnPage({ headers: { host = '', origin } }: IncomingMessage): boolean {
  const own = /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/;
  return own.test(host) && (origin === undefined || origin === `http://${host}`);
}

function event(view: ScreenView): string {
  return `data: ${JSON.stringify(view)}\n\n`;
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': 0 }).end();
}
