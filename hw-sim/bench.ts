import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodyRead } from './bench/body.ts';
import { refuseForeign } from './bench/access.ts';
import { EventStream } from './bench/event-stream.ts';
import { HttpError } from './bench/http-error.ts';
import { type BenchParts, stateOf } from './bench/parts.ts';
import { send } from './bench/reply.ts';
import { pathOf, type Routes, routesOf } from './bench/routes.ts';

import type { Recorder } from './session/recorder.ts';

export type { BenchParts } from './bench/parts.ts';

export interface Bench {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * The simulator's control API and its page, on 127.0.0.1 only. JSON in and out; every refusal is `{error}` with one
 * sentence. Port 0 takes any free one. Rejects with the system's error when the port is taken.
 */
export async function openBench(parts: BenchParts, port: number): Promise<Bench> {
  const events = new EventStream(() => stateOf(parts));
  const routes = routesOf(parts, events);
  const server = http.createServer((request, response) => {
    const { recorder } = parts;
    const { atMs } = recorder;
    answer(request, response, routes).then(
      () => noteStep(recorder, request, atMs),
      (error: unknown) => sendError(response, error),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const stops = listen(parts, () => events.changed());
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const stop of stops) stop();
      events.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(parts: BenchParts, changed: () => void): (() => void)[] {
  const { reader, printer, scanner, octopus, hosts, wallets, terminal, events, power } = parts;
  return [reader, printer, scanner, octopus, terminal, events, power, ...hosts.values(), ...wallets.values()].map(
    (each) => each.onChange(changed),
  );
}

/** Paths with a name in them: a host's, or a frame's number. */
const hostPath = /^(\/api\/host)\/([^/]+)(\/ledger|\/settlements)?$/;
const framePath = /^(\/api\/wires)\/(\d{1,15})$/;

async function answer(request: IncomingMessage, response: ServerResponse, routes: Routes): Promise<void> {
  refuseForeign(request.headers, request.socket.localPort ?? 0);
  const path = pathOf(request);
  const [, start = '', id = '', suffix = ''] = hostPath.exec(path) ?? framePath.exec(path) ?? [];
  const methods = routes.get(id === '' ? path : `${start}/*${suffix}`);
  if (!methods) throw new HttpError(404, 'no such path');
  const { method } = request;
  const handler = method === 'GET' || method === 'POST' || method === 'DELETE' ? methods[method] : undefined;
  if (!handler) {
    const allow = Object.keys(methods).join(', ');
    throw new HttpError(405, `this path takes ${allow}`, { allow });
  }
  await handler(request, response, id);
}

/**
 * Calls that are not steps of a recording: its start, a reset and the terminal's address. The till records its own
 * calls.
 */
const unnoted: ReadonlySet<string> = new Set(['/api/session', '/api/reset', '/api/terminal', '/api/till/call']);

function noteStep(recorder: Recorder, request: IncomingMessage, atMs: number): void {
  const [path, body] = [pathOf(request), bodyRead(request)];
  if (body !== undefined && !unnoted.has(path)) recorder.note(path, body, atMs);
}

function sendError(response: ServerResponse, error: unknown): void {
  const known = error instanceof HttpError ? error : new HttpError(500, String(error));
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const [name, value] of Object.entries(known.headers)) response.setHeader(name, value);
  send(response, 'application/json', `${JSON.stringify({ error: known.message })}\n`, known.status);
}
