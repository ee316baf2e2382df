import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiParts, Handler } from './call.ts';
import { cancel } from './cancel.ts';
import { display } from './display.ts';
import { openDrawer } from './drawer.ts';
import { enquiry } from './enquiry.ts';
import type { Answer } from './pos-response.ts';
import { pairing, reveal } from './pairing.ts';
import { payment } from './payment.ts';
import { capabilityReport } from './capabilities.ts';
import { print } from './print.ts';
import { receipt } from './receipt.ts';
import { report } from './report.ts';
import { printReport } from './report-print.ts';
import type { Sender } from './sender.ts';
import { settlement } from './settlement.ts';
import { StaticFile } from './static-file.ts';
import { transactions } from './transactions.ts';
import { readFile } from 'node:fs/promises';

/** Where `poid/client` lies once it is built (build/client.ts): beside the bundle, or in dist/ of a checkout. */
const places = ['./client.js', '../../../dist/client.js'].map((place) => new URL(place, import.meta.url));

/** The client for browsers, as one module. Rejects with the system's error (ENOENT) in a checkout without it. */
async function readClient(): Promise<string> {
  const [beside, built] = places as [URL, URL];
  return readFile(beside, 'utf8').catch(() => readFile(built, 'utf8'));
}

/** The API for people. It has one style of its own, and nothing else may be loaded or run. */
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

/** Some hundred kilobytes: made for each request, many callers at once would delay a payment's. */
const openApiDocument = new StaticFile(
  { type: 'application/json; charset=utf-8', contentSecurityPolicy: async () => "default-src 'none'" },
  async () => JSON.stringify(await (await import('./openapi-document.ts')).documentWithExamples()),
);

/** What the terminal serves beside its calls, by path: nothing of it is read before somebody asks. */
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
  readonly stream: (exchange: Exchange, parts: ApiParts, sender: Sender) => Answer | undefined;
}

/** Path → method → handler, a stream, or a file. */
export const routes: Readonly<Record<string, Readonly<Record<string, Handler | StreamRoute | StaticFile>>>> = {
  '/sp/v1/payment': { POST: payment },
  '/sp/v1/enquiry': { POST: enquiry },
  '/sp/v1/cancel': { POST: cancel },
  '/sp/v1/settlement': { POST: settlement },
  '/sp/v1/receipt': { POST: receipt },
  '/sp/v1/print': { POST: print },
  '/sp/v1/display': { POST: display },
  '/sp/v1/drawer/open': { POST: openDrawer },
  '/sp/v1/transactions': { GET: transactions },
  '/sp/v1/report': { GET: report },
  '/sp/v1/report/print': { POST: printReport },
  '/sp/v1/status': { GET: async (_body, { status }) => ({ status: 200, body: await status() }) },
  '/sp/v1/capabilities': {
    GET: async (_body, { capabilities, collectTimes, counter }) => ({
      status: 200,
      body: capabilityReport(capabilities, collectTimes, counter),
    }),
  },
  '/sp/v1/events': {
    GET: {
      stream: ({ request, response, headers }, { events }, sender) => events.serve(request, response, headers, sender),
    },
  },
  '/sp/v1/pairing': { POST: pairing },
  '/sp/v1/pairing/reveal': { POST: reveal },
  '/openapi.json': { GET: files['/openapi.json'] },
  '/docs': { GET: files['/docs'] },
  '/client.js': { GET: files['/client.js'] },
};
