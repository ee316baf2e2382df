import type { IncomingMessage } from 'node:http';

const absoluteForm = /^(https?):\/\/([^/?#]*)(.*)$/is;

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

/** uri-host [":" port] of RFC 9110, 7.2, of a name or an address: no user, no path, no list. */
const hostAndPort = /^(?:\[[0-9a-f.:]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i;

/** 253 characters of a name (RFC 1035, 2.3.4), a port, and room for a final dot. */
const hostLengthMax = 260;

/** Whether this is a host with or without a port. A longer text is not parsed. */
export function isHost(text: string): boolean {
  return text.length <= hostLengthMax && hostAndPort.test(text) && URL.canParse(`http://${text}`);
}

/**
 * Why two readers could take this request for one to different hosts, in a sentence; undefined if they can't. Each is
 * an error of the client (RFC 9112, 3.2). Node keeps the first Host of several, and its parser refuses a folded line.
 * Must be called before the target is normalized.
 */
export function hostFault({
  url = '',
  httpVersion,
  rawHeaders,
}: Pick<IncomingMessage, 'url' | 'httpVersion' | 'rawHeaders'>): string | undefined {
  const hosts = rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host');
  const [host] = hosts;
  if (hosts.length > 1) return 'a request has one Host header';
  if (host === undefined && httpVersion !== '1.0') return 'a request has a Host header';
  if (host !== undefined && !isHost(host)) return 'the Host header must be one name or address, with or without a port';
  const [, scheme, authority = ''] = absoluteForm.exec(url) ?? [];
  if (scheme === undefined) return undefined;
  if (!isHost(authority)) return 'the target must have one name or address, with or without a port';
  const isSame = host === undefined || canonical(scheme, host) === canonical(scheme, authority);
  return isSame ? undefined : 'the Host header must be that of the target';
}

/** In lower case, an address in its shortest form, without the scheme's own port. */
function canonical(scheme: string, host: string): string {
  return new URL(`${scheme}://${host}`).host;
}
