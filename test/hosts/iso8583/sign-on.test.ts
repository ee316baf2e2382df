import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { InitialNumbers } from '../../../src/base/domain/identifiers.ts';
import { builtInDialects } from '../../../src/hosts/iso8583/dialect.ts';
import type { DialectFile } from '../../../src/hosts/iso8583/dialects/dialect-schema.ts';
import { settled } from '../../support/manual-clock.ts';
import type { HostSide } from './scripted-host.ts';
import { answerFrame, bench, framed, replyTimeoutMs, saleOrder, text } from './terminal.ts';

const deadline = { timeout: 10_000 };

const row = (processingCode: string) => ({
  type: '0800',
  answer: '0810',
  processingCode,
  fields: [3, 11, 24, 41],
  content: {},
});
/** EDC's dialect with network management: 92 signs on, 99 is an echo, 93 signs off. */
const managed: DialectFile = {
  ...builtInDialects.EDC,
  messages: {
    ...builtInDialects.EDC.messages,
    signOn: row('920000'),
    echo: row('990000'),
    signOff: row('930000'),
  },
};

/** The type, field 3 and field 11 of the next message. Bitmap: 3, 11, 24, 41. */
async function nextMessage(side: HostSide): Promise<{ code: string; stan: string }> {
  const [, code = '', stan = ''] = /^.{14}08002020010000800000(.{6})(.{6})0003/.exec(await side.readFrame()) ?? [];
  return { code, stan };
}

/** Fields 3, 11, 24, 39 and 41. */
const answer = ({ code, stan }: { code: string; stan: string }, responseCode = '00') =>
  framed('0810', '2020010002800000', code, stan, '0003', text(responseCode), text('12345678'));

async function opened(t: TestContext) {
  const parts = await bench(t, { dialect: managed, echoS: 60 });
  const side = await parts.host.accepted();
  const signOn = await nextMessage(side);
  assert.equal(signOn.code, '920000');
  return { ...parts, side, signOn };
}

test('it signs on at the start, and a sale waits for that', deadline, async (t) => {
  const { acquirer, side, signOn } = await opened(t);
  const sale = acquirer.request(saleOrder);
  await side.write(answer(signOn));
  assert.match(await side.readFrame(), /^.{14}0200/);
  await side.write(answerFrame());
  assert.equal((await sale).kind, 'approved');
  assert.equal(acquirer.line?.isSignedOn, true);
});

test('a host that refuses it gets no sale, and the reason is reported', deadline, async (t) => {
  const { acquirer, host, side, signOn } = await opened(t);
  const sale = acquirer.request(saleOrder);
  await side.write(answer(signOn, '58'));
  assert.deepEqual(await sale, { kind: 'notSent', reason: 'not-signed-on' });
  await side.ended;
  assert.deepEqual([acquirer.line?.isSignedOn, acquirer.line?.fault?.reason], [false, 'signOnRefused']);
  // The next payment tries again.
  const next = acquirer.request(saleOrder);
  const again = await host.accepted();
  const second = await nextMessage(again);
  assert.notEqual(second.stan, signOn.stan);
  await again.write(answer(second));
  await again.readFrame();
  await again.write(answerFrame());
  assert.equal((await next).kind, 'approved');
  assert.deepEqual([acquirer.line?.isSignedOn, acquirer.line?.fault], [true, undefined]);
});

test('a host that does not answer it gets no sale', deadline, async (t) => {
  const { acquirer, clock } = await opened(t);
  const sale = acquirer.request(saleOrder);
  await clock.running(replyTimeoutMs);
  await clock.advance(replyTimeoutMs);
  assert.deepEqual(await sale, { kind: 'notSent', reason: 'not-signed-on' });
  assert.equal(acquirer.line?.fault?.reason, 'signOnNotAnswered');
});

test('after a broken line it signs on again, before anything else', deadline, async (t) => {
  const { acquirer, host, side, signOn } = await opened(t);
  await side.write(answer(signOn));
  await settled();
  const sale = acquirer.request(saleOrder);
  await side.readFrame();
  side.end();
  assert.deepEqual(await sale, { kind: 'unknown', reason: 'link-closed' });
  const reversal = acquirer.reverse({ ...saleOrder, operation: 'sale' }, false);
  const next = await host.accepted();
  const second = await nextMessage(next);
  assert.equal(second.code, '920000');
  await next.write(answer(second));
  assert.match(await next.readFrame(), /^.{14}0400/);
  await next.write(answerFrame({ mti: '0410', approvalCode: '' }));
  assert.equal((await reversal).kind, 'acknowledged');
});

test('a silent host is asked for an echo, and without an answer the connection is replaced', deadline, async (t) => {
  const { host, clock, side, signOn } = await opened(t);
  await side.write(answer(signOn));
  await clock.running(60_000);
  await clock.advance(60_000);
  const echo = await nextMessage(side);
  assert.equal(echo.code, '990000');
  await side.write(answer(echo));
  await clock.running(60_000);
  await clock.advance(60_000);
  assert.equal((await nextMessage(side)).code, '990000');
  await clock.running(replyTimeoutMs);
  await clock.advance(replyTimeoutMs);
  await side.ended;
  await clock.advance(60_000);
  const next = await host.accepted();
  assert.equal((await nextMessage(next)).code, '920000');
});

test('it signs off when it ends, and does not wait long for the answer', deadline, async (t) => {
  const { acquirer, clock, side, signOn } = await opened(t);
  await side.write(answer(signOn));
  await settled();
  const ended = acquirer.close();
  assert.equal((await nextMessage(side)).code, '930000');
  await clock.running(2_000);
  await clock.advance(2_000);
  await ended;
  await side.ended;
});

test('an end during a sign-on does not wait for it', deadline, async (t) => {
  const { acquirer, side } = await opened(t);
  await acquirer.close();
  await side.ended;
});

/** The first batch is in field 24. */
const assigning: DialectFile = {
  ...managed,
  messages: {
    ...managed.messages,
    signOn: { ...row('920000'), numbers: { batch: { field: 24, at: 0, digits: 3 } } },
  },
};

for (const [how, responseCode, assigned] of [
  ['an approved', '00', [{ batch: 3 }]],
  ['a refused', '58', []],
] as const) {
  test(`the first numbers of a terminal in the answer of ${how} sign-on`, deadline, async (t) => {
    const numbers: InitialNumbers[] = [];
    const { acquirer, host } = await bench(t, { dialect: assigning }, { onNumbers: (each) => numbers.push(each) });
    const sale = acquirer.request(saleOrder);
    const side = await host.accepted();
    await side.write(answer(await nextMessage(side), responseCode));
    if (responseCode === '00') {
      await side.readFrame();
      await side.write(answerFrame());
    }
    await sale;
    assert.deepEqual(numbers, assigned);
  });
}
