import { openPosCalls } from '../../../src/pos/api/open-pos-calls.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { describe, test } from 'node:test';
import { terminalCapabilitiesOf } from '../../payment/transaction/terminal-capabilities.ts';
import { Access } from '../../../src/pos/api/access.ts';
import { EventStream } from '../../../src/pos/api/event-stream.ts';
import { clientTimeouts, serveApi } from '../../../src/pos/api/server.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { approved, authorizedRecord, success } from './records.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RawClient, tinyChunks, wire } from './raw-client.ts';
import { noCounter } from '../../support/no-counter.ts';
import { bare, collectTimes, noLists, noReports, noReprints, profiles, sale, served, shop } from './served.ts';
import { noteReasons } from '../../support/reported-reasons.ts';
import { WaitingCalls } from '../../../src/pos/api/waiting-calls.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';

const paid: PayAnswer = { kind: 'ended', record: authorizedRecord({ outcome: approved, conclusion: success }) };
const quick = { headersMs: 40, requestMs: 80, idleMs: 5_000, unreadMs: 5_000, checkMs: 10 };

/** No time limit ends what a test sends. */
const patient = { headersMs: 600_000, requestMs: 600_000, idleMs: 600_000, unreadMs: 600_000, checkMs: 1_000 };

/** The head of a request whose body comes in chunks. */
const chunked = (more = '') =>
  wire('', '/sp/v1/payment', more).replace('Content-Length: 0', 'Transfer-Encoding: chunked');

const payment = wire(JSON.stringify(sale));
const enquiry = wire('{"posId":"POS-1","messageId":"M-1"}', '/sp/v1/enquiry');

test('the time-outs of production', async () => {
  const limits = { headersMs: 10_000, requestMs: 15_000, idleMs: 5_000, unreadMs: 15_000, checkMs: 1_000 };
  assert.deepEqual(clientTimeouts, limits);
});

test('an Expect header that nobody knows is 417, in the envelope', { timeout: 30_000 }, async (t) => {
  const api = await served(t);
  const client = new RawClient(api);
  client.socket.write(wire(JSON.stringify(sale), '/sp/v1/payment', 'Expect: foo\r\n'));
  await client.letGo();
  assert.match(client.text, /^HTTP\/1\.1 417 /);
  const body = JSON.parse(client.text.slice(client.text.indexOf('\r\n\r\n')));
  noteReasons(body);
  assert.deepEqual([body.reason, body.financialImpact], ['expectationUnknown', 'NONE']);
  assert.equal(api.terminal.paid.length, 0);
});

test('requests with an Expect that nobody knows are limited as others are', { timeout: 30_000 }, async (t) => {
  const api = await served(t, { timeouts: patient });
  api.terminal.payAnswer = () => new Promise(() => undefined);
  const client = new RawClient(api);
  client.socket.write(payment + wire('', '/sp/v1/enquiry', 'Expect: foo\r\n').repeat(16));
  await client.letGo();
  assert.equal(client.text, '');
});

describe('a body with more around it than in it', { timeout: 30_000 }, () => {
  test('loses its connection before it is whole, however long it may take', async (t) => {
    const api = await served(t, { timeouts: patient });
    const client = new RawClient(api);
    client.socket.write(chunked());
    // 600 bytes of a body, and 300 KB around them.
    client.socket.write(tinyChunks(' '.repeat(600), 500));
    await client.letGo();
    assert.match(client.text, /^HTTP\/1\.1 413 .*"financialImpact":"NONE"/s);
    assert.deepEqual(api.failures, []);
  });

  test('is read if that is little', async (t) => {
    const { terminal, ...api } = await served(t, { timeouts: patient });
    const client = new RawClient(api);
    client.socket.write(`${chunked()}${tinyChunks(JSON.stringify(sale), 500)}0\r\n\r\n`);
    assert.match(await client.until(/\}$/), /"reason":"deviceAbsent"/);
    assert.equal(terminal.paid.length, 1);
  });
});

describe('a slow client', { timeout: 30_000 }, () => {
  for (const [what, bytes] of [
    ['that sends nothing', ''],
    ['that sends half a header', 'POST /sp/v1/payment HTTP/1.1\r\nHost: 127'],
    ['that sends half a body', payment.slice(0, -10)],
    ['that sends half a chunk', wire('').replace('Content-Length: 0', 'Transfer-Encoding: chunked') + '10\r\n{"pos'],
  ] as const) {
    test(`${what} is cut off, in the envelope and for good`, async (t) => {
      const api = await served(t, { timeouts: quick });
      const { terminal, failures } = api;
      const client = new RawClient(api);
      client.socket.write(bytes);
      await client.letGo();
      assert.match(client.text, /^HTTP\/1\.1 408 Request Timeout\r\n/);
      noteReasons(JSON.parse(client.text.slice(client.text.indexOf('\r\n\r\n'))));
      assert.match(client.text, /"responseResult":"INVALID_PARAMETER".*"financialImpact":"NONE"/);
      assert.equal(terminal.paid.length, 0);
      assert.deepEqual(failures, []);
    });
  }

  test('the customer may be slower than any client: no time-out cuts an answer', async (t) => {
    const api = await served(t, { timeouts: quick });
    const { terminal } = api;
    const answer = Promise.withResolvers<PayAnswer>();
    terminal.payAnswer = () => answer.promise;
    const client = new RawClient(api);
    client.socket.write(payment);
    await terminal.paidTimes(1);
    // A silent client that connects now is cut off: so the time-out of the first would have passed as well.
    await new RawClient(api).letGo();
    assert.equal(client.text, '');
    answer.resolve(paid);
    assert.match(await client.until(/"tranStatus"/), /^HTTP\/1\.1 200 OK/);
  });
});

describe('bytes that are no request', { timeout: 30_000 }, () => {
  for (const [what, bytes, status] of [
    ['garbage', '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n', 400],
    ['a header of 20 KB', `GET /sp/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['two lengths', wire('{}', '/sp/v1/payment', 'Content-Length: 30\r\n'), 400],
    ['a length and chunks', wire('{}', '/sp/v1/payment', 'Transfer-Encoding: chunked\r\n'), 400],
    ['a length that is none', wire('').replace('Length: 0', 'Length: 1e1'), 400],
    ['no Host', payment.replace('Host: 127.0.0.1\r\n', ''), 400],
    ['an empty Host', payment.replace('Host: 127.0.0.1', 'Host:'), 400],
    ['HTTP/1.0 without Host', 'GET /sp/v1/status HTTP/1.0\r\n\r\n', 403],
  ] as const) {
    test(`${what}: ${status} in the envelope`, async (t) => {
      const api = await served(t);
      const { terminal } = api;
      const client = new RawClient(api);
      client.socket.write(bytes);
      const text = await client.until(/\}$/);
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `));
      const [head = '', body = ''] = text.split('\r\n\r\n');
      assert.equal(Number(/content-length: (\d+)/i.exec(head)?.[1]), Buffer.byteLength(body));
      const answer = JSON.parse(body);
      noteReasons(answer);
      assert.equal(answer.financialImpact, 'NONE');
      assert.equal(terminal.paid.length, 0);
    });
  }

  test('CONNECT and a WebSocket are not served', async (t) => {
    const api = await served(t);
    const tunnel = new RawClient(api);
    tunnel.socket.write('CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await tunnel.letGo();
    assert.equal(tunnel.text, '');
    const upgraded = new RawClient(api);
    upgraded.socket.write(
      'GET /sp/v1/socket HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    assert.match(await upgraded.until(/\}$/), /^HTTP\/1\.1 404 /);
  });
});

describe('one connection', { timeout: 30_000 }, () => {
  test('carries request after request', async (t) => {
    const api = await served(t);
    const { terminal } = api;
    terminal.payAnswer = async () => paid;
    const client = new RawClient(api);
    client.socket.write(payment);
    await client.until(/200 OK[\s\S]*\}\}$/);
    client.socket.write(enquiry);
    assert.match(await client.until(/404 Not Found[\s\S]*\}$/), /"NOT_FOUND"/);
  });

  test('pipelined requests are answered in their order', async (t) => {
    const api = await served(t);
    const { terminal } = api;
    const answer = Promise.withResolvers<PayAnswer>();
    terminal.payAnswer = () => answer.promise;
    const client = new RawClient(api);
    client.socket.write(payment + enquiry + wire('[]'));
    await terminal.paidTimes(1);
    answer.resolve(paid);
    const text = await client.until(/400 Bad Request[\s\S]*\}$/);
    assert.deepEqual(
      Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status),
      ['200', '404', '400'],
    );
  });

  test('an answer after a refusal is readable on the same connection', async (t) => {
    const api = await served(t);
    const client = new RawClient(api);
    client.socket.write(wire('x'.repeat(3_000_000), '/nowhere') + enquiry);
    assert.match(await client.until(/"NOT_FOUND"[\s\S]*"NOT_FOUND"/), /no transaction has this posId/);
  });

  test('that hangs up takes nothing along: the payment goes on', async (t) => {
    const api = await served(t);
    const { terminal, failures, call } = api;
    const answer = Promise.withResolvers<PayAnswer>();
    terminal.payAnswer = () => answer.promise;
    for (const hangUp of ['destroy', 'resetAndDestroy'] as const) {
      const client = new RawClient(api);
      client.socket.write(payment);
      await terminal.paidTimes(terminal.paid.length + 1);
      client.socket[hangUp]();
      await client.closed;
    }
    answer.resolve(paid);
    await answer.promise;
    assert.equal((await call({ path: '/sp/v1/enquiry', body: JSON.stringify(sale) })).status, 404);
    assert.equal(terminal.paid.length, 2);
    assert.deepEqual(terminal.asked, [{ call: 'enquire', posId: 'POS-1', messageId: 'M-1' }]);
    assert.deepEqual(failures, []);
  });

  test('that half-closes behind its request still gets the answer', async (t) => {
    const api = await served(t);
    const { terminal } = api;
    const answer = Promise.withResolvers<PayAnswer>();
    terminal.payAnswer = () => answer.promise;
    const client = new RawClient(api);
    client.socket.end(payment);
    await terminal.paidTimes(1);
    // The customer takes a while: the end has long come when the answer is there.
    for (let round = 0; round < 5; round++) await api.call({ path: '/nowhere' });
    answer.resolve(paid);
    assert.match(await client.until(/\}\}$/), /^HTTP\/1\.1 200 OK/);
  });

  test('brings so many requests that wait, and is closed with one more', async (t) => {
    const api = await served(t, { pipelinedMax: 3 });
    const { terminal } = api;
    terminal.payAnswer = () => new Promise(() => undefined);
    const [patient, greedy] = [new RawClient(api), new RawClient(api)];
    patient.socket.write(payment + enquiry + enquiry);
    greedy.socket.write(payment + enquiry + enquiry + enquiry);
    await greedy.letGo();
    assert.equal(greedy.text, '');
    // As many as that, one after the other, are none too many.
    const quick = new RawClient(api);
    for (let each = 1; each <= 8; each++) {
      quick.socket.write(enquiry);
      await quick.until(new RegExp(`(?:404 Not Found[^]*){${each}}\\}$`));
    }
    assert.equal(patient.socket.destroyed, false);
  });

  test('that is refused so often is closed with the last', async (t) => {
    const api = await served(t, { refusalsMax: 2 });
    const client = new RawClient(api);
    client.socket.write(wire('{}', '/nowhere') + enquiry + wire('{}', '/nowhere') + enquiry);
    await client.letGo();
    const heard = Array.from(client.text.matchAll(/HTTP\/1\.1 (\d+)[^]*?connection: ([a-z-]+)/gi), (each) =>
      each.slice(1, 3),
    );
    assert.deepEqual(heard, [
      ['404', 'keep-alive'],
      ['404', 'keep-alive'],
      ['404', 'close'],
    ]);
  });

  test('that watches, and closes its side, is gone', async (t) => {
    const api = await served(t);
    const watcher = new RawClient(api);
    watcher.socket.write('GET /sp/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await watcher.until(/event: state/);
    watcher.socket.end();
    await watcher.letGo();
  });

  test('garbage behind a running payment never passes for its answer', async (t) => {
    const api = await served(t);
    const { terminal, failures } = api;
    terminal.payAnswer = () => new Promise(() => undefined);
    const client = new RawClient(api);
    client.socket.write(payment);
    await terminal.paidTimes(1);
    client.socket.write('garbage\r\n\r\n');
    await client.letGo();
    assert.equal(client.text, '');
    assert.deepEqual(failures, []);
  });
});

describe('closing', { timeout: 30_000 }, () => {
  test('lets a due answer out, and says that it was the last', async (t) => {
    const api = await served(t);
    const { terminal, close } = api;
    const answer = Promise.withResolvers<PayAnswer>();
    terminal.payAnswer = () => answer.promise;
    const client = new RawClient(api);
    client.socket.write(payment);
    await terminal.paidTimes(1);
    const closing = close();
    answer.resolve(paid);
    await closing;
    const text = await client.until(/\}\}$/);
    assert.match(text, /^HTTP\/1\.1 200 OK/);
    assert.match(text, /connection: close/i);
  });

  test('refuses new connections meanwhile', async (t) => {
    const api = await served(t);
    const { terminal, close } = api;
    const answer = Promise.withResolvers<PayAnswer>();
    terminal.payAnswer = () => answer.promise;
    new RawClient(api).socket.write(payment);
    await terminal.paidTimes(1);
    const closing = close();
    const [error] = await once(net.connect(api.port, '127.0.0.1'), 'error');
    assert.equal((error as NodeJS.ErrnoException).code, 'ECONNREFUSED');
    answer.resolve(paid);
    await closing;
  });

  for (const [what, bytes] of [
    ['a silent client', ''],
    ['half a request', payment.slice(0, -5)],
    ['half a refused request', payment.slice(0, -5).replace('application/json', 'text/plain')],
  ] as const) {
    test(`is not held up by ${what}`, async (t) => {
      const api = await served(t);
      const { terminal, close, call } = api;
      const client = new RawClient(api);
      client.socket.write(bytes);
      await once(client.socket, 'connect');
      // Its bytes came before those of this call, which is answered.
      await call({ path: '/sp/v1/enquiry', body: JSON.stringify(sale) });
      await close();
      await client.letGo();
      assert.equal(terminal.paid.length, 0);
    });
  }

  test('is not held up by one that has closed its side', async (t) => {
    const api = await served(t);
    const { terminal, close } = api;
    terminal.payAnswer = () => new Promise(() => undefined);
    const client = new RawClient(api);
    client.socket.write(payment);
    await terminal.paidTimes(1);
    const closing = close();
    client.socket.end();
    await closing;
  });

  test('is not held up by an idle connection, nor by one whose client is gone', async (t) => {
    const api = await served(t);
    const { terminal, close } = api;
    terminal.payAnswer = async () => paid;
    const idle = new RawClient(api);
    idle.socket.write(payment);
    await idle.until(/\}\}$/);
    terminal.payAnswer = () => new Promise(() => undefined);
    const gone = new RawClient(api);
    gone.socket.write(payment + payment);
    await terminal.paidTimes(3);
    gone.socket.destroy();
    await gone.closed;
    await close();
  });
});

test('a port in use rejects with the system’s error', async (t) => {
  const api = await served(t);
  const { terminal } = api;
  const access = new Access({ hostnames: [], origins: [], networks: [] });
  const answerFor = () => ({ shape: 'A', printedBy: 'terminal' }) as const;
  const events = new EventStream(new ManualClock());
  const status = async () => ({});
  const parts = {
    terminal,
    waiting: new WaitingCalls(),
    pictures: new ReadingTurns(),
    lists: noLists,
    reports: noReports,
    capabilities: terminalCapabilitiesOf(profiles, bare),
    collectTimes,
    shop,
    answerFor,
    reprints: noReprints,
    counter: noCounter,
    status,
  };
  const onFailure = () => undefined;
  const calls = openPosCalls({ parts, isPairingRequired: false, onFailure });
  await assert.rejects(
    serveApi({ host: '127.0.0.1', port: api.port, bodyBytesMax: 512, access, calls, events, onFailure }),
    {
      code: 'EADDRINUSE',
    },
  );
});
