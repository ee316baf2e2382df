import type { IncomingMessage } from 'node:http';
import { nothing } from './bodies.ts';
import { readBody } from './body.ts';
import { deviceRoutes } from './device-routes.ts';
import type { EventStream } from './event-stream.ts';
import { hostRoutes } from './host-routes.ts';
import { pagePaths, sendPage } from './page.ts';
import { type BenchParts, stateOf } from './parts.ts';
import { type Handler, type Methods, sendJson } from './reply.ts';
import { scenarioRoutes } from './scenario-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { tillRoutes } from './till-routes.ts';
import { wireRoutes } from './wire-routes.ts';

/** By path; '*' stands for the host's name, or the frame's number. */
export type Routes = ReadonlyMap<string, Methods>;

/** Every call of the control API, and the page. */
export function routesOf(parts: BenchParts, events: EventStream): Routes {
  const page: Methods = { GET: (request, response) => sendPage(pathOf(request), response) };
  return new Map<string, Methods>([
    ...pagePaths.map((path): [string, Methods] => [path, page]),
    ['/api/state', { GET: (_, response) => sendJson(response, stateOf(parts)) }],
    ['/api/events', { GET: (_, response) => events.add(response) }],
    ['/api/cards', { GET: (_, response) => sendJson(response, [...parts.cards.keys()]) }],
    ...deviceRoutes(parts),
    ...hostRoutes(parts),
    ...wireRoutes(parts.wires),
    ...tillRoutes(parts),
    ['/api/reset', { POST: resetHandler(parts) }],
    ...scenarioRoutes(parts),
    ...sessionRoutes(parts),
  ]);
}

function resetHandler(parts: BenchParts): Handler {
  return async (request, response) => {
    await readBody(request, nothing);
    parts.power.forget();
    for (const device of [parts.reader, parts.printer, parts.scanner, parts.octopus]) await device.reset();
    for (const host of [...parts.hosts.values(), ...parts.wallets.values()]) await host.reset();
    parts.wires.clear();
    parts.recorder.begin(0);
    sendJson(response, stateOf(parts));
  };
}

export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').replace(/\?.*/s, '');
}
