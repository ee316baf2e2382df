/** What stands in front of the terminal: nothing, HTTPS, or pairing. `few`: nothing, and it takes few connections. */
export type Front = 'plain' | 'tls' | 'paired' | 'few';

/** Of the front `few`: all that they can hold of unread answers fits into this machine's memory. */
export const few = { connectionsMax: 32, connectionsPerAddressMax: 8 };

/** What one connection of an attack does. */
export interface Conduct {
  /** Sent as soon as it is connected. */
  readonly bytes?: string | Buffer;
  /** One by one, so many milliseconds apart. */
  readonly trickleMs?: number;
  /** Sent behind it, as fast as it is taken, so often at most. */
  readonly flood?: { readonly bytes: Buffer; readonly times: number };
  /** After so many answers its bytes are sent again, on the same connection. */
  readonly againAfter?: number;
  /** It reads none of its answers. */
  readonly unread?: true;
  /** A real handshake, at the end of which it hangs up. */
  readonly handshake?: true;
  /** In place of hanging up: so many messages of TLS that carry no data. */
  readonly keyUpdates?: number;
}

/** Many such connections, from addresses that are not the POS's: a closed one is followed by another. */
export interface Attack {
  readonly what: string;
  readonly conduct: Conduct;
  readonly at?: 'screen';
  /** Connections at one time. */
  readonly atOnce: number;
  /** New ones a second; as fast as it can where none is named. */
  readonly perSecond?: number;
  /** It comes from so many addresses in turn. */
  readonly addresses?: number;
  /** What a connection may be answered; none of these: it is closed unheard. */
  readonly statuses: readonly number[];
  /** Its answer may be lost: bytes that nobody reads are answered with a reset, which overtakes it. */
  readonly mayMissAnswer?: true;
}

const sale = (messageId: string) =>
  JSON.stringify({ posId: 'EVIL', messageId, transactionType: 'SALE', requestAmount: 1, currency: 'HKD' });

/** Under these nothing may ever be on record. */
export const hostileMessageIds = ['SLOW', 'SMUGGLED', 'REBOUND', 'PAGE', 'FORM', 'UNSIGNED'] as const;

/** The key of a POS as one hears it in the shop's network, without its secret. */
export const heardKeyId = 'K-POS-1';

function post(body: string, { host = '127.0.0.1', more = '', path = '/sp/v1/payment' } = {}): string {
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  return `${head}${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const megabyte = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000, 0x20), Buffer.from('\r\n')]);
const extended = Buffer.from(`1;x=${'x'.repeat(500)}\r\n \r\n`.repeat(128));
const smuggled = `0\r\n\r\n${post(sale('SMUGGLED'))}`;
const close = 'Connection: close\r\n';
const action = (headers: string) =>
  `POST /action HTTP/1.1\r\n${headers}Content-Type: application/json\r\n${close}Content-Length: 2\r\n\r\n{}`;
const garbage = Buffer.concat([Buffer.from('160301020001000001fc0303', 'hex'), Buffer.alloc(500, 0x5a)]);
const badlySigned = post(sale('UNSIGNED'), {
  more:
    'Signature-Input: sig=("@method" "@target-uri" "content-digest");created=1700000000;' +
    `nonce="${'n'.repeat(22)}";keyid="${heardKeyId}";tag="poid"\r\n` +
    `Content-Digest: sha-256=:${'A'.repeat(43)}=:\r\nSignature: sig=:${'A'.repeat(43)}=:\r\n`,
});

const plain: readonly Attack[] = [
  {
    what: 'slow-loris: 200 half headers',
    conduct: { bytes: 'POST /sp/v1/payment HTTP/1.1\r\nHost: 1' },
    atOnce: 200,
    statuses: [408],
  },
  {
    what: 'slow bodies: 100',
    conduct: { bytes: post(sale('SLOW')).slice(0, -5) },
    atOnce: 100,
    statuses: [408],
  },
  { what: '5,000 idle connections', conduct: {}, atOnce: 5_000, statuses: [408] },
  {
    what: 'half headers from 8 addresses: 1,024',
    conduct: { bytes: 'POST /sp/v1/payment HTTP/1.1\r\nHost: 1' },
    atOnce: 1_024,
    addresses: 8,
    statuses: [408],
  },
  {
    what: 'header bombs: 50 at once',
    conduct: { bytes: `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(100_000)}` },
    atOnce: 50,
    statuses: [431],
    mayMissAnswer: true,
  },
  {
    what: 'bodies of 100 MB, told before: 8 at once',
    conduct: { bytes: post('').replace('Length: 0', 'Length: 104857600') },
    atOnce: 8,
    statuses: [413],
  },
  {
    what: 'bodies of 100 MB, in chunks: 2 at once',
    conduct: {
      bytes: post('').replace('Content-Length: 0', 'Transfer-Encoding: chunked'),
      flood: { bytes: megabyte, times: 100 },
    },
    atOnce: 2,
    // Read in small pieces, it is late before it is too large.
    statuses: [413, 408],
    mayMissAnswer: true,
  },
  {
    what: 'bodies in chunks of one byte, with 500 bytes of extension each: 100 at once',
    conduct: {
      bytes: post('').replace('Content-Length: 0', 'Transfer-Encoding: chunked'),
      flood: { bytes: extended, times: 600 },
    },
    atOnce: 100,
    statuses: [413, 408],
    mayMissAnswer: true,
  },
  {
    what: 'TE and CL',
    conduct: { bytes: post(smuggled, { more: 'Transfer-Encoding: chunked\r\n' }) },
    atOnce: 4,
    statuses: [400],
  },
  {
    what: 'TE that is no TE',
    conduct: { bytes: post(smuggled, { more: 'Transfer-Encoding: xchunked\r\n' }) },
    atOnce: 4,
    statuses: [400],
  },
  {
    what: 'two CL',
    conduct: { bytes: post(smuggled, { more: 'Content-Length: 5\r\n' }) },
    atOnce: 4,
    statuses: [400],
  },
  {
    what: 'DNS rebinding',
    conduct: { bytes: post(sale('REBOUND'), { host: 'evil.example', more: close }) },
    atOnce: 4,
    statuses: [403],
  },
  {
    what: 'a web page',
    conduct: { bytes: post(sale('PAGE'), { more: `Origin: http://evil.example\r\n${close}` }) },
    atOnce: 4,
    statuses: [403],
  },
  {
    what: 'a web page without preflight',
    conduct: { bytes: post(sale('FORM'), { more: close }).replace('application/json', 'text/plain') },
    atOnce: 4,
    statuses: [415],
  },
  { what: 'TLS garbage', conduct: { bytes: garbage }, atOnce: 20, statuses: [400] },
  {
    what: 'pipelining: 20 times 200 requests',
    conduct: { bytes: 'GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(200), againAfter: 200 },
    atOnce: 20,
    statuses: [404, 408],
  },
  {
    what: 'the screen: DNS rebinding',
    conduct: { bytes: action('Host: evil.example\r\nOrigin: http://evil.example\r\n') },
    at: 'screen',
    atOnce: 4,
    statuses: [403],
  },
  {
    what: 'the screen: another page',
    conduct: { bytes: action('Host: localhost\r\nOrigin: http://localhost:3000\r\n') },
    at: 'screen',
    atOnce: 4,
    statuses: [403],
  },
  {
    what: 'the screen: a picture of another page',
    conduct: { bytes: `GET /events HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n${close}\r\n` },
    at: 'screen',
    atOnce: 20,
    statuses: [403],
  },
];

const tls: readonly Attack[] = [
  { what: 'HTTPS: garbage', conduct: { bytes: garbage }, atOnce: 20, statuses: [] },
  { what: 'HTTPS: 5,000 idle connections', conduct: {}, atOnce: 5_000, statuses: [] },
  {
    what: 'HTTPS: 200 handshakes byte by byte',
    conduct: { bytes: garbage, trickleMs: 20 },
    atOnce: 200,
    statuses: [],
  },
  {
    what: 'HTTPS: 200 handshakes a second',
    conduct: { handshake: true },
    atOnce: 50,
    perSecond: 200,
    statuses: [],
  },
  {
    what: 'HTTPS: 200 KeyUpdates on each of 50 connections',
    conduct: { handshake: true, keyUpdates: 200 },
    atOnce: 50,
    statuses: [],
  },
  {
    what: 'HTTPS: handshakes from 30 addresses',
    conduct: { handshake: true },
    atOnce: 200,
    perSecond: 1_000,
    addresses: 30,
    statuses: [],
  },
];

const paired: readonly Attack[] = [
  {
    what: 'pairing: 1,000 badly signed requests',
    conduct: { bytes: badlySigned.repeat(10), againAfter: 10 },
    atOnce: 40,
    statuses: [401, 408],
  },
];

const unread: readonly Attack[] = [
  {
    what: 'unread answers: all connections, from 4 addresses',
    // More than the kernel holds of a connection.
    conduct: { bytes: 'GET /docs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(16), unread: true },
    atOnce: few.connectionsMax,
    addresses: few.connectionsMax / few.connectionsPerAddressMax,
    // Nobody reads whether it was answered.
    statuses: [],
  },
];

export const attacks: Readonly<Record<Front, readonly Attack[]>> = { plain, tls, paired, few: unread };
