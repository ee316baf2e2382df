import assert from 'node:assert/strict';
import { type Duplex, duplexPair } from 'node:stream';
import { test } from 'node:test';
import type { Dial } from '../../../src/hosts/qfpay/dial.ts';
import { qfpayHost } from '../../../src/hosts/qfpay/host.ts';
import type { WalletOutcome } from '../../../src/payment/contracts/wallet-host.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { ScriptedHost } from './scripted-host.ts';
import {
  approval,
  approved,
  bench,
  connectTimeoutMs,
  deadline,
  httpAnswer,
  optionsFor,
  presentedOrder,
  refundOrder,
  replyTimeoutMs,
  scannedOrder,
} from './terminal.ts';

const unknown = (reason: string) => ({ kind: 'unknown', reason });
const hostDown: WalletOutcome = { kind: 'notSent', reason: 'host-down' };
const unanswered = { kind: 'unanswered' };

test('an answer one byte at a time', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const outcome = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  await side.request();
  for (const byte of Buffer.from(httpAnswer(approval))) await side.write(Uint8Array.of(byte));
  assert.deepEqual(await outcome, approved);
});

test('an answer in chunks, and one that ends with the connection', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const body = JSON.stringify(approval);
  const size = Buffer.byteLength(body).toString(16);
  const chunked = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  await side.request();
  await side.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\n${body}\r\n0\r\n\r\n`);
  assert.deepEqual(await chunked, approved);
  const ended = acquirer.pay(scannedOrder);
  await side.request();
  await side.write(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${body}`);
  side.end();
  assert.deepEqual(await ended, approved);
});

test('a connection is kept for the next call', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  assert.equal(acquirer.link, 'idle');
  const first = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  for (const call of [first, undefined, undefined]) {
    const outcome = call ?? acquirer.pay(scannedOrder);
    await side.request();
    await side.write(httpAnswer(approval));
    assert.deepEqual(await outcome, approved);
  }
  assert.equal(host.connections, 1);
  assert.equal(acquirer.link, 'up');
  // It rests for 10 s of the clock, and no longer.
  assert.equal(clock.pending, 1);
  clock.pass(10_000);
  await side.ended;
  assert.equal(clock.pending, 0);
});

test('a connection rests no longer than the host says', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const outcome = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  await side.request();
  await side.write(httpAnswer(approval, ['Keep-Alive: timeout=5, max=100']));
  assert.deepEqual(await outcome, approved);
  clock.pass(3999);
  assert.equal(clock.pending, 1);
  clock.pass(1);
  await side.ended;
  assert.equal(clock.pending, 0);
});

test('a line of the caller’s own, which is no socket', deadline, async (t) => {
  const lines: Duplex[] = [];
  const dial: Dial = () => {
    const [ours, theirs] = duplexPair();
    lines.push(ours);
    theirs.on('data', () => theirs.write(httpAnswer(approval)));
    return Promise.resolve(ours);
  };
  const acquirer = qfpayHost({ ...optionsFor(1) }, { clock: new ManualClock(), dial });
  for (let call = 0; call < 3; call++) assert.deepEqual(await acquirer.pay(scannedOrder), approved);
  assert.equal(lines.length, 1);
  lines[0]?.destroy(new Error('the line broke'));
  assert.deepEqual(await acquirer.pay(scannedOrder), approved);
  assert.equal(lines.length, 2);
  t.after(() => acquirer.stop());
});

test('two calls at once do not share a connection', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const outcomes = Promise.all([acquirer.pay(scannedOrder), acquirer.enquire(scannedOrder)]);
  for (let call = 0; call < 2; call++) {
    const side = await host.accepted();
    const { line } = await side.request();
    const enquiry = { respcd: '0000', data: [{ ...approval, cancel: '0' }] };
    await side.write(httpAnswer(line.includes('query') ? enquiry : approval));
  }
  assert.deepEqual(await outcomes, [approved, approved]);
});

test('the link is what the last call found', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const outcomes = [acquirer.pay(scannedOrder), acquirer.pay(scannedOrder)];
  const [broken, good] = [await host.accepted(), await host.accepted()];
  await Promise.all([broken.request(), good.request()]);
  broken.reset();
  assert.deepEqual(await Promise.race(outcomes), unknown('link-closed'));
  assert.equal(acquirer.link, 'down');
  await good.write(httpAnswer(approval));
  await Promise.all(outcomes);
  assert.equal(acquirer.link, 'up');
});

test('silence is unknown at the time-out, and its connection is not used again', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const silent = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  await side.request();
  clock.pass(replyTimeoutMs - 1);
  assert.equal(clock.pending, 1);
  clock.pass(1);
  assert.deepEqual(await silent, unknown('no-answer'));
  await side.ended;
  assert.equal(acquirer.link, 'down');

  const next = acquirer.enquire(scannedOrder);
  for (const _ofNowAndOfItsMonth of [1, 2]) {
    const fresh = await host.accepted();
    await fresh.request();
    await fresh.write(httpAnswer({ respcd: '0000', data: [] }, ['Connection: close']));
  }
  assert.deepEqual(await next, { kind: 'notFound' });
  assert.equal(acquirer.link, 'up');
  assert.equal(clock.pending, 0);
});

test('an answer that begins and never ends is unknown at the time-out', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const outcome = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  await side.request();
  await side.write(httpAnswer(approval).slice(0, -1));
  clock.pass(replyTimeoutMs);
  assert.deepEqual(await outcome, unknown('no-answer'));
});

test('silence to each call', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const outcomes = Promise.all([
    acquirer.present(presentedOrder),
    acquirer.enquire(scannedOrder),
    acquirer.refund(refundOrder),
    acquirer.close(scannedOrder),
    acquirer.reverseRefund(refundOrder),
  ]);
  for (let call = 0; call < 5; call++) await (await host.accepted()).request();
  clock.pass(replyTimeoutMs);
  const silent = unknown('no-answer');
  assert.deepEqual(await outcomes, [silent, { kind: 'unknown' }, silent, unanswered, unanswered]);
});

test('closed or reset after the request: unknown at once', deadline, async (t) => {
  for (const how of ['end', 'reset'] as const) {
    const { host, clock, acquirer } = await bench(t);
    const outcome = acquirer.pay(scannedOrder);
    const side = await host.accepted();
    await side.request();
    side[how]();
    assert.deepEqual(await outcome, unknown('link-closed'), how);
    assert.equal(acquirer.link, 'down');
    assert.equal(clock.pending, 0);
  }
});

test('closed half-way through the answer: unknown', deadline, async (t) => {
  const whole = httpAnswer(approval);
  for (const end of [5, 40, whole.indexOf('\r\n\r\n') + 4, whole.length - 30, whole.length - 1]) {
    for (const how of ['end', 'reset'] as const) {
      const { host, clock, acquirer } = await bench(t);
      const outcome = acquirer.pay(scannedOrder);
      const side = await host.accepted();
      await side.request();
      await side.write(Buffer.from(whole).subarray(0, end));
      side[how]();
      const paid = await outcome;
      assert.ok(paid.kind === 'unknown' && ['link-closed', 'garbled-answer'].includes(paid.reason), `${end} ${how}`);
      assert.equal(acquirer.link, 'down');
      assert.equal(clock.pending, 0);
    }
  }
});

test('an answer right before the close counts', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const outcome = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  await side.request();
  await side.write(httpAnswer(approval));
  side.end();
  assert.deepEqual(await outcome, approved);
});

const bom = `\ufeff${JSON.stringify(approval)}`;
const latin1 = Buffer.from(JSON.stringify({ ...approval, resperr: 'é' }), 'latin1');
for (const [what, bytes] of [
  ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['a head without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['two lengths', httpAnswer(approval, ['Content-Length: 5'])],
  ['a length and chunks', httpAnswer(approval, ['Transfer-Encoding: chunked'])],
  ['no JSON', httpAnswer('<html>approved</html>')],
  ['nothing', httpAnswer('')],
  ['JSON that ends early', httpAnswer(JSON.stringify(approval).slice(0, -1))],
  ['JSON with something behind', httpAnswer(`${JSON.stringify(approval)}x`)],
  ['a mark before the JSON', httpAnswer(bom)],
  ['a list', httpAnswer([approval])],
  ['a text', httpAnswer(JSON.stringify('0000'))],
  ['null', httpAnswer('null')],
  ['nothing but brackets', httpAnswer('['.repeat(60_000))],
  [
    'bytes that are no UTF-8',
    Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${latin1.length}\r\n\r\n`), latin1]),
  ],
  ['more than 64 KiB', httpAnswer({ ...approval, more: 'x'.repeat(65_536) })],
  ['another status', httpAnswer(approval, [], '500 Internal Server Error')],
  ['no content', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['another address', httpAnswer(approval, ['Location: http://127.0.0.1:1/'], '302 Found')],
] as const) {
  test(`garbled: ${what}`, deadline, async (t) => {
    const { host, clock, acquirer } = await bench(t);
    for (let call = 0; call < 2; call++) {
      const outcome = call === 0 ? acquirer.pay(scannedOrder) : acquirer.close(scannedOrder);
      const side = await host.accepted();
      await side.request();
      await side.write(bytes);
      assert.deepEqual(await outcome, call === 0 ? unknown('garbled-answer') : unanswered);
      side.end();
      await side.ended;
    }
    assert.equal(clock.pending, 0);
  });
}

test('64 KiB are not too much', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const outcome = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  await side.request();
  const bare = Buffer.byteLength(JSON.stringify({ ...approval, more: '' }));
  await side.write(httpAnswer({ ...approval, more: 'x'.repeat(65_536 - bare) }));
  assert.deepEqual(await outcome, approved);
});

test('a switch of protocols is no answer', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const outcome = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  await side.request();
  await side.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n');
  assert.equal((await outcome).kind, 'unknown');
});

test('a second answer is not taken for that of the next call', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const first = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  await side.request();
  await side.write(httpAnswer(approval) + httpAnswer({ ...approval, respcd: '1142' }));
  await first;
  await side.ended;
  const closing = acquirer.close(scannedOrder);
  const fresh = await host.accepted();
  await fresh.request();
  await fresh.write(httpAnswer({ respcd: '1260' }));
  assert.deepEqual(await closing, { kind: 'refused', responseCode: '1260' });
});

test('refused: not sent, at once, and the next call tries again', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const { port } = host;
  await host.close();
  assert.deepEqual(await acquirer.pay(scannedOrder), hostDown);
  assert.equal(acquirer.link, 'down');
  assert.deepEqual(await acquirer.present(presentedOrder), hostDown);
  assert.deepEqual(await acquirer.refund(refundOrder), hostDown);
  assert.deepEqual(await acquirer.enquire(scannedOrder), { kind: 'unknown' });
  assert.deepEqual(await acquirer.close(scannedOrder), { ...unanswered, request: 'notSent' });
  assert.equal(clock.pending, 0);

  const back = await ScriptedHost.listen(port);
  t.after(() => back.close());
  const outcome = acquirer.pay(scannedOrder);
  const side = await back.accepted();
  await side.request();
  await side.write(httpAnswer(approval));
  assert.deepEqual(await outcome, approved);
  assert.equal(acquirer.link, 'up');
});

test('a name that nobody knows: not sent', deadline, async (t) => {
  // A label of 64 characters is none (RFC 1035, 2.3.4): no name server is asked.
  const { acquirer } = await bench(t, { url: `https://${'x'.repeat(64)}.invalid` });
  assert.deepEqual(await acquirer.pay(scannedOrder), hostDown);
  assert.equal(acquirer.link, 'down');
});

test('no connection in time: not sent', deadline, async (t) => {
  const { clock, acquirer } = await bench(t);
  const outcomes = Promise.all([acquirer.pay(scannedOrder), acquirer.refund(refundOrder)]);
  clock.pass(connectTimeoutMs);
  assert.deepEqual(await outcomes, [hostDown, hostDown]);
  assert.equal(acquirer.link, 'down');
  assert.equal(clock.pending, 0);
});

test('a kept connection that the host ends meanwhile is dialled again', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const first = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  await side.request();
  await side.write(httpAnswer(approval));
  await first;
  side.end();
  await side.ended;
  const second = acquirer.pay(scannedOrder);
  const fresh = await host.accepted();
  await fresh.request();
  await fresh.write(httpAnswer(approval));
  assert.deepEqual(await second, approved);
  assert.equal(acquirer.link, 'up');
});

test('a request on a kept connection that breaks is unknown, and is not sent again', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const first = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  await side.request();
  await side.write(httpAnswer(approval));
  await first;
  const second = acquirer.pay(scannedOrder);
  await side.request();
  side.reset();
  assert.deepEqual(await second, unknown('link-closed'));
  assert.equal(host.connections, 1);
});

test('stopping interrupts what is in flight and dials no more', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const outcomes = Promise.all([
    acquirer.pay(scannedOrder),
    acquirer.enquire(scannedOrder),
    acquirer.close(scannedOrder),
  ]);
  const sides = [await host.accepted(), await host.accepted(), await host.accepted()];
  for (const side of sides) await side.request();
  await acquirer.stop();
  assert.deepEqual(await outcomes, [unknown('interrupted'), { kind: 'unknown' }, unanswered]);
  for (const side of sides) await side.ended;
  assert.deepEqual(await acquirer.pay(scannedOrder), hostDown);
  assert.equal(host.connections, 3);
  assert.equal(clock.pending, 0);
  await acquirer.stop();
});

test('stopping while dialling: not sent', deadline, async (t) => {
  const { clock, acquirer } = await bench(t);
  const outcome = acquirer.pay(scannedOrder);
  await acquirer.stop();
  assert.deepEqual(await outcome, hostDown);
  assert.equal(clock.pending, 0);
});

test('stopping ends a connection that is kept', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const outcome = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  await side.request();
  await side.write(httpAnswer(approval));
  await outcome;
  await acquirer.stop();
  await side.ended;
});

test('the ninth call in flight is not sent', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const outcomes = Array.from({ length: 9 }, () => acquirer.pay(scannedOrder));
  assert.deepEqual(await outcomes[8], hostDown);
  for (let call = 0; call < 8; call++) await (await host.accepted()).request();
  clock.pass(replyTimeoutMs);
  for (const outcome of outcomes.slice(0, 8)) assert.deepEqual(await outcome, unknown('no-answer'));
  assert.equal(host.connections, 8);
});
