import type { IncomingMessage } from 'node:http';

/**
 * Why two readers would understand this request differently; undefined if they don't. Node takes the first Host (RFC
 * 9112, 3.2, refuses a second), and a GET's body has no meaning (RFC 9110, 9.3.1): nobody would read it.
 */
export function ambiguity({
  method,
  headers,
  rawHeaders,
}: Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>): string | undefined {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1) return 'a request has one Host header';
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  return method === 'GET' && (length !== '0' || encoding !== undefined) ? 'a GET has no body' : undefined;
}
