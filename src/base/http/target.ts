import type { IncomingMessage } from 'node:http';

export const absoluteForm = /^(https?):\/\/([^/?#]*)(.*)$/is;

/**
 * Gives a request with a target in absolute-form (RFC 9112, 3.2.2) the form that all others have: path and query as its
 * target, and the target's authority as its Host. Returns false for https over a plain connection, and http over TLS:
 * the request is then as it was.
 */
export function settleTarget(request: Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>): boolean {
  const { method, url = '', headers, socket } = request;
  const [, scheme = '', authority = '', rest = ''] = absoluteForm.exec(url) ?? [];
  if (scheme === '') return true;
  if (scheme.toLowerCase() !== ('encrypted' in socket ? 'https' : 'http')) return false;
  headers.host = authority;
  if (rest === '' && method === 'OPTIONS') request.url = '*';
  else request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return true;
}
