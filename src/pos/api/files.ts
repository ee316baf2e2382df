import { readClient } from './client-file.ts';
import { StaticFile } from './static-file.ts';

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
export const files = {
  '/openapi.json': openApiDocument,
  '/docs': docsPage,
  '/client.js': clientModule,
} as const;
