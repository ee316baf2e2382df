import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { eventually, type Json, Stage } from '../e2e/stage.ts';

/** A network that means no good, while a payment waits for its card. Figures are printed, and asserted nowhere. */
let stage: Stage;
let quietMs = 0;
before(async () => {
  stage = await Stage.open({ configuration: { http: { headersMs: 1_000, requestMs: 1_500, idleMs: 1_000 } } });
  await stage.paid('visa');
  quietMs = Math.min(...[await tapped(), await tapped(), await tapped()].map(({ ms }) => ms));
});
after(() => stage.close());

const growthBytesMax = 192 * 1024 * 1024;
const sale = (messageId: string) =>
  JSON.stringify({ posId: 'EVIL', messageId, transactionType: 'SALE', requestAmount: 1, currency: 'HKD' });

function post(body: string, { host = '127.0.0.1', more = '', path = '/sp/v1/payment' } = {}): string {
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  return `${head}${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** One connection: sends what it is given, and hears until it is closed. */
class Attacker {
  readonly socket: Socket;
  text = '';
  readonly closed: Promise<unknown>;
  readonly connected: Promise<unknown>;

  constructor(url: string, bytes: string | Buffer = '') {
    const { hostname: host, port } = new URL(url);
    this.socket = connect({ host, port: Number(port), allowHalfOpen: true });
    this.socket.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1')));
    this.socket.on('end', () => this.socket.destroy());
    // A reset is a way of being closed.
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
    this.connected = Promise.race([new Promise((resolve) => this.socket.once('connect', resolve)), this.closed]);
    if (bytes.length > 0) this.socket.write(bytes);
  }

  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }
}

interface Attack {
  readonly what: string;
  /** Attackers whose connections are all over once this resolves. */
  readonly play: () => Promise<Attacker[]>;
  /** What each connection may be answered; nothing: it is closed. */
  readonly statuses: readonly number[];
}

async function many(count: number, url: () => string, bytes: string | Buffer): Promise<Attacker[]> {
  const attackers: Attacker[] = [];
  while (attackers.length < count) {
    // Fewer than wait to be accepted: one that the kernel drops there would never hear of its end.
    const next = Array.from({ length: Math.min(200, count - attackers.length) }, () => new Attacker(url(), bytes));
    await Promise.all(next.map(({ connected }) => connected));
    attackers.push(...next);
  }
  await Promise.all(attackers.map(({ closed }) => closed));
  return attackers;
}

const api = () => stage.apiUrl;
const screen = () => stage.screenUrl;
const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000, 0x20), Buffer.from('\r\n')]);
const chunkedHead =
  'POST /sp/v1/payment HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const smuggled = `0\r\n\r\n${post(sale('SMUGGLED'))}`;
const action = (headers: string) =>
  `POST /action HTTP/1.1\r\n${headers}Content-Type: application/json\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`;

const attacks: readonly Attack[] = [
  {
    what: 'slow-loris: 200 half headers',
    statuses: [408],
    play: () => many(200, api, 'POST /sp/v1/payment HTTP/1.1\r\nHost: 1'),
  },
  { what: 'slow bodies: 100', statuses: [408], play: () => many(100, api, post(sale('SLOW')).slice(0, -5)) },
  { what: '5,000 idle connections', statuses: [408], play: () => many(5_000, api, '') },
  {
    what: 'header bombs: 50',
    statuses: [431],
    play: () => many(50, api, `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(100_000)}`),
  },
  {
    what: 'a body of 100 MB, told before',
    statuses: [413],
    play: () => many(8, api, post('').replace('Length: 0', 'Length: 104857600')),
  },
  { what: 'a body of 100 MB, in chunks', statuses: [413], play: () => flooded() },
  {
    what: 'TE and CL',
    statuses: [400],
    play: () => many(4, api, post(smuggled, { more: 'Transfer-Encoding: chunked\r\n' })),
  },
  {
    what: 'TE that is no TE',
    statuses: [400],
    play: () => many(4, api, post(smuggled, { more: 'Transfer-Encoding: xchunked\r\n' })),
  },
  { what: 'two CL', statuses: [400], play: () => many(4, api, post(smuggled, { more: 'Content-Length: 5\r\n' })) },
  {
    what: 'DNS rebinding',
    statuses: [403],
    play: () => many(4, api, post(sale('REBOUND'), { host: 'evil.example', more: 'Connection: close\r\n' })),
  },
  {
    what: 'a web page',
    statuses: [403],
    play: () => many(4, api, post(sale('PAGE'), { more: 'Origin: http://evil.example\r\nConnection: close\r\n' })),
  },
  {
    what: 'a web page without preflight',
    statuses: [415],
    play: () =>
      many(4, api, post(sale('FORM'), { more: 'Connection: close\r\n' }).replace('application/json', 'text/plain')),
  },
  {
    what: 'TLS garbage',
    statuses: [400],
    play: () => many(20, api, Buffer.concat([Buffer.from('160301020001000001fc0303', 'hex'), Buffer.alloc(500, 0x5a)])),
  },
  {
    what: 'pipelining: 20 times 200 requests',
    statuses: [404, 408],
    play: () => many(20, api, 'GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(200)),
  },
  {
    what: 'the screen: DNS rebinding',
    statuses: [403],
    play: () => many(4, screen, action('Host: evil.example\r\nOrigin: http://evil.example\r\n')),
  },
  {
    what: 'the screen: another page',
    statuses: [403],
    play: () => many(4, screen, action('Host: localhost\r\nOrigin: http://localhost:3000\r\n')),
  },
  {
    what: 'the screen: a picture of another page',
    statuses: [403],
    play: () =>
      many(
        20,
        screen,
        'GET /events HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\nConnection: close\r\n\r\n',
      ),
  },
];

async function flooded(): Promise<Attacker[]> {
  const attacker = new Attacker(api(), chunkedHead);
  for (let sent = 0; sent < 100 && !attacker.socket.destroyed; sent++) {
    if (!attacker.socket.write(chunk))
      await Promise.race([once(attacker.socket, 'drain').catch(() => undefined), attacker.closed]);
  }
  await attacker.closed;
  return [attacker];
}

/** A payment that waits for its card, and what it takes from the tap to the answer. */
async function tapped(meanwhile: () => Promise<void> = async () => undefined): Promise<{ ms: number; body: Json }> {
  const { answer } = stage.begun();
  await eventually(
    () => stage.bench(),
    ({ reader }) => reader.armed,
  );
  const attacked = meanwhile();
  const begun = performance.now();
  await stage.tap('visa');
  const { body } = await answer;
  const ms = performance.now() - begun;
  await attacked;
  return { ms, body };
}

function residentBytes(): number {
  return Number(readFileSync(`/proc/${stage.daemonPid}/statm`, 'latin1').split(' ')[1]) * 4096;
}

describe('while a payment waits for its card', { timeout: 300_000 }, () => {
  for (const { what, play, statuses } of attacks) {
    test(what, async (t) => {
      const posted = (await stage.posted()).length;
      const resident = residentBytes();
      let attackers: Attacker[] = [];
      const { ms, body } = await tapped(async () => void (attackers = await play()));
      assert.equal(body.responseResult, 'SUCCESS');
      const heard = new Set(attackers.flatMap((each) => each.statuses));
      assert.deepEqual(
        [...heard].filter((status) => !statuses.includes(status)),
        [],
      );
      assert.equal((await stage.posted()).length, posted + 1, 'more was paid than by the card');
      for (const messageId of ['SLOW', 'SMUGGLED', 'REBOUND', 'PAGE', 'FORM']) {
        assert.equal((await stage.enquiry({ posId: 'EVIL', messageId })).status, 404);
      }
      assert.ok(residentBytes() - resident < growthBytesMax, 'it keeps what it was sent');
      await stage.assertDisarmed();
      assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
      t.diagnostic(`${(ms / quietMs).toFixed(2)} times the quiet time; heard ${[...heard].join(' ') || 'nothing'}`);
    });
  }
});
