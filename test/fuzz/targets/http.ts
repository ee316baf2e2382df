import { openPosCalls } from '../../../src/pos/api/open-pos-calls.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { Access } from '../../../src/pos/api/access.ts';
import { EventStream } from '../../../src/pos/api/event-stream.ts';
import { connectionLimits } from '../../../src/base/http/connections.ts';
import { type ApiServer, serveApi } from '../../../src/pos/api/server.ts';
import type { KeyAndCertificate } from '../../../src/base/tls/certificate.ts';
import { systemClock } from '../../../src/base/ports/clock.ts';
import { canary, type Target } from '../target.ts';
import { jsonNests, jsonTokens, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { requests } from './api.ts';
import { noCounter } from '../../support/no-counter.ts';
import { WaitingCalls } from '../../../src/pos/api/waiting-calls.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';

const calls = ['payment', 'enquiry', 'cancel', 'settlement', 'receipt'];
const posts = calls.flatMap((call) => requests.map((request) => post(call, JSON.stringify(request))));
const gets = ['status', 'capabilities', 'events?posId=P'].map(
  (call) => `GET /sp/v1/${call} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
);
const chunked = `POST /sp/v1/enquiry HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
const headers = [
  'Host: evil.example',
  'Origin: http://evil.example',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: xchunked',
  'Content-Length: 0',
  'Content-Length: 4',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Expect: 100-continue',
  'Upgrade: websocket',
  'Connection: upgrade',
  'Connection: close',
  'Content-Type: text/plain',
  `X-Card: ${canary}`,
  'Sec-Fetch-Site: cross-site',
  `Last-Event-ID: ${canary}`,
  'Access-Control-Request-Method: POST',
  ' folded: line',
].map((line) => `${line}\r\n`);
const pieces = [
  '\r\n',
  '\n',
  '\r',
  '0\r\n\r\n',
  'ffffffff\r\n',
  '1;x=y\r\n',
  'GET ',
  'OPTIONS ',
  'CONNECT ',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '/..%2f',
  `/${canary}`,
  'HTTP/1.0',
  'HTTP/9.9',
  '\x16\x03\x01\x02\x00',
  '\u0000',
];
const statuses = new Set([100, 200, 204, 400, 403, 404, 405, 408, 409, 413, 415, 417, 422, 431, 503]);

/** Tells nothing but that it is not ready: what is tried here is what stands before it. */
const terminal = {
  pay: async () => ({ kind: 'notReady', reason: 'cardReaderAbsent', message: 'no reader' }) as const,
  settle: async () => ({ kind: 'notReady', reason: 'cardReaderAbsent', message: 'no reader' }) as const,
  enquire: async () => ({ kind: 'notFound' }) as const,
  enquireSettlement: async () => undefined,
  identityOf: async () => undefined,
  cancel: async () => ({ kind: 'notFound' }) as const,
  notFound: () => ({ kind: 'notFound' }) as const,
  recall: async () => undefined,
};
const failures: unknown[] = [];
let server: Promise<ApiServer> | undefined;

/** The server's edges over a socket of their own. */
export const httpEdges: Target = {
  name: 'http-edges',
  share: 3,
  connects: true,
  inputs: hostile({
    seeds: [...posts, ...gets, chunked].map(text),
    tokens: [...jsonTokens, ...[...headers, ...pieces, ...gets, chunked].map(text)],
    nests: jsonNests,
  }),
  async check(input) {
    const { port } = await (server ??= served());
    const socket = connect({ port, host: '127.0.0.1' });
    const heard: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => heard.push(chunk));
    // A reset is a way of being closed.
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await once(socket, 'connect');
    socket.write(input);
    // What was read before this is answered is read.
    assert.equal(await probed(port), 200);
    socket.end();
    // Answers to streams end with their client.
    const cut = setTimeout(() => socket.destroy(), 50);
    await closed;
    clearTimeout(cut);
    assert.deepEqual(failures, []);
    assertAnswers(Buffer.concat(heard).toString('latin1'));
  },
  async close() {
    await (await server)?.close();
  },
};

function assertAnswers(heard: string): void {
  if (heard !== '') assert.match(heard, /^HTTP\/1\.1 \d{3} /);
  for (const [, status] of heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
    assert.ok(statuses.has(Number(status)), `answered with ${status}`);
  }
  // Whose request it was is repeated, SPEC §4: that is the caller's own name.
  const others = heard.replaceAll(/"(?:posId|messageId)":"(?:[^"\\]|\\.)*"/g, '');
  assert.ok(!others.includes(canary), 'an input value is repeated');
}

/** The interface behind HTTP, or HTTPS. */
export function served(
  onFailure: (error: unknown) => void = (error) => void failures.push(error),
  tls?: KeyAndCertificate,
): Promise<ApiServer> {
  return serveApi({
    host: '127.0.0.1',
    port: 0,
    bodyBytesMax: 65_536,
    // A connection for each input, as fast as they are made.
    limits: { ...connectionLimits, newPerSecondMax: 1_000_000 },
    // Connections are cut by this side: on a busy machine the one that asks after each input must not be late.
    timeouts: { headersMs: 10_000, requestMs: 10_000, idleMs: 10_000, unreadMs: 10_000, checkMs: 1_000 },
    access: new Access({ hostnames: [], origins: [], networks: [] }),
    calls: openPosCalls({
      parts: {
        terminal,
        waiting: new WaitingCalls(),
        pictures: new ReadingTurns(),
        lists: { page: async () => ({ items: [] }), acquirers: async () => [] },
        reports: { read: async () => [] },
        capabilities: { profiles: [], modes: [] },
        collectTimes: { usualMs: 1, leastMs: 1, mostMs: 1 },
        shop: { name: 'Shop', address: '', phone: '', email: '', logo: '' },
        answerFor: () => ({ shape: 'A', printedBy: 'terminal' }),
        counter: noCounter,
        reprints: {
          fault: undefined,
          slip: () => [],
          print: async () => 'no-printer',
          text: async () => '',
          png: async () => new Uint8Array(),
          html: async () => '',
        },
        status: async () => ({ responseResult: 'SUCCESS' }),
      },
      isPairingRequired: false,
      onFailure,
    }),
    events: new EventStream(systemClock),
    ...(tls ? { tls } : {}),
    onFailure,
  });
}

async function probed(port: number): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  get({ port, host: '127.0.0.1', path: '/sp/v1/status', agent: false }, (response) => {
    response.resume().once('end', () => resolve(response.statusCode));
  }).on('error', reject);
  return promise;
}

function post(call: string, body: string): string {
  return `POST /sp/v1/${call} HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
