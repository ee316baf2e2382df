import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './pos-response.ts';
import type { PosCallName, PosCalls, PosCaller, PosQuery } from '../contracts/pos-calls.ts';
import type { EventStream } from './event-stream.ts';
import { StaticFile } from './static-file.ts';
import { readFile } from 'node:fs/promises';

/** Path of `poid/client` once it is built (build/client.ts): beside the bundle, or in dist/ of a checkout. */
const places = ['./client.js', '../../../dist/client.js'].map((place) => new URL(place, import.meta.url));

/** The client for browsers, as one module. Rejects with the system's error (ENOENT) in a checkout without it. */
async function readClient(): Promise<string> {
  const [beside, built] = places as [URL, URL];
  return readFile(beside, 'utf8').catch(() => readFile(built, 'utf8'));
}

/** The API for readers. It has one style of its own, and nothing else may be loaded or run. */
const docsPage = new StaticFile(
  {
    type: 'text/html; charset=utf-8',
    contentSecurityPolicy: async () => {
      const { styleHash } = await import('./docs-style.ts');
      return `default-src 'none'; style-src ${styleHash}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
    },
  },
  async () => (await import('./docs-page.ts')).writeDocsPage(),
);

const clientModule = new StaticFile(
  { type: 'text/javascript; charset=utf-8', contentSecurityPolicy: async () => "default-src 'none'" },
  readClient,
);

/** Some hundred kilobytes: if it were made for each request, many callers at once would delay a payment's answer. */
const openApiDocument = new StaticFile(
  { type: 'application/json; charset=utf-8', contentSecurityPolicy: async () => "default-src 'none'" },
  async () => JSON.stringify(await (await import('./openapi-document.ts')).documentWithExamples()),
);

/** The files that the terminal serves beside its calls, by path: each is read at its first request. */
const files = {
  '/openapi.json': openApiDocument,
  '/docs': docsPage,
  '/client.js': clientModule,
} as const;

/** A request and its response. `headers`: access headers of every answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Takes over the response as long as the client stays; or returns the answer that refuses it. Must not wait for
 * anything.
 */
export interface StreamRoute {
  readonly stream: (exchange: Exchange, events: Pick<EventStream, 'serve'>, caller: PosCaller) => Answer | undefined;
}

/** Path → method → the name of a call, a stream, or a file. */
export const routes: Readonly<Record<string, Readonly<Record<string, PosCallName | StreamRoute | StaticFile>>>> = {
  '/sp/v1/payment': { POST: 'payment' },
  '/sp/v1/enquiry': { POST: 'enquiry' },
  '/sp/v1/cancel': { POST: 'cancel' },
  '/sp/v1/settlement': { POST: 'settlement' },
  '/sp/v1/receipt': { POST: 'receipt' },
  '/sp/v1/print': { POST: 'print' },
  '/sp/v1/display': { POST: 'display' },
  '/sp/v1/drawer/open': { POST: 'openDrawer' },
  '/sp/v1/transactions': { GET: 'transactions' },
  '/sp/v1/report': { GET: 'report' },
  '/sp/v1/report/print': { POST: 'printReport' },
  '/sp/v1/status': { GET: 'status' },
  '/sp/v1/capabilities': { GET: 'capabilities' },
  '/sp/v1/events': {
    GET: {
      stream: ({ request, response, headers }, events, caller) => events.serve(request, response, headers, caller),
    },
  },
  '/sp/v1/pairing': { POST: 'pairing' },
  '/sp/v1/pairing/reveal': { POST: 'reveal' },
  '/openapi.json': { GET: files['/openapi.json'] },
  '/docs': { GET: files['/docs'] },
  '/client.js': { GET: files['/client.js'] },
};

/** `request`: a body as it was sent, or a query. The call checks it. */
export function askWith(calls: PosCalls, name: PosCallName, request: unknown, caller: PosCaller): Promise<Answer> {
  return calls[name](request as never, caller);
}

/** The query of a target, which is a path with or without one. */
export function queryOf(target: string): PosQuery {
  return { query: new URLSearchParams(target.replace(/^[^?]*/, '')) };
}
