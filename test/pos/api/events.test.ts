import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import net from 'node:net';
import { describe, test } from 'node:test';
import { reportedReason } from '../../../src/pos/api/pos-response.ts';
import { EventStream } from '../../../src/pos/api/event-stream.ts';
import { openApi } from '../../../src/pos/api/openapi.ts';
import type { TerminalEvent } from '../../../src/payment/contracts/terminal-events.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { faults } from './json-schema.ts';
import { approved, authorizedRecord, success } from './records.ts';
import { type Json, sale } from './served.ts';
import { type EventClient, watched } from './watched.ts';

type EmittedEvent = Omit<TerminalEvent, 'at'>;

const paid: PayAnswer = { kind: 'ended', record: authorizedRecord({ outcome: approved, conclusion: success }) };
const path = '/sp/v1/events';
const origin = 'https://pos.shop.example';

const idle: EmittedEvent = { state: 'idle' };
const one: EmittedEvent = { state: 'collecting', step: 'presentingCard', posId: 'POS-1', messageId: 'M-1' };
const other: EmittedEvent = { state: 'collecting', step: 'scanningCode', posId: 'POS-2', messageId: 'M-2' };

/** Events that differ: the same one twice is told once. */
function many(count: number, posId = 'POS-1'): EmittedEvent[] {
  return Array.from({ length: count }, (_, at) => ({ state: 'authorizing', posId, messageId: `M-${at}` }));
}

/** Of so many clients, `each` to an address. */
function addresses(count: number, each: number): string[] {
  return Array.from({ length: count }, (_, at) => `127.0.0.${1 + Math.floor(at / each)}`);
}

const states = ({ events }: EventClient) => events.map(({ event, data }) => data.state ?? `${event} ${data.reason}`);

describe('a watcher', { timeout: 30_000 }, () => {
  test('gets the extra payment of its own transaction, which is no change of state', async (t) => {
    const { events, open } = await watched(t);
    const [own, others] = [
      await open({ path: '/sp/v1/events?posId=POS-1' }),
      await open({ path: '/sp/v1/events?posId=POS-2' }),
    ];
    await own.seen(1);
    await others.seen(1);
    const extraPayment = {
      paymentMethod: 'FPS',
      amount: 30,
      currency: 'HKD',
      state: 'TO_BE_RETURNED',
      terminalTransactionId: 'T-2',
    } as const;
    events.emitExtraPayment({ posId: 'POS-1', messageId: 'M-1', terminalTransactionId: 'T-1', extraPayment });
    events.emitExtraPayment({ posId: 'POS-2', messageId: 'M-2', terminalTransactionId: 'T-3', extraPayment });
    const [, event] = await own.seen(2);
    assert.equal(event?.event, 'extraPayment');
    const { at: _at, ...data } = event.data;
    assert.deepEqual(data, { posId: 'POS-1', messageId: 'M-1', terminalTransactionId: 'T-1', extraPayment });
    assert.equal((await others.seen(2))[1]?.data.messageId, 'M-2');
    const late = await open();
    assert.equal((await late.seen(1))[0]?.event, 'state');
  });

  test('gets what is to be settled with the customer of its own transaction', async (t) => {
    const { events, open } = await watched(t);
    const [own, others] = [
      await open({ path: '/sp/v1/events?posId=POS-1' }),
      await open({ path: '/sp/v1/events?posId=POS-2' }),
    ];
    await own.seen(1);
    await others.seen(1);
    const customerMatter = {
      kind: 'REFUND_OF_REVERSED',
      transactionType: 'REFUND',
      paymentMethod: 'VISA',
      amount: 30,
      currency: 'HKD',
      state: 'OPEN',
      terminalTransactionId: 'T-1',
    } as const;
    events.emitCustomerMatter({ posId: 'POS-1', messageId: 'M-1', terminalTransactionId: 'T-1', customerMatter });
    events.emitCustomerMatter({ posId: 'POS-2', messageId: 'M-2', terminalTransactionId: 'T-3', customerMatter });
    const [, event] = await own.seen(2);
    assert.equal(event?.event, 'customerMatter');
    const { at: _at, ...data } = event.data;
    assert.deepEqual(data, { posId: 'POS-1', messageId: 'M-1', terminalTransactionId: 'T-1', customerMatter });
    assert.equal((await others.seen(2))[1]?.data.messageId, 'M-2');
  });

  test('gets the present state first, and then every change', async (t) => {
    const { events, open, clock } = await watched(t);
    const client = await open();
    assert.equal(client.status, 200);
    assert.equal(client.headers['content-type'], 'text/event-stream');
    assert.equal(client.headers['cache-control'], 'no-store, no-transform');
    assert.equal(client.headers['x-accel-buffering'], 'no');
    assert.deepEqual(await client.seen(1), [
      {
        id: `${clock.now().getTime().toString(36)}-0`,
        event: 'state',
        data: { state: 'idle', at: '2026-01-01T00:00:00.000Z' },
      },
    ]);
    assert.ok(client.text.startsWith('retry: 1000\n\n'), client.text);
    await clock.advance(1_500);
    events.emit({ ...one, hint: 'removeCard', terminalTransactionId: 'T' });
    events.emit({ state: 'approved', posId: 'POS-1', messageId: 'M-1' });
    const [, collecting, end] = await client.seen(3);
    assert.deepEqual(collecting?.data, {
      state: 'collecting',
      step: 'presentingCard',
      hint: 'removeCard',
      posId: 'POS-1',
      messageId: 'M-1',
      terminalTransactionId: 'T',
      at: '2026-01-01T00:00:01.500Z',
    });
    assert.match(end?.id ?? '', /^[0-9a-z]+-2$/);
    assert.equal(end?.data.state, 'approved');
  });

  test('that comes late gets what is, and nothing of what was', async (t) => {
    const { events, open } = await watched(t);
    for (const each of many(5)) events.emit(each);
    events.emit(one);
    const client = await open();
    events.emit({ state: 'approved', posId: 'POS-1' });
    await client.seen(2);
    assert.deepEqual(states(client), ['collecting', 'approved']);
  });

  test('hears of a change that changes nothing only once', async (t) => {
    const { events, open, clock } = await watched(t);
    const client = await open();
    events.emit(idle);
    events.emit(one);
    await clock.advance(10);
    events.emit({ ...one });
    events.emit({ ...one, step: 'enteringPin' });
    events.emit(one);
    await client.seen(4);
    assert.deepEqual(
      client.events.map(({ data }) => data.step),
      [undefined, 'presentingCard', 'enteringPin', 'presentingCard'],
    );
  });

  test('gets the fields of an event and nothing else that came with it', async (t) => {
    const { events, open } = await watched(t);
    const client = await open();
    const leaky = { ...one, maskedPan: '************0119', track2: '4761739001010119', step: 'a\nb: c\r\n\r\ndata: d' };
    events.emit(leaky);
    const [, reported] = await client.seen(2);
    assert.deepEqual(Object.keys(reported?.data), ['state', 'step', 'posId', 'messageId', 'at']);
    assert.equal(reported?.data.step, leaky.step);
    assert.ok(!client.text.includes('0119'));
  });

  test('is told what the document says', async (t) => {
    const { events, open } = await watched(t);
    const document: Json = JSON.parse(JSON.stringify(openApi));
    const { content } = document.paths[path].get.responses[200];
    const client = await open({ headers: { 'last-event-id': 'x-1' } });
    for (const state of ['collecting', 'authorizing', 'approved', 'declined', 'error', 'settling', 'idle'] as const) {
      events.emit({ ...one, state });
    }
    for (const { data } of await client.seen(9)) {
      assert.deepEqual(faults(data, content['text/event-stream'].schema, document), [], JSON.stringify(data));
    }
    assert.notDeepEqual(faults({ state: 'idle' }, content['text/event-stream'].schema, document), []);
  });
});

describe('who comes back', { timeout: 30_000 }, () => {
  test('gets what was missed since the event that it names, and no more', async (t) => {
    const { events, open } = await watched(t);
    const before = await open();
    for (const each of many(5)) events.emit(each);
    const seen = await before.seen(6);
    before.destroy();
    for (const [at, { id = '' }] of seen.entries()) {
      const client = await open({ headers: { 'last-event-id': id } });
      const marker: EmittedEvent = { state: 'idle', messageId: `marker ${at}` };
      events.emit(marker);
      await client.until(() => client.text.includes(`marker ${at}`));
      const missed = client.events.filter(({ data }) => data.state !== 'idle');
      assert.deepEqual(missed, seen.slice(at + 1));
      assert.ok(!client.text.includes('reset'));
      client.destroy();
    }
  });

  test('may say so in the query; the header, which is newer, goes before it', async (t) => {
    const { events, open } = await watched(t);
    const before = await open();
    for (const each of many(3)) events.emit(each);
    const [first, second, third, fourth] = await before.seen(4);
    const byQuery = await open({ path: `${path}?lastEventId=${second?.id}` });
    assert.deepEqual(await byQuery.seen(2), [third, fourth]);
    const both = await open({
      path: `${path}?lastEventId=${first?.id}`,
      headers: { 'last-event-id': third?.id ?? '' },
    });
    assert.deepEqual(await both.seen(1), [fourth]);
    const empty = await open({ path: `${path}?lastEventId=`, headers: { 'last-event-id': '' } });
    assert.deepEqual(await empty.seen(1), [fourth]);
  });

  test('after a restart, or with an id of nobody, hears so and gets the present state', async (t) => {
    const { events, open, clock } = await watched(t);
    events.emit(one);
    const boot = clock.now().getTime().toString(36);
    const strange = ['kzzzzzzz-1', `${boot}-2`, `${boot}-999999`, `${boot}-`, `${boot}--1`, `${boot}-1 `.trim() + 'x'];
    for (const id of [
      ...strange,
      `${boot}-1e0`,
      '4761739001010119',
      `${boot.toUpperCase()}-1`,
      `${boot}-1, ${boot}-1`,
    ]) {
      const client = await open({ headers: { 'last-event-id': id } });
      const [reset, present] = await client.seen(2);
      assert.deepEqual(reset, { id: undefined, event: 'reset', data: { reason: 'restarted' } }, id);
      assert.deepEqual([present?.data.state, present?.id], ['collecting', `${boot}-1`]);
      assert.ok(!client.text.includes('4761739001010119'));
      client.destroy();
      await client.over;
    }
  });

  test('too late for the last 1000 events hears so', async (t) => {
    const { events, open, clock } = await watched(t);
    const boot = clock.now().getTime().toString(36);
    // With the idle of the start: events 0 to 1001, of which 2 to 1001 are kept.
    for (const each of many(1_001)) events.emit(each);
    const late = await open({ headers: { 'last-event-id': `${boot}-1` } });
    const [reset, present] = await late.seen(2);
    assert.deepEqual([reset?.event, reset?.data], ['reset', { reason: 'too-old' }]);
    assert.deepEqual([present?.id, present?.data.messageId], [`${boot}-1001`, 'M-1000']);
    const inTime = await open({ headers: { 'last-event-id': `${boot}-2` } });
    const missed = await inTime.seen(999);
    assert.deepEqual([missed[0]?.id, missed[998]?.id], [`${boot}-3`, `${boot}-1001`]);
  });
});

describe('a watcher of one POS', { timeout: 30_000 }, () => {
  test('hears of its own transactions, and when the terminal is idle', async (t) => {
    const { events, open } = await watched(t);
    const client = await open({ path: `${path}?posId=POS-1` });
    for (const each of [other, idle, one, { ...one, state: 'approved' }, idle, other] as const) events.emit(each);
    events.emit({ state: 'settling', posId: 'poid', messageId: 'daily' });
    events.emit({ state: 'settling', posId: 'POS-1', messageId: 'S' });
    await client.seen(6);
    assert.deepEqual(states(client), ['idle', 'idle', 'collecting', 'approved', 'idle', 'settling']);
    assert.ok(!client.text.includes('POS-2') && !client.text.includes('daily'));
  });

  test('first gets the last that concerns it, however long ago', async (t) => {
    const { events, open } = await watched(t);
    for (const each of [one, idle, other]) events.emit(each);
    const busyElsewhere = await open({ path: `${path}?posId=POS-1` });
    assert.equal((await busyElsewhere.seen(1))[0]?.data.state, 'idle');
    for (const each of many(1_200, 'POS-2')) events.emit(each);
    const longAgo = await open({ path: `${path}?posId=POS-1` });
    const [lastIdle] = await longAgo.seen(1);
    assert.equal(lastIdle?.data.state, 'idle');
    assert.match(lastIdle?.id ?? '', /-2$/);
    const own = await open({ path: `${path}?posId=POS-2` });
    assert.equal((await own.seen(1))[0]?.data.messageId, 'M-1199');
  });

  test('missed what concerns it alone', async (t) => {
    const { events, open } = await watched(t);
    const before = await open();
    for (const each of [one, other, idle, other, { ...one, state: 'error' }] as const) events.emit(each);
    const [start] = await before.seen(6);
    const client = await open({ path: `${path}?posId=POS-1`, headers: { 'last-event-id': start?.id ?? '' } });
    await client.seen(3);
    assert.deepEqual(states(client), ['collecting', 'idle', 'error']);
  });

  test('names it as a request does: anything else is refused, and not echoed', async (t) => {
    const { open } = await watched(t, { origins: [origin] });
    for (const query of [`posId=${'4'.repeat(65)}`, 'posId=4761739001010119%07', `lastEventId=${'4'.repeat(65)}`]) {
      const client = await open({ path: `${path}?${query}`, headers: { origin } });
      const json = await client.json();
      assert.equal(client.status, 400);
      assert.equal(json.responseResult, 'INVALID_PARAMETER');
      assert.equal(json.financialImpact, 'NONE');
      assert.equal(json.errors[0].pointer, `/${query.split('=')[0]}`);
      assert.ok(!client.text.includes('44') && !client.text.includes('0119'), client.text);
      assert.equal(client.headers['access-control-allow-origin'], origin);
    }
    for (const twice of ['posId=POS-1&posId=POS-2', 'lastEventId=1&lastEventId=1']) {
      const client = await open({ path: `${path}?${twice}` });
      const json = await client.json();
      const { pointer } = json.errors[0];
      assert.deepEqual([client.status, json.reason, pointer], [400, 'keyAmbiguous', `/${twice.split('=')[0]}`]);
    }
    const named = await open({ path: `${path}?posId=${encodeURIComponent('收銀 & 1?')}&x=%E0%A4%A` });
    assert.equal((await named.seen(1))[0]?.data.state, 'idle');
    const unnamed = await open({ path: `${path}?posId=` });
    assert.equal((await unnamed.seen(1))[0]?.data.state, 'idle');
  });
});

describe('who may watch', { timeout: 30_000 }, () => {
  test('32 at once; the next is told so, until one leaves', async (t) => {
    const { open, events, failures } = await watched(t);
    const clients = await Promise.all(addresses(32, 1).map((address) => open({ address })));
    const beyond = await open();
    assert.equal(beyond.status, 503);
    assert.deepEqual(await beyond.json(), {
      responseResult: 'ERROR',
      responseCode: 2,
      message: 'at most 32 watchers are possible',
      ...reportedReason('tooManyStreams'),
      financialImpact: 'NONE',
    });
    clients[7]?.destroy();
    await clients[7]?.over;
    let next = await open();
    // The server hears of it a moment after the client.
    while (next.status === 503) next = await open();
    events.emit(one);
    for (const client of [...clients.filter((each) => each !== clients[7]), next]) await client.seen(2);
    assert.deepEqual(failures, []);
  });

  test('8 of one address; the next is told so, and one of another address watches', async (t) => {
    const { open } = await watched(t);
    await Promise.all(addresses(8, 8).map((address) => open({ address })));
    const beyond = await open({ address: '127.0.0.1' });
    assert.equal(beyond.status, 503);
    assert.equal((await beyond.json()).message, 'at most 8 watchers of one address are possible');
    assert.equal((await open({ address: '127.0.0.2' })).status, 200);
  });

  test('who has most of all that there can be makes place, with its oldest, for one who has none', async (t) => {
    const { open, events } = await watched(t);
    // Four addresses with eight each: no place for a fifth, if they could keep it.
    const clients = [];
    for (const address of addresses(32, 8)) clients.push(await open({ address }));
    const pos = await open({ address: '127.0.0.99' });
    assert.equal(pos.status, 200);
    assert.equal(await clients[0]?.over, 'ended');
    events.emit(one);
    await pos.seen(2);
    for (const client of clients.slice(1)) await client.seen(2);
  });

  test('others are served while all of them watch', async (t) => {
    const { open, port, terminal } = await watched(t);
    terminal.payAnswer = async () => paid;
    await Promise.all(addresses(32, 8).map((address) => open({ address })));
    const { status } = await fetch(`http://127.0.0.1:${port}/sp/v1/payment`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sale),
    });
    assert.equal(status, 200);
  });

  for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'PATCH']) {
    test(`${method} is not for events`, async (t) => {
      const { open } = await watched(t);
      const client = await open({ method });
      assert.equal(client.status, 405);
      assert.equal(client.headers.allow, 'GET');
      assert.equal(await client.over, 'ended');
      assert.equal(client.events.length, 0);
    });
  }

  test('the rules of access hold', async (t) => {
    const { open } = await watched(t, { origins: [origin] });
    for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }, { origin: 'null' }]) {
      const client = await open({ headers });
      assert.equal(client.status, 403);
      assert.equal((await client.json()).responseResult, 'ERROR');
      assert.equal(client.headers['access-control-allow-origin'], undefined);
    }
    const plain = await open();
    assert.equal(plain.headers['access-control-allow-origin'], undefined);
  });

  test('a configured page may read the stream, and that there are too many', async (t) => {
    const { open } = await watched(t, { origins: [origin] });
    const clients = await Promise.all(addresses(33, 1).map((address) => open({ headers: { origin }, address })));
    assert.deepEqual(
      clients.map(({ status }) => status).toSorted((a, b) => a - b),
      [...Array(32).fill(200), 503],
    );
    for (const { headers } of clients) {
      assert.equal(headers['access-control-allow-origin'], origin);
      assert.equal(headers.vary, 'origin');
    }
    const asked = { origin, 'access-control-request-method': 'GET' };
    const preflight = await open({ method: 'OPTIONS', headers: asked });
    assert.equal(preflight.status, 204);
  });
});

/** A response whose client reads as much as the test says. */
class HeldResponse extends EventEmitter {
  writableLength = 0;
  readonly written: string[] = [];
  destroyed = false;

  writeHead(): this {
    return this;
  }

  write(text: string): boolean {
    this.written.push(text);
    return this.writableLength === 0;
  }

  end(): void {
    this.written.push('end');
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function held(stream: EventStream, unread = 0, headers = {}): HeldResponse {
  const response = new HeldResponse();
  response.writableLength = unread;
  const request = { url: path, headers } as IncomingMessage;
  assert.equal(stream.serve(request, response as unknown as ServerResponse, {}, { address: '127.0.0.1' }), undefined);
  return response;
}

describe('a watcher that does not read', { timeout: 30_000 }, () => {
  test('is dropped beyond 64 KiB, and not before', () => {
    const stream = new EventStream(new ManualClock());
    const slow = held(stream);
    const prompt = held(stream);
    slow.writableLength = 65_536;
    stream.emit(one);
    assert.deepEqual([slow.destroyed, slow.written.length], [false, 2]);
    slow.writableLength = 65_537;
    stream.emit(idle);
    assert.deepEqual([slow.destroyed, slow.written.length], [true, 2]);
    stream.emit(one);
    assert.deepEqual([prompt.destroyed, prompt.written.length], [false, 4]);
    assert.equal(slow.written.length, 2);
  });

  test('is dropped by a heartbeat too', async () => {
    const clock = new ManualClock();
    const stream = new EventStream(clock);
    const slow = held(stream);
    slow.writableLength = 65_537;
    await clock.advance(15_000);
    assert.equal(slow.destroyed, true);
    assert.deepEqual(clock.pendingMs, []);
  });

  test('may take longer for all that it missed, once', () => {
    const clock = new ManualClock();
    const stream = new EventStream(clock);
    for (const each of many(900)) stream.emit(each);
    // As after a write of 150,000 bytes that went nowhere yet.
    const back = held(stream, 150_000, { 'last-event-id': `${clock.now().getTime().toString(36)}-0` });
    stream.emit(one);
    assert.equal(back.destroyed, false);
    back.writableLength = 0;
    back.emit('drain');
    back.writableLength = 65_537;
    stream.emit(idle);
    assert.equal(back.destroyed, true);
  });

  test('keeps nobody else from reading, over a real connection', async (t) => {
    const { open, events, failures } = await watched(t);
    const prompt = await open();
    const slow = await open();
    slow.pause();
    // More than any socket buffer between the two takes.
    for (let at = 0; at < 400; at++) {
      events.emit({ ...one, messageId: `${at} ${'x'.repeat(60_000)}` });
      await prompt.seen(at + 2);
    }
    slow.resume();
    assert.equal(await slow.over, 'broken');
    assert.ok(slow.events.length < 400);
    assert.deepEqual(failures, []);
  });
});

describe('the heartbeat', { timeout: 30_000 }, () => {
  test('is a comment every 15 s, for as long as somebody watches', async (t) => {
    const { open, clock } = await watched(t);
    assert.deepEqual(clock.pendingMs, []);
    const client = await open();
    await client.seen(1);
    assert.deepEqual(clock.pendingMs, [15_000]);
    await clock.advance(14_999);
    assert.ok(!client.text.includes('\n:'));
    await clock.advance(1);
    await client.until(() => client.text.endsWith('\n\n:\n\n'));
    await clock.advance(15_000);
    await client.until(() => client.text.endsWith('\n\n:\n\n:\n\n'));
    assert.equal(client.events.length, 1);
    client.destroy();
    await client.over;
    while (clock.pendingMs.length > 0) await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('closing', { timeout: 30_000 }, () => {
  test('waits for no watcher, and ends their streams in order', async (t) => {
    const { open, close, clock } = await watched(t);
    const clients = await Promise.all([open(), open({ path: `${path}?posId=POS-1` })]);
    await close();
    for (const client of clients) {
      assert.equal(await client.over, 'ended');
      assert.equal(client.events.length, 1);
    }
    assert.deepEqual(clock.pendingMs, []);
  });

  test('lets watchers hear how a payment ended whose answer is due', async (t) => {
    const { open, close, events, terminal, port } = await watched(t);
    const answer = Promise.withResolvers<PayAnswer>();
    terminal.payAnswer = () => answer.promise;
    const client = await open();
    const pos = fetch(`http://127.0.0.1:${port}/sp/v1/payment`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sale),
    });
    await terminal.paidTimes(1);
    const closing = close();
    events.emit({ ...one, state: 'approved' });
    answer.resolve(paid);
    assert.equal((await pos).status, 200);
    await closing;
    assert.equal(await client.over, 'ended');
    assert.deepEqual(states(client), ['idle', 'approved']);
  });

  test('waits for none that does not read', async (t) => {
    const { open, close, events } = await watched(t);
    const slow = await open();
    slow.pause();
    for (let at = 0; at < 100; at++) events.emit({ ...one, messageId: `${at} ${'x'.repeat(100_000)}` });
    await close();
    slow.resume();
    assert.equal(await slow.over, 'broken');
  });

  test('waits for nothing that was sent behind the request for a stream', async (t) => {
    const { close, terminal, port, clients } = await watched(t);
    terminal.payAnswer = async () => paid;
    const body = JSON.stringify(sale);
    const socket = net.connect(port, '127.0.0.1');
    clients.add(socket);
    const get = (to: string) => `GET ${to} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
    const post = `POST /sp/v1/payment HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    socket.write(get(path) + get('/sp/v1/status') + post);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await terminal.paidTimes(1);
    await close();
    await once(socket, 'close');
    assert.equal(text.match(/HTTP\/1\.1/g)?.length, 1);
    assert.match(text, /^HTTP\/1\.1 200 OK[^]*event: state/);
  });

  test('ends a stream that waits behind a payment, after its answer', async (t) => {
    const { close, terminal, port, clients, events } = await watched(t);
    const answer = Promise.withResolvers<PayAnswer>();
    terminal.payAnswer = () => answer.promise;
    const body = JSON.stringify(sale);
    const socket = net.connect(port, '127.0.0.1');
    clients.add(socket);
    socket.write(
      `POST /sp/v1/payment HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
    );
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await terminal.paidTimes(1);
    const closing = close();
    events.emit(one);
    answer.resolve(paid);
    await closing;
    await once(socket, 'close');
    assert.match(text, /^HTTP\/1\.1 200 OK[^]*"responseResult":"SUCCESS"/);
  });
});

test('garbage behind the request never gets an answer into the stream', async (t) => {
  const { port, clients, events, failures } = await watched(t);
  const socket = net.connect(port, '127.0.0.1');
  clients.add(socket);
  let text = '';
  const data = Promise.withResolvers<void>();
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (text.includes('"idle"')) data.resolve();
  });
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  await data.promise;
  socket.write('garbage\r\n\r\n');
  await once(socket, 'close');
  events.emit(one);
  assert.equal(text.match(/HTTP\/1\.1/g)?.length, 1);
  assert.ok(!text.includes('responseResult'));
  assert.deepEqual(failures, []);
});
