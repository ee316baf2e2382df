import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Refusal } from '../../base/domain/reason.ts';
import { isHost } from '../../base/http/host.ts';

export interface AccessRules {
  /** Host names that a Host header may contain, besides IP addresses and localhost. */
  readonly hostnames: readonly string[];
  /** Web origins that may call. */
  readonly origins: readonly string[];
  /** Allowed address ranges besides the private ones, as CIDR. */
  readonly networks: readonly string[];
}

/** RFC 1918, RFC 4193, loopback and link-local. */
const privateNetworks = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
];

const refusals = {
  network: { reason: 'networkNotAllowed', message: 'this network may not call' },
  host: { reason: 'hostNotAllowed', message: 'the Host header must be an address or a configured name' },
  origin: { reason: 'originNotAllowed', message: 'web pages of this origin may not call' },
  site: { reason: 'originNotAllowed', message: 'only web pages of configured origins may call' },
} as const satisfies Readonly<Record<string, Refusal>>;

/**
 * Decides who may call this terminal. Public addresses may not. A Host name that is not ours indicates DNS rebinding.
 * An Origin header, or a browser's statement that another site sends the request, indicates a web page, and no page may
 * call unless it is configured.
 */
export class Access {
  readonly #networks: BlockList;
  readonly #hostnames: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor(rules: AccessRules) {
    this.#networks = networkList([...privateNetworks, ...rules.networks]);
    this.#hostnames = new Set(['localhost', ...rules.hostnames.map((name) => name.toLowerCase())]);
    this.#origins = new Set(rules.origins);
  }

  /** Why this request is refused; undefined if it may pass. */
  refusal(request: IncomingMessage): Refusal | undefined {
    const address = request.socket.remoteAddress ?? '';
    if (!this.#networks.check(address, address.includes(':') ? 'ipv6' : 'ipv4')) return refusals.network;
    if (!this.#ownsHost(request.headers.host)) return refusals.host;
    const { origin } = request.headers;
    if (origin !== undefined) {
      return this.#origins.has(origin) ? undefined : refusals.origin;
    }
    // An image, a link or a form of another page sends no Origin, but the browser states where the request comes from
    // (Fetch Metadata, 2.3). 'same-site' is refused as well: a page on another port of this terminal's address is the
    // same site.
    const { 'sec-fetch-site': site = 'none' } = request.headers;
    return site === 'none' || site === 'same-origin' ? undefined : refusals.site;
  }

  /**
   * The headers that let the page of a configured origin read an answer (fetch.spec.whatwg.org). Never `*`, and no
   * credentials.
   */
  corsHeaders({ headers: { origin } }: IncomingMessage): Record<string, string> {
    if (origin === undefined || !this.#origins.has(origin)) return {};
    return {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'content-digest, signature-input, signature',
      vary: 'origin',
    };
  }

  /** The requests that the page of a configured origin may send. Undefined if this is not a preflight of one. */
  preflightHeaders({ method, headers }: IncomingMessage): Record<string, string> | undefined {
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    if (!isPreflight || headers.origin === undefined || !this.#origins.has(headers.origin)) return undefined;
    // Older versions of Chromium, and proxies, ask this way (Private Network Access).
    const isPrivate = headers['access-control-request-private-network'] === 'true';
    return {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'content-type, last-event-id, content-digest, signature-input, signature',
      // The longest time that Chromium accepts, so that a till does not ask before each sale.
      'access-control-max-age': '7200',
      ...(isPrivate ? { 'access-control-allow-private-network': 'true' } : {}),
    };
  }

  /** Whether a Host header names this terminal. */
  #ownsHost(header: string | undefined): boolean {
    if (header === undefined || !isHost(header)) return false;
    const { hostname } = new URL(`http://${header}`);
    return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || this.#hostnames.has(hostname);
  }
}

const cidr = /^([0-9a-f.:]+)\/(\d{1,3})$/i;

/** Throws RangeError for a range that is not a CIDR: an address without its prefix must not admit every address. */
function networkList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [, address = '', prefix = ''] = cidr.exec(range) ?? [];
    const family = isIP(address);
    if (family === 0 || Number(prefix) > (family === 6 ? 128 : 32)) {
      throw new RangeError(`'${range}' is not an address range: write it like 203.0.113.0/24`);
    }
    list.addSubnet(address, Number(prefix), family === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
