import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { PNG } from 'pngjs';
import { z } from 'zod';
import { playCustomer } from '../../../hw-sim/auto.ts';
import { type BenchInUse, benchInUse, type Reply } from './bench-in-use.ts';

/** 01-01 01 (poll on demand), then the published 02-40 of the VP3350 user manual, p.13. */
const pollOnDemand = '5669564f746563683200 0101 0001 01 d734';
const activate =
  '5669564f746563683200 0240 0022 1e9c01009f02060000000001009f0306000000000000dfef370107dfef3c03010060 18d1';
const header = '5669564f746563683200';

const stateShape = z.object({
  reader: z.object({
    connected: z.boolean(),
    armed: z.boolean(),
    heldCard: z.string().optional(),
    unexpected: z.array(z.unknown()),
  }),
  printer: z.object({
    connected: z.boolean(),
    paperOut: z.boolean(),
    coverOpen: z.boolean(),
    droppedBytes: z.number(),
    unexpected: z.array(z.object({ hex: z.string() })),
  }),
  scanner: z.object({ connected: z.boolean(), triggered: z.boolean(), unexpected: z.array(z.unknown()) }),
  octopus: z.object({ connected: z.boolean(), polling: z.boolean(), unexpected: z.array(z.unknown()) }),
  hosts: z.object({
    EDC: z.object({ mode: z.string(), port: z.number(), unexpected: z.array(z.unknown()) }),
    CUP: z.object({ mode: z.string(), port: z.number(), unexpected: z.array(z.unknown()) }),
    EPS: z.object({ mode: z.string() }),
    QR: z.object({ mode: z.string(), onShow: z.null(), askedForPassword: z.null() }),
  }),
  auto: z.boolean(),
});

async function stateOf(bench: BenchInUse): Promise<z.infer<typeof stateShape>> {
  return stateShape.parse((await bench.call('GET', '/api/state')).json());
}

/** The sentence of a refusal. */
function refusal(reply: Reply, status: number): string {
  assert.equal(reply.status, status, reply.body.toString());
  return z.strictObject({ error: z.string().min(10) }).parse(reply.json()).error;
}

async function arm(bench: BenchInUse): Promise<ReturnType<BenchInUse['line']>> {
  const line = bench.line('reader');
  line.write(pollOnDemand);
  assert.equal((await line.read(16)).slice(0, 24), `${header}0100`);
  line.write(activate);
  return line;
}

/** Command and status of the next frame, which is taken whole. */
async function nextFrame(line: ReturnType<BenchInUse['line']>): Promise<string> {
  const head = await line.read(14);
  assert.equal(head.slice(0, 20), header);
  await line.read(Number(`0x${head.slice(24)}`) + 2);
  return head.slice(20, 24);
}

describe('GET /api/state and /api/cards', () => {
  it('tell what is there', async (t) => {
    const bench = await benchInUse(t);
    const state = await stateOf(bench);
    assert.deepEqual([state.reader.connected, state.reader.armed, state.printer.connected], [true, false, true]);
    assert.deepEqual(
      Object.values(state.hosts).map(({ mode }) => mode),
      ['up', 'up', 'up', 'up'],
    );
    assert.equal(state.auto, false);
    assert.deepEqual([state.scanner.connected, state.scanner.triggered], [true, false]);
    assert.deepEqual([state.octopus.connected, state.octopus.polling], [false, false]);
    assert.notEqual(state.hosts.EDC.port, state.hosts.CUP.port);
    assert.deepEqual((await bench.call('GET', '/api/cards')).json(), [
      'amex',
      'eps',
      'jcb',
      'mastercard-pin',
      'mastercard',
      'unionpay',
      'visa-debit',
      'visa',
    ]);
  });
});

describe('POST /api/reader', () => {
  it('tap: reads a card that was held there first, once the reader is armed', async (t) => {
    const bench = await benchInUse(t);
    const tapped = bench.call('POST', '/api/reader/tap', { card: 'visa', holdMs: 60_000 });
    const line = await arm(bench);
    assert.equal(await nextFrame(line), '0223');
    const reply = await tapped;
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.json(), { read: true });
  });

  it('tap: reads a card at an armed reader', async (t) => {
    const bench = await benchInUse(t);
    const armed = new Promise<void>((resolve) => bench.reader.onArmed(resolve));
    const line = await arm(bench);
    await armed;
    assert.equal((await stateOf(bench)).reader.armed, true);
    assert.deepEqual((await bench.call('POST', '/api/reader/tap', { card: 'mastercard' })).json(), { read: true });
    assert.equal(await nextFrame(line), '0223');
  });

  it('tap: 409 when no reader was armed in time, 400 for a card that does not exist', async (t) => {
    const bench = await benchInUse(t);
    assert.match(refusal(await bench.call('POST', '/api/reader/tap', { card: 'visa', holdMs: 1 }), 409), /within 1 ms/);
    assert.match(refusal(await bench.call('POST', '/api/reader/tap', { card: 'vsia' }), 400), /amex.*visa/);
    assert.match(refusal(await bench.call('POST', '/api/reader/tap', {}), 400), /^card: /);
  });

  it('remove: takes the card away before it was read', async (t) => {
    const bench = await benchInUse(t);
    const until = await listen(t, bench.port);
    const held = bench.call('POST', '/api/reader/tap', { card: 'visa', holdMs: 60_000 });
    await until((state) => state.reader.heldCard === 'visa');
    assert.equal((await bench.call('POST', '/api/reader/remove')).status, 200);
    refusal(await held, 409);
  });

  it('fault: the link goes with the device, and comes back', async (t) => {
    const bench = await benchInUse(t);
    assert.equal((await bench.call('POST', '/api/reader/fault', { unplug: true })).status, 200);
    assert.equal((await stateOf(bench)).reader.connected, false);
    assert.equal(existsSync(bench.readerLink), false);
    await bench.call('POST', '/api/reader/fault', { unplug: false });
    assert.equal((await stateOf(bench)).reader.connected, true);
    assert.equal(await nextFrame(await pinged(bench)), '1800');
  });

  it('fault: reaches the wire', async (t) => {
    const bench = await benchInUse(t);
    await bench.call('POST', '/api/reader/fault', { garbageBefore: true });
    const line = await pinged(bench);
    assert.notEqual(await line.read(10), header);
  });
});

/** 18-01, as published (IDG p.42). */
async function pinged(bench: BenchInUse): Promise<ReturnType<BenchInUse['line']>> {
  const line = bench.line('reader');
  line.write(`${header} 1801 0000 b3cd`);
  return Promise.resolve(line);
}

describe('/api/printer', () => {
  it('prints what comes over the line, as text and as picture, until it is torn off', async (t) => {
    const bench = await benchInUse(t);
    const line = bench.line('printer');
    line.write('1b40 1b6101 1b4501 48 4b 44 1b4500 0a 1d5600 100401');
    assert.equal(await line.read(1), '12');
    const text = await bench.call('GET', '/api/printer/paper');
    assert.match(text.headers['content-type'] ?? '', /^text\/plain/);
    assert.equal(text.body.toString(), `${' '.repeat(22)}HKD\n[cut]\n`);
    const png = await bench.call('GET', '/api/printer/paper.png?revision=7');
    assert.equal(png.headers['content-type'], 'image/png');
    assert.ok(PNG.sync.read(png.body).data.includes(0));
    assert.equal((await bench.call('DELETE', '/api/printer/paper')).status, 200);
    assert.equal((await bench.call('GET', '/api/printer/paper')).body.length, 0);
  });

  it('fault: the status on the line says so', async (t) => {
    const bench = await benchInUse(t);
    const line = bench.line('printer');
    const reply = await bench.call('POST', '/api/printer/fault', { paperOut: true });
    assert.equal(stateShape.parse(reply.json()).printer.paperOut, true);
    line.write('41 0a 100404');
    assert.equal(await line.read(1), '72');
    assert.equal((await stateOf(bench)).printer.droppedBytes, 2);
    await bench.call('POST', '/api/printer/fault', { paperOut: false });
    line.write('100404');
    assert.equal(await line.read(1), '12');
  });
});

describe('/api/host', () => {
  it('sets the mode; without one the host is up', async (t) => {
    const bench = await benchInUse(t);
    await bench.call('POST', '/api/host/EDC', { mode: 'late', delayMs: 50 });
    await bench.call('POST', '/api/host/CUP', { decline: '51' });
    const { EDC, CUP } = (await stateOf(bench)).hosts;
    assert.deepEqual([EDC.mode, CUP.mode], ['late', 'up']);
  });

  it('down closes the port, up opens the same', async (t) => {
    const bench = await benchInUse(t);
    const { port } = (await stateOf(bench)).hosts.EDC;
    await bench.call('POST', '/api/host/EDC', { mode: 'down' });
    assert.equal(await connects(port), false);
    await bench.call('POST', '/api/host/EDC', { mode: 'up' });
    assert.equal(await connects(port), true);
  });

  it('tells the books', async (t) => {
    const bench = await benchInUse(t);
    assert.deepEqual((await bench.call('GET', '/api/host/EDC/ledger')).json(), []);
    assert.match(refusal(await bench.call('GET', '/api/host/EPX/ledger'), 404), /EDC, CUP/);
    assert.deepEqual((await bench.call('GET', '/api/host/CUP/settlements')).json(), []);
    assert.match(refusal(await bench.call('GET', '/api/host/EPX/settlements'), 404), /EDC, CUP/);
  });

  it('takes what a mode can strike, and says what does not go together', async (t) => {
    const bench = await benchInUse(t);
    const wanted = { mode: 'silent', reversals: true, advices: true, settlement: true, mismatch: true };
    const codes = { declineVoids: '05', refuseReversals: '96' };
    const reply = await bench.call('POST', '/api/host/EDC', { ...wanted, ...codes });
    assert.equal(reply.status, 200);
    assert.deepEqual(z.looseObject({}).parse(reply.json()), {
      ...z.looseObject({}).parse(reply.json()),
      ...wanted,
      ...codes,
    });
    const refused = await bench.call('POST', '/api/host/EDC', { advices: true });
    assert.match(refusal(refused, 400), /^advices and settlement go with silent, late, garbage, closeAfterRequest$/);
    assert.match(refusal(await bench.call('POST', '/api/host/EDC', { declineVoids: '08' }), 400), /does not approve/);
    assert.equal((await stateOf(bench)).hosts.EDC.mode, 'silent');
  });

  it('refuses what is no mode, and keeps the one it has', async (t) => {
    const bench = await benchInUse(t);
    for (const body of [
      { mode: 'upp' },
      { mode: 'late', delayMs: -1 },
      { decline: '00' },
      { decline: '5' },
      { dealy: 1 },
    ]) {
      refusal(await bench.call('POST', '/api/host/EDC', body), 400);
    }
    assert.equal((await stateOf(bench)).hosts.EDC.mode, 'up');
  });
});

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

describe('POST /api/reset', () => {
  it('leaves a clean slate', async (t) => {
    const bench = await benchInUse(t);
    const line = bench.line('printer');
    line.write('41 0a 1bff 100401');
    await line.read(1);
    assert.equal((await stateOf(bench)).printer.unexpected[0]?.hex, '1bff');
    await bench.call('POST', '/api/printer/fault', { coverOpen: true, unplug: true });
    await bench.call('POST', '/api/reader/fault', { unplug: true });
    await bench.call('POST', '/api/host/EDC', { mode: 'down' });
    assert.equal((await bench.call('POST', '/api/reset')).status, 200);
    const { reader, printer, hosts } = await stateOf(bench);
    assert.deepEqual(
      [reader.connected, printer.connected, printer.coverOpen, hosts.EDC.mode],
      [true, true, false, 'up'],
    );
    assert.deepEqual([reader.unexpected, printer.unexpected, hosts.EDC.unexpected], [[], [], []]);
    assert.equal((await bench.call('GET', '/api/printer/paper')).body.length, 0);
  });
});

describe('refusals', () => {
  it('name a misspelt fault', async (t) => {
    const bench = await benchInUse(t);
    assert.match(refusal(await bench.call('POST', '/api/printer/fault', { paperout: true }), 400), /paperout/);
    assert.match(refusal(await bench.call('POST', '/api/reader/fault', { unplug: 'yes' }), 400), /^unplug: /);
    assert.match(refusal(await bench.call('POST', '/api/reader/fault', {}), 400), /no fault/);
    assert.match(refusal(await bench.call('POST', '/api/reset', { now: true }), 400), /now/);
  });

  it('tell what is not JSON, and what is too long', async (t) => {
    const bench = await benchInUse(t);
    assert.match(refusal(await bench.call('POST', '/api/printer/fault', '{paperOut: true}'), 400), /not JSON/);
    refusal(await bench.call('POST', '/api/printer/fault', '[]'), 400);
    assert.match(refusal(await bench.call('POST', '/api/printer/fault', ' '.repeat(65_537)), 413), /65536/);
    assert.equal(
      (await bench.call('POST', '/api/printer/fault', `{"paperOut":true}${' '.repeat(65_000)}`)).status,
      200,
    );
  });

  it('tell a path that does not exist from a method that it does not take', async (t) => {
    const bench = await benchInUse(t);
    for (const path of ['/api', '/api/states', '/api/host', '/api/host/', '/api/host/EDC/books', '/page/../bench.ts']) {
      refusal(await bench.call('GET', path), 404);
    }
    const reply = await bench.call('PUT', '/api/printer/paper');
    refusal(reply, 405);
    assert.equal(reply.headers.allow, 'GET, DELETE');
    refusal(await bench.call('GET', '/api/reader/tap'), 405);
  });

  it('keep web pages out: a foreign Host, a foreign Origin', async (t) => {
    const bench = await benchInUse(t);
    const own = `127.0.0.1:${bench.port}`;
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await bench.call('POST', '/api/reset', {}, headers)).status;
    assert.equal(await status({ host: own, origin: `http://${own}` }), 200);
    assert.equal(await status({ host: `localhost:${bench.port}` }), 200);
    for (const headers of [
      { host: `attacker.example:${bench.port}` },
      { host: '127.0.0.1' },
      { host: own, origin: 'https://attacker.example' },
      { host: own, origin: `https://${own}` },
      { host: own, origin: 'null' },
    ]) {
      refusal(await bench.call('POST', '/api/reset', {}, headers), 403);
    }
  });
});

describe('GET /api/events', () => {
  it('sends the state at first and after every change', async (t) => {
    const bench = await benchInUse(t);
    const until = await listen(t, bench.port);
    await until(({ printer, reader }) => !printer.paperOut && reader.connected);
    await bench.call('POST', '/api/printer/fault', { paperOut: true });
    await until(({ printer }) => printer.paperOut);
    await bench.call('POST', '/api/host/CUP', { mode: 'silent' });
    await until(({ hosts }) => hosts.CUP.mode === 'silent');
    await bench.call('POST', '/api/reader/fault', { unplug: true });
    await until(({ reader }) => !reader.connected);
    const tapped = bench.call('POST', '/api/reader/tap', { card: 'jcb', holdMs: 60_000 });
    await until(({ reader }) => reader.heldCard === 'jcb');
    await bench.call('POST', '/api/reader/remove');
    await until(({ reader }) => reader.heldCard === undefined);
    await tapped;
  });
});

type State = z.infer<typeof stateShape>;

/** Listens to the events; what it returns waits for a state that is as wanted. */
async function listen(t: TestContext, port: number): Promise<(wanted: (state: State) => boolean) => Promise<void>> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  http.get({ host: '127.0.0.1', port, path: '/api/events', agent: false }, resolve).on('error', reject);
  const response = await promise;
  t.after(() => response.destroy());
  assert.equal(response.headers['content-type'], 'text/event-stream');
  const chunks: AsyncIterator<Buffer> = response[Symbol.asyncIterator]();
  let text = '';
  const next = async (): Promise<State> => {
    for (let end = text.indexOf('\n\n'); ; end = text.indexOf('\n\n')) {
      if (end >= 0) {
        const event = text.slice('data: '.length, end);
        text = text.slice(end + 2);
        return stateShape.parse(JSON.parse(event));
      }
      const { value, done } = await chunks.next();
      assert.ok(done !== true);
      text += value.toString('utf8');
    }
  };
  return async (wanted) => {
    while (!wanted(await next()));
  };
}

describe('the customer who taps by itself', () => {
  it('taps whenever the reader waits for a card, until stopped', async (t) => {
    const bench = await benchInUse(t);
    const visa = bench.cards.get('visa');
    assert.ok(visa);
    const stop = playCustomer(bench.reader, visa);
    assert.equal(bench.reader.state().heldCard, undefined);
    const line = await arm(bench);
    assert.equal(await nextFrame(line), '0223');
    line.write(activate);
    assert.equal(await nextFrame(line), '0223');
    stop();
    const armed = new Promise<void>((resolve) => bench.reader.onArmed(resolve));
    line.write(activate);
    await armed;
    assert.equal((await stateOf(bench)).reader.armed, true);
  });

  it('taps at once where the reader waits already', async (t) => {
    const bench = await benchInUse(t);
    const visa = bench.cards.get('visa');
    assert.ok(visa);
    const waits = new Promise<void>((resolve) => bench.reader.onArmed(resolve));
    const line = await arm(bench);
    await waits;
    t.after(playCustomer(bench.reader, visa));
    assert.equal(await nextFrame(line), '0223');
  });
});

describe('the page', () => {
  it('is served with its own parts only', async (t) => {
    const bench = await benchInUse(t);
    const types = { '/': 'text/html', '/page.css': 'text/css', '/page.js': 'text/javascript' };
    for (const [path, type] of Object.entries(types)) {
      const reply = await bench.call('GET', path);
      assert.equal(reply.status, 200);
      assert.ok(reply.headers['content-type']?.startsWith(type));
      // The terminal's screen within it is on this machine.
      const frames = path === '/' ? '; frame-src http://127.0.0.1:* http://localhost:*' : '';
      assert.equal(reply.headers['content-security-policy'], `default-src 'self'${frames}`);
      assert.doesNotMatch(reply.body.toString(), /https?:\/\//);
    }
  });

  it('puts data into the document as text only', async () => {
    const script = await readFile(new URL('../../../hw-sim/page/page.js', import.meta.url), 'utf8');
    assert.doesNotMatch(script, /innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
  });
});
