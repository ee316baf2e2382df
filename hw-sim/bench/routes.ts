import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Iso8583Host } from '../host/iso8583/host.ts';
import { hostMode, nothing, printerFault, readerFault, someFault, tap } from './bodies.ts';
import { readBody } from './body.ts';
import type { EventStream } from './event-stream.ts';
import { HttpError } from './http-error.ts';
import { pagePaths, sendPage } from './page.ts';
import { type BenchParts, stateOf } from './parts.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse, id: string) => Promise<void> | void;
export type Methods = Readonly<Partial<Record<'GET' | 'POST' | 'DELETE', Handler>>>;
/** By path; '*' stands for the host's name. */
export type Routes = ReadonlyMap<string, Methods>;

/** Every call of the control API, and the page. */
export function routesOf(parts: BenchParts, events: EventStream): Routes {
  const { cards, printer, hosts } = parts;
  const state: Methods = { GET: (_, response) => sendJson(response, stateOf(parts)) };
  const page: Methods = { GET: (request, response) => sendPage(pathOf(request), response) };
  const paper: Methods = {
    GET: (_, response) => send(response, 'text/plain; charset=utf-8', printer.paper.text()),
    DELETE: (_, response) => {
      printer.clearPaper();
      sendJson(response, {});
    },
  };
  return new Map<string, Methods>([
    ...pagePaths.map((path): [string, Methods] => [path, page]),
    ['/api/state', state],
    ['/api/events', { GET: (_, response) => events.add(response) }],
    ['/api/cards', { GET: (_, response) => sendJson(response, [...cards.keys()]) }],
    ...readerRoutes(parts),
    ['/api/printer/fault', { POST: printerFaultHandler(parts) }],
    ['/api/printer/paper', paper],
    ['/api/printer/paper.png', { GET: (_, response) => send(response, 'image/png', printer.png()) }],
    ['/api/host/*', { POST: hostModeHandler(hosts) }],
    ['/api/host/*/ledger', { GET: (_, response, id) => sendJson(response, hostNamed(hosts, id).ledger()) }],
    ['/api/host/*/settlements', { GET: (_, response, id) => sendJson(response, hostNamed(hosts, id).settlements()) }],
    ['/api/reset', { POST: resetHandler(parts) }],
  ]);
}

const contactlessOnly: Handler = () => {
  throw new HttpError(501, 'the simulated reader is contactless only today: tap the card');
};

function readerRoutes(parts: BenchParts): [string, Methods][] {
  const { reader, cards } = parts;
  const tapCard: Handler = async (request, response) => {
    const { card: name, holdMs } = await readBody(request, tap);
    const card = cards.get(name);
    if (!card) throw new HttpError(400, `card: one of ${[...cards.keys()].join(', ')}`);
    const read = await reader.tap(card, holdMs);
    if (!read) throw new HttpError(409, `no armed reader read this card within ${holdMs} ms`);
    sendJson(response, { read });
  };
  const remove: Handler = async (request, response) => {
    await readBody(request, nothing);
    reader.remove();
    sendJson(response, {});
  };
  const fault: Handler = async (request, response) => {
    await reader.fault(someFault(await readBody(request, readerFault)));
    sendJson(response, stateOf(parts));
  };
  return [
    ['/api/reader/tap', { POST: tapCard }],
    ['/api/reader/insert', { POST: contactlessOnly }],
    ['/api/reader/swipe', { POST: contactlessOnly }],
    ['/api/reader/remove', { POST: remove }],
    ['/api/reader/fault', { POST: fault }],
  ];
}

function printerFaultHandler(parts: BenchParts): Handler {
  return async (request, response) => {
    await parts.printer.fault(someFault(await readBody(request, printerFault)));
    sendJson(response, stateOf(parts));
  };
}

function hostModeHandler(hosts: BenchParts['hosts']): Handler {
  return async (request, response, id) => {
    const host = hostNamed(hosts, id);
    try {
      await host.setMode(await readBody(request, hostMode));
    } catch (error) {
      throw error instanceof RangeError ? new HttpError(400, error.message) : error;
    }
    sendJson(response, host.state());
  };
}

function resetHandler(parts: BenchParts): Handler {
  return async (request, response) => {
    await readBody(request, nothing);
    await parts.reader.reset();
    await parts.printer.reset();
    for (const host of parts.hosts.values()) await host.reset();
    sendJson(response, stateOf(parts));
  };
}

function hostNamed(hosts: ReadonlyMap<string, Iso8583Host>, id: string): Iso8583Host {
  const host = hosts.get(id);
  if (!host) throw new HttpError(404, `no such host; there are ${[...hosts.keys()].join(', ')}`);
  return host;
}

export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').replace(/\?.*/s, '');
}

function sendJson(response: ServerResponse, body: object): void {
  send(response, 'application/json', `${JSON.stringify(body)}\n`);
}

/** Never cached: the next call has another answer. */
export function send(response: ServerResponse, type: string, body: string | Buffer, status = 200): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
