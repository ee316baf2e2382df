import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import { builtInDialects } from '../../../src/hosts/iso8583/dialect.ts';
import { ScriptedHost } from './scripted-host.ts';
import {
  answerFrame,
  bench,
  connectTimeoutMs,
  framed,
  type PresentedOrder,
  replyTimeoutMs,
  reversalOrder,
  saleOrder,
  summaryOf,
} from './terminal.ts';

const deadline = { timeout: 10_000 };

const unknown = (reason: string) => ({ kind: 'unknown', reason });
const hostDown: HostOutcome = { kind: 'notSent', reason: 'host-down' };
const secondOrder: PresentedOrder = { ...saleOrder, trace: { stan: 124, invoice: 46, batch: 1 } };
const approved = (outcome: HostOutcome) => outcome.kind === 'approved';

test('an answer one byte at a time', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const outcome = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  for (const byte of Buffer.from(answerFrame(), 'hex')) await side.write(byte.toString(16).padStart(2, '0'));
  assert.ok(approved(await outcome));
});

test('two requests in flight, answered in one piece and in the other order', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const outcomes = Promise.all([acquirer.request(saleOrder), acquirer.request(secondOrder)]);
  const side = await host.accepted();
  const stans = [(await side.readFrame()).slice(52, 58), (await side.readFrame()).slice(52, 58)];
  assert.deepEqual(stans, ['000123', '000124']);
  await side.write(answerFrame({ stan: '000124', responseCode: '51' }), answerFrame());
  const [first, second] = await outcomes;
  assert.deepEqual([first.kind, second.kind], ['approved', 'declined']);
  assert.equal(host.connections, 1);
});

test('a sale and its reversal in flight do not take each other for an answer', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const sale = acquirer.request(saleOrder);
  const reversal = acquirer.reverse(reversalOrder, false);
  const side = await host.accepted();
  await side.readFrame();
  await side.readFrame();
  await side.write(answerFrame({ mti: '0410', approvalCode: '' }), answerFrame({ responseCode: '05' }));
  assert.equal((await reversal).kind, 'acknowledged');
  assert.equal((await sale).kind, 'declined');
});

for (const [what, wrong] of [
  ['trace number', { stan: '000122' }],
  ['terminal', { tid: '87654321' }],
  ['processing code', { processingCode: '200000' }],
  ['network identifier', { nii: '004' }],
  ['message type', { mti: '0410' }],
  ['direction', { mti: '0200' }],
] as const) {
  test(`an answer with another ${what} is none, and the right one still counts`, deadline, async (t) => {
    const { host, acquirer, late } = await bench(t);
    const outcome = acquirer.request(saleOrder);
    const side = await host.accepted();
    await side.readFrame();
    await side.write(answerFrame({ ...wrong, responseCode: '00' }), answerFrame({ responseCode: '51' }));
    assert.equal((await outcome).kind, 'declined');
    assert.equal(late.length, 1);
  });
}

test('keep-alives are skipped: on an idle line, before and behind an answer', deadline, async (t) => {
  const { host, clock, acquirer, late } = await bench(t);
  const first = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  await side.write('0000', '00', '00', `0000${answerFrame()}0000`);
  assert.ok(approved(await first));
  await side.write('0000');
  const second = acquirer.request(secondOrder);
  await side.readFrame();
  await side.write(`0000${answerFrame({ stan: '000124', responseCode: '51' })}`);
  assert.equal((await second).kind, 'declined');
  assert.deepEqual([host.connections, late.length, clock.pending], [1, 0, 0]);
});

test('keep-alives are no sign of a host: after two silent replies it is dialled again', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const side = acquirer.request(saleOrder);
  const socket = await host.accepted();
  await socket.readFrame();
  await socket.write('0000');
  clock.pass(replyTimeoutMs);
  assert.deepEqual(await side, unknown('no-answer'));
  const again = acquirer.request(secondOrder);
  await socket.readFrame();
  await socket.write('0000');
  clock.pass(replyTimeoutMs);
  assert.deepEqual(await again, unknown('no-answer'));
  const third = acquirer.request({ ...saleOrder, trace: { stan: 125, invoice: 47, batch: 1 } });
  const next = await host.accepted();
  await next.readFrame();
  await next.write(answerFrame({ stan: '000125' }));
  assert.ok(approved(await third));
});

test('a flood of answers that no request waits for ends the connection', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const first = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  await side.write(answerFrame());
  assert.ok(approved(await first));
  const second = acquirer.request(secondOrder);
  await side.readFrame();
  await side.write(answerFrame().repeat(700));
  assert.deepEqual(await second, unknown('garbled-answer'));
  assert.equal(clock.pending, 0);
});

test('a flood of keep-alives ends the connection', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const first = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  await side.write(answerFrame());
  assert.ok(approved(await first));
  const second = acquirer.request(secondOrder);
  await side.readFrame();
  await side.write('0000'.repeat(700));
  assert.deepEqual(await second, unknown('garbled-answer'));
  assert.equal(clock.pending, 0);
});

test('an answer with a second bitmap is an answer', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const outcome = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  // 4 11 37 38 39 41, and above 64 the original data elements
  const fields = ['000000003000', '000123', '363233373130303030313233', '413142324333', '3030', '3132333435363738'];
  await side.write(framed('0210', '902000000E800000' + '0000004000000000', ...fields, '0'.repeat(42)));
  assert.ok(approved(await outcome));
});

test('an answer need not repeat processing code and network identifier', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const outcome = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  // 4 11 37 38 39 41
  const fields = ['000000003000', '000123', '363233373130303030313233', '413142324333', '3030', '3132333435363738'];
  await side.write(framed('0210', '102000000E800000', ...fields));
  assert.ok(approved(await outcome));
});

test('silence is unknown; the late answer is told, and is not the answer of the next request', deadline, async (t) => {
  const { host, clock, acquirer, late, nextLate } = await bench(t);
  const silent = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  clock.pass(replyTimeoutMs - 1);
  clock.pass(1);
  assert.deepEqual(await silent, unknown('no-answer'));
  assert.equal(acquirer.link, 'up');

  const next = acquirer.request(secondOrder);
  await side.readFrame();
  const lateAnswer = nextLate();
  await side.write(answerFrame());
  assert.deepEqual(summaryOf(await lateAnswer), {
    acquirerId: 'EDC',
    mti: '0210',
    stan: '000123',
    rrn: '623710000123',
    responseCode: '00',
    isOurs: true,
    reversing: false,
  });
  await side.write(answerFrame({ stan: '000124' }));
  assert.ok(approved(await next));
  assert.equal(late.length, 1);
  assert.equal(host.connections, 1);
});

test('an answer just before the time-out counts', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const outcome = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  clock.pass(replyTimeoutMs - 1);
  await side.write(answerFrame());
  assert.ok(approved(await outcome));
  assert.equal(clock.pending, 0);
});

test('a path that swallows two requests in a row is dialled again', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const sale = acquirer.request(saleOrder);
  const dead = await host.accepted();
  await dead.readFrame();
  clock.pass(replyTimeoutMs);
  assert.deepEqual(await sale, unknown('no-answer'));
  const reversal = acquirer.reverse(reversalOrder, false);
  await dead.readFrame();
  clock.pass(replyTimeoutMs);
  assert.deepEqual(await reversal, { kind: 'unanswered' });

  const repeat = acquirer.reverse(reversalOrder, true);
  await dead.ended;
  const fresh = await host.accepted();
  await fresh.readFrame();
  await fresh.write(answerFrame({ mti: '0410', approvalCode: '' }));
  assert.equal((await repeat).kind, 'acknowledged');
});

test('a byte from the host between two silences shows that the path lives', deadline, async (t) => {
  const { host, clock, acquirer, nextLate } = await bench(t);
  const sale = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  clock.pass(replyTimeoutMs);
  await sale;
  const late = nextLate();
  await side.write(answerFrame());
  await late;
  const reversal = acquirer.reverse(reversalOrder, false);
  await side.readFrame();
  clock.pass(replyTimeoutMs);
  await reversal;

  const next = acquirer.request(secondOrder);
  await side.readFrame();
  await side.write(answerFrame({ stan: '000124' }));
  assert.ok(approved(await next));
  assert.equal(host.connections, 1);
});

test('closed or reset after the request: unknown at once', deadline, async (t) => {
  for (const how of ['end', 'reset'] as const) {
    const { host, clock, acquirer } = await bench(t);
    const outcome = acquirer.request(saleOrder);
    const side = await host.accepted();
    await side.readFrame();
    side[how]();
    assert.deepEqual(await outcome, unknown('link-closed'), how);
    assert.equal(acquirer.link, 'down');
    assert.equal(clock.pending, 0);
  }
});

test('an answer right before the close counts', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const outcome = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  await side.write(answerFrame());
  side.end();
  assert.ok(approved(await outcome));
});

for (const [what, garbage] of [
  ['a length of one byte', '0001'],
  ['a length over the limit', 'FFFF'],
  ['another protocol', '48545450'],
  ['a TPDU of another protocol', answerFrame().replace('6000000003', '7000000003')],
  ['a message with a letter for a digit', answerFrame().replace('000000003000', '00000000300A')],
  ['a message with a byte too many', framed(`${answerFrame().slice(14)}00`)],
  ['a message that ends early', framed(answerFrame().slice(14, -2))],
] as const) {
  test(`garbage ends the connection: ${what}`, deadline, async (t) => {
    const { host, clock, acquirer } = await bench(t);
    const outcomes = Promise.all([acquirer.request(saleOrder), acquirer.request(secondOrder)]);
    const side = await host.accepted();
    await side.readFrame();
    await side.readFrame();
    // The right answer behind the garbage: what follows a broken frame can't be trusted.
    await side.write(garbage, answerFrame());
    assert.deepEqual(await outcomes, [unknown('garbled-answer'), unknown('garbled-answer')]);
    await side.ended;
    assert.equal(acquirer.link, 'down');
    assert.equal(clock.pending, 0);
  });
}

test('garbage while nothing is in flight ends the connection before it is used again', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const first = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  await side.write(answerFrame(), '0001');
  assert.ok(approved(await first));
  await side.ended;
  const second = acquirer.request(secondOrder);
  const fresh = await host.accepted();
  await fresh.readFrame();
  await fresh.write(answerFrame({ stan: '000124' }));
  assert.ok(approved(await second));
});

test('refused: not sent, at once, and the next request tries again', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const { port } = host;
  await host.close();
  assert.equal(acquirer.link, 'idle');
  assert.deepEqual(await acquirer.request(saleOrder), hostDown);
  assert.equal(acquirer.link, 'down');
  assert.equal(clock.pending, 0);

  const back = await ScriptedHost.listen(port);
  t.after(() => back.close());
  const outcome = acquirer.request(saleOrder);
  const side = await back.accepted();
  await side.readFrame();
  await side.write(answerFrame());
  assert.ok(approved(await outcome));
  assert.equal(acquirer.link, 'up');
});

test('no connection in time: not sent', deadline, async (t) => {
  const { clock, acquirer } = await bench(t);
  const outcomes = Promise.all([acquirer.request(saleOrder), acquirer.request(secondOrder)]);
  clock.pass(connectTimeoutMs);
  assert.deepEqual(await outcomes, [hostDown, hostDown]);
  assert.equal(acquirer.link, 'down');
  assert.equal(clock.pending, 0);
});

test('a connection is kept, and dialled again after the host has restarted', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const first = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  await side.write(answerFrame());
  assert.ok(approved(await first));
  const second = acquirer.request(secondOrder);
  await side.readFrame();
  await side.write(answerFrame({ stan: '000124' }));
  assert.ok(approved(await second));
  assert.equal(host.connections, 1);

  const { port } = host;
  const inFlight = acquirer.request(saleOrder);
  await side.readFrame();
  await host.close();
  assert.deepEqual(await inFlight, unknown('link-closed'));
  const back = await ScriptedHost.listen(port);
  t.after(() => back.close());
  const reversal = acquirer.reverse(reversalOrder, false);
  const fresh = await back.accepted();
  await fresh.readFrame();
  await fresh.write(answerFrame({ mti: '0410', approvalCode: '', responseCode: '25' }));
  assert.deepEqual(await reversal, { kind: 'noRecord', responseCode: '25' });
});

test('an idle connection that the host closed is not used', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const first = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  await side.write(answerFrame());
  await first;
  side.end();
  await side.ended;
  assert.equal(acquirer.link, 'down');

  const second = acquirer.request(secondOrder);
  const fresh = await host.accepted();
  await fresh.readFrame();
  await fresh.write(answerFrame({ stan: '000124' }));
  assert.ok(approved(await second));
  assert.equal(host.connections, 2);
});

test('closing interrupts what is in flight and dials no more', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const outcome = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  await acquirer.close();
  assert.deepEqual(await outcome, unknown('interrupted'));
  await side.ended;
  assert.deepEqual(await acquirer.request(secondOrder), hostDown);
  assert.equal(host.connections, 1);
  assert.equal(clock.pending, 0);
  await acquirer.close();
});

test('closing while dialling: not sent', deadline, async (t) => {
  const { clock, acquirer } = await bench(t);
  const outcome = acquirer.request(saleOrder);
  await acquirer.close();
  assert.deepEqual(await outcome, hostDown);
  assert.equal(clock.pending, 0);
});

test('the same request twice in flight is a fault of the caller; the first is not hurt', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const outcome = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  await assert.rejects(acquirer.request(saleOrder), /in flight/);
  await side.write(answerFrame());
  assert.ok(approved(await outcome));
});

test('the ninth request in flight is not sent', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const orders = Array.from({ length: 9 }, (_, i) => ({ ...saleOrder, trace: { stan: i + 1, invoice: 1, batch: 1 } }));
  const outcomes = orders.map((order) => acquirer.request(order));
  assert.deepEqual(await outcomes[8], hostDown);
  const side = await host.accepted();
  for (let i = 0; i < 8; i++) await side.readFrame();
  side.end();
  for (const outcome of outcomes.slice(0, 8)) assert.deepEqual(await outcome, unknown('link-closed'));
});

test('a keep-alive is sent back where the dialect says so', deadline, async (t) => {
  const dialect = structuredClone(builtInDialects.EDC);
  dialect.framing.keepAlive = 'echo';
  const { host, acquirer } = await bench(t, { dialect });
  const outcome = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  await side.write('0000');
  assert.equal(await side.read(2), '0000');
  await side.write(answerFrame());
  assert.ok(approved(await outcome));
});
