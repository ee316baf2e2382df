import type { IncomingHttpHeaders } from 'node:http';
import { contentDigest, type MessageSignature, parseSignature, signatureBase } from './message-signature.ts';

/** A call as received. `target`: path and query. */
export interface SignedCall {
  readonly scheme: 'http' | 'https';
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The signature data of a call. It is not verified yet. */
export interface CallSignature extends MessageSignature {
  readonly base: string;
  readonly keyId: string;
  readonly nonce: string;
  readonly createdS: number;
  readonly expiresS: number;
}

/** Names this use of a key, and the version of these rules (RFC 9421, 2.3). */
export const signatureTag = 'poid';
const algorithm = 'hmac-sha256';
const known: ReadonlySet<string> = new Set(['created', 'expires', 'nonce', 'keyid', 'alg', 'tag']);

/**
 * Reads the signature of a call. Otherwise returns a sentence for the POS developer why it does not sign a whole call.
 */
export function readCallSignature(call: SignedCall): CallSignature | string {
  const { 'signature-input': input, signature } = call.headers;
  if (typeof input !== 'string' || typeof signature !== 'string')
    return 'this terminal accepts paired points of sale only: Signature-Input or Signature is missing';
  const read = parseSignature(input, signature);
  if (!read) return 'Signature-Input and Signature must hold one signature, of one label, as RFC 9651, 4.1 writes it';
  if (!coversCall(read.components, call))
    return 'Signature-Input must cover @method, @target-uri (or @authority, @path and @query), and content-digest';
  const lines = componentLines(read.components, call);
  if (!lines) return 'Signature-Input covers a component that this call does not have';
  const said = readParameters(read.parameters);
  return typeof said === 'string' ? said : { ...read, ...said, base: signatureBase(lines, read.input) };
}

/** Whether all relevant parts of a call are covered. The body of a GET is never read. */
function coversCall(components: readonly string[], { method, body }: SignedCall): boolean {
  const covers = (...names: readonly string[]) => names.every((name) => components.includes(`"${name}"`));
  const isTargetCovered = covers('@target-uri') || covers('@authority', '@path', '@query');
  const isBodyCovered = covers('content-digest') || (method === 'GET' && body === '');
  return covers('@method') && isTargetCovered && isBodyCovered;
}

/** The components with their values; undefined if the call lacks one of them. */
export function componentLines(components: readonly string[], call: SignedCall): [string, string][] | undefined {
  const lines = components.map((name): [string, string | undefined] => [name, componentValue(name, call)]);
  return lines.every(isValued) ? lines : undefined;
}

/**
 * RFC 9421, 2.1 and 2.2. Undefined for a component that the call does not have, and for parameters of a component, so
 * the component `@query-param` is not supported. Nor is `@status`, which belongs to answers, nor `@request-target`,
 * which a call through the broker lacks and a proxy may rewrite.
 */
function componentValue(component: string, { scheme, method, target, headers }: SignedCall): string | undefined {
  const [, name = ''] = /^"([^"\\]*)"$/.exec(component) ?? [];
  const [path = '', ...query] = target.split('?');
  const port = scheme === 'http' ? ':80' : ':443';
  const host = headers.host?.toLowerCase() ?? '';
  const authority = host.endsWith(port) ? host.slice(0, -port.length) : host;
  const derived: Readonly<Record<string, string>> = {
    '@method': method,
    '@authority': authority,
    '@scheme': scheme,
    '@path': path,
    '@query': `?${query.join('?')}`,
    '@target-uri': `${scheme}://${authority}${target}`,
  };
  if (name.startsWith('@')) return Object.hasOwn(derived, name) ? derived[name] : undefined;
  const field = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof field === 'string' ? field.trim() : undefined;
}

function isValued(line: readonly [string, string | undefined]): line is [string, string] {
  return line[1] !== undefined && /^[\t\x20-\x7e]*$/.test(line[1]);
}

/** An unknown parameter is refused: it may limit what the signature means. */
function readParameters(parameters: ReadonlyMap<string, unknown>) {
  const { created, expires = Infinity, nonce, keyid, alg = algorithm, tag } = Object.fromEntries(parameters);
  if (![...parameters.keys()].every((name) => known.has(name)))
    return `Signature-Input may have the parameters ${[...known].join(', ')} only`;
  if (alg !== algorithm) return `alg must be ${algorithm}`;
  if (tag !== signatureTag) return `tag must be ${signatureTag}`;
  if (typeof keyid !== 'string') return 'keyid is missing';
  if (typeof nonce !== 'string' || !/^[\w+/=-]{16,64}$/.test(nonce))
    return 'nonce must be 16 to 64 letters, digits, and _ - + / or =';
  if (!isSeconds(created)) return 'created must be seconds since 1970';
  if (expires !== Infinity && !isSeconds(expires)) return 'expires must be seconds since 1970';
  return { keyId: keyid, nonce, createdS: created, expiresS: expires };
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/** Whether the covered digest is that of the body. */
export function hasOwnDigest({ headers, body }: SignedCall, { components }: CallSignature): boolean {
  return !components.includes('"content-digest"') || headers['content-digest'] === contentDigest(body);
}
