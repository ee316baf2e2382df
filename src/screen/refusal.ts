import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyRefusal } from '../base/http/body.ts';
import { hostFault, settleTarget } from '../base/http/host.ts';

/** The status of a request that is refused, whatever it asks for. Settles the form of its target. */
export function refusalOf(request: IncomingMessage, framed = false): 400 | 403 | 421 | undefined {
  if (hostFault(request) !== undefined) return 400;
  if (!settleTarget(request)) return 421;
  return isOwnPage(request, framed) ? undefined : 403;
}

/**
 * Whether the request comes from the page itself. The server listens on loopback only; a foreign Host is an attempt at
 * DNS rebinding, and another Origin is another page in this browser. A picture of another page has no Origin, but the
 * browser states where it comes from (Fetch Metadata, 2.3). `framed`: another page may frame this one; the page's
 * headers name it to the browser (frame-ancestors).
 */
function isOwnPage(request: IncomingMessage, framed: boolean): boolean {
  const { host = '', origin, 'sec-fetch-site': site } = request.headers;
  const isForeign = (site === 'cross-site' || site === 'same-site') && !isOpened(request, framed);
  return isOwnHost(host) && !isForeign && (origin === undefined || origin === `http://${host}`);
}

function isOwnHost(host: string): boolean {
  return /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/i.test(host);
}

/**
 * Whether another page navigates to this one, as the waiting page of an image does, or frames it: it can't read its
 * content.
 */
function isOpened({ method, url, headers }: IncomingMessage, framed: boolean): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  const shown = destination === 'document' || (framed && destination === 'iframe');
  return method === 'GET' && url === '/' && mode === 'navigate' && shown;
}

export function refuseBody(response: ServerResponse, refused: BodyRefusal): void {
  switch (refused) {
    case 'too-large':
      return refuse(response, 413, { connection: 'close' }, 'the body is too large');
    case 'not-json-type':
      return refuse(response, 415, {}, 'the Content-Type must be application/json');
    case 'not-utf8-type':
      return refuse(response, 415, {}, 'the charset of the Content-Type must be utf-8');
    case 'encoded':
      return refuse(response, 415, { 'accept-encoding': 'identity' }, 'the body must have no Content-Encoding');
    case 'transfer-coded':
      return refuse(response, 501, {}, 'the Transfer-Encoding may be chunked only');
    case 'not-utf8':
      return refuse(response, 400, {}, 'the body is not UTF-8');
    case 'aborted':
      return refuse(response, 400, { connection: 'close' }, 'the body ended early');
    default:
      return refused satisfies never;
  }
}

export function refuse(
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
  reason?: string,
): void {
  const body = reason === undefined ? '' : JSON.stringify({ reason });
  const type = reason === undefined ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...headers, ...type, 'content-length': Buffer.byteLength(body) }).end(body);
}
