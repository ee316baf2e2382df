import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { computeMac } from '../../../src/codecs/iso8583/mac.ts';
import { builtInDialects } from '../../../src/hosts/iso8583/dialect.ts';
import type { DialectFile } from '../../../src/hosts/iso8583/dialects/dialect-schema.ts';
import type { MacSettings } from '../../../src/hosts/iso8583/message-macs.ts';
import { settled } from '../../support/manual-clock.ts';
import type { HostSide } from './scripted-host.ts';
import { answerFrame, bench, bytes, framed, replyTimeoutMs, saleOrder, text } from './terminal.ts';

const deadline = { timeout: 10_000 };
const echoMs = 60_000;
const hourMs = 3_600_000;

const row = (processingCode: string) => ({
  type: '0800',
  answer: '0810',
  processingCode,
  fields: [3, 11, 24, 41],
  content: {},
});
/** EDC's dialect with a sign-on (92) and an exchange of keys (94), whose key follows two bytes in field 61. */
const keyed: DialectFile = {
  ...builtInDialects.EDC,
  fields: {
    ...builtInDialects.EDC.fields,
    61: { encoding: 'binary', prefix: 'bcd3', length: 99, counts: 'units', set: 'ans', required: false, secret: true },
  },
  messages: {
    ...builtInDialects.EDC.messages,
    signOn: row('920000'),
    keyExchange: {
      ...row('940000'),
      key: { field: 61, at: 2, bytes: 16, mode: 'ecb', checkValue: { field: 61, at: 18, bytes: 3 } },
    },
  },
  codes: { ...builtInDialects.EDC.codes, keysOutOfStep: ['88'] },
};

/** Test keys. */
const keyEncryptingKey = '0123456789ABCDEFFEDCBA9876543210';
const [firstKey, secondKey] = ['11'.repeat(8) + '22'.repeat(8), '33'.repeat(8) + '44'.repeat(8)];

const mac: MacSettings = {
  algorithm: 'iso9797-3',
  padding: 1,
  key: { session: { keyEncryptingKey, afterSignOn: false, everyH: 1 } },
  field: 64,
  bytes: 8,
  over: 'message',
};

function encrypted(key: string, data: Uint8Array): string {
  const cipher = createCipheriv('des-ede3-ecb', bytes(key + key.slice(0, 16)), null).setAutoPadding(false);
  return Buffer.concat([cipher.update(data), cipher.final()])
    .toString('hex')
    .toUpperCase();
}

const wrapped = (key: string) => encrypted(keyEncryptingKey, bytes(key));
const checkValue = (key: string) => encrypted(key, new Uint8Array(8)).slice(0, 6);

interface Asked {
  readonly code: string;
  readonly stan: string;
}

/** The type, field 3 and field 11 of the next network management message. */
async function nextManaged(side: HostSide): Promise<Asked> {
  const [, code = '', stan = ''] = /^.{14}08002020010000800000(.{6})(.{6})0003/.exec(await side.readFrame()) ?? [];
  return { code, stan };
}

const answerTo = ({ code, stan }: Asked, responseCode = '00') =>
  framed('0810', '2020010002800000', code, stan, '0003', text(responseCode), text('12345678'));

/** Fields 3, 11, 24, 39, 41 and 61. */
function keyAnswer({ code, stan }: Asked, key: string, check = checkValue(key)): string {
  const field = `0021FFFF${wrapped(key)}${check}`;
  return framed('0810', '2020010002800008', code, stan, '0003', text('00'), text('12345678'), field);
}

/** A frame with a code in field 64 under this key. */
function sealed(frame: string, key: string): string {
  const message = Buffer.from(frame.slice(14), 'hex');
  message[9] = (message[9] ?? 0) | 1;
  const code = Buffer.from(computeMac('iso9797-3', bytes(key), message))
    .toString('hex')
    .toUpperCase();
  return framed(message.toString('hex').toUpperCase(), code);
}

/** Whether a frame of the terminal has its code under this key. */
function isUnder(frame: string, key: string): boolean {
  const message = bytes(frame.slice(14));
  const code = computeMac('iso9797-3', bytes(key), message.subarray(0, -8));
  return Buffer.from(code).equals(Buffer.from(message.subarray(-8)));
}

/** Opens a terminal that has signed on and requests its key. */
async function asking(t: TestContext, changed: Partial<MacSettings> = {}) {
  const parts = await bench(t, { dialect: keyed, echoS: 60, mac: { ...mac, ...changed } });
  const side = await parts.host.accepted();
  await side.write(answerTo(await nextManaged(side)));
  return { ...parts, side, asked: await nextManaged(side) };
}

async function keyedBench(t: TestContext) {
  const parts = await asking(t);
  assert.equal(parts.asked.code, '940000');
  await parts.side.write(keyAnswer(parts.asked, firstKey));
  // From now on the connection is kept.
  await parts.clock.running(echoMs);
  return parts;
}

test('the key comes before the first sale, which is under it', deadline, async (t) => {
  const { acquirer, side, asked } = await asking(t);
  const sale = acquirer.request(saleOrder);
  await side.write(keyAnswer(asked, firstKey));
  assert.equal(isUnder(await side.readFrame(), firstKey), true);
  await side.write(sealed(answerFrame(), firstKey));
  assert.equal((await sale).kind, 'approved');
  assert.equal(acquirer.line?.fault, undefined);
});

test('an answer under another key is none', deadline, async (t) => {
  const { acquirer, side } = await keyedBench(t);
  const sale = acquirer.request(saleOrder);
  await side.readFrame();
  await side.write(sealed(answerFrame(), secondKey));
  assert.deepEqual(await sale, { kind: 'unknown', reason: 'garbled-answer' });
  assert.equal(acquirer.line?.fault?.reason, 'macNotValid');
});

test('a wrong code is reported until a right one comes: messages without one prove nothing', deadline, async (t) => {
  const { acquirer, host, side } = await keyedBench(t);
  const sale = acquirer.request(saleOrder);
  await side.readFrame();
  await side.write(sealed(answerFrame(), secondKey));
  assert.deepEqual(await sale, { kind: 'unknown', reason: 'garbled-answer' });
  const again = acquirer.request(saleOrder);
  const next = await host.accepted();
  await next.write(answerTo(await nextManaged(next)));
  const asked = await nextManaged(next);
  assert.equal(asked.code, '940000');
  assert.equal(acquirer.line?.fault?.reason, 'macNotValid', 'after a sign-on');
  await next.write(keyAnswer(asked, secondKey));
  await next.readFrame();
  assert.equal(acquirer.line?.fault?.reason, 'macNotValid', 'after an exchange of keys');
  await next.write(sealed(answerFrame(), secondKey));
  assert.equal((await again).kind, 'approved');
  assert.equal(acquirer.line?.fault, undefined);
});

for (const [name, answered, reason] of [
  ['refuses the key', (asked: Asked) => answerTo(asked, '58'), 'keyExchangeRefused'],
  ['sends another check value', (asked: Asked) => keyAnswer(asked, firstKey, checkValue(secondKey)), 'keyCheckFailed'],
  ['approves without a key', (asked: Asked) => answerTo(asked), 'keyCheckFailed'],
] as const) {
  test(`a host that ${name} gets no sale, and the reason is reported`, deadline, async (t) => {
    const { acquirer, host, side, asked } = await asking(t);
    const sale = acquirer.request(saleOrder);
    await side.write(answered(asked));
    assert.deepEqual(await sale, { kind: 'notSent', reason: 'not-signed-on' });
    await side.ended;
    assert.equal(acquirer.line?.fault?.reason, reason);
    // The next payment tries again.
    const next = acquirer.request(saleOrder);
    const again = await host.accepted();
    await again.write(answerTo(await nextManaged(again)));
    await again.write(keyAnswer(await nextManaged(again), firstKey));
    await again.readFrame();
    await again.write(sealed(answerFrame(), firstKey));
    assert.equal((await next).kind, 'approved');
    assert.equal(acquirer.line?.fault, undefined);
  });
}

test('a host that does not answer gets no sale', deadline, async (t) => {
  const { acquirer, clock } = await asking(t);
  const sale = acquirer.request(saleOrder);
  await clock.running(replyTimeoutMs);
  await clock.advance(replyTimeoutMs);
  assert.deepEqual(await sale, { kind: 'notSent', reason: 'not-signed-on' });
  assert.equal(acquirer.line?.fault?.reason, 'keyExchangeNotAnswered');
});

test('the key is kept over a broken line, and fetched after each sign-on only if that is set', deadline, async (t) => {
  for (const afterSignOn of [false, true]) {
    const session = { keyEncryptingKey, afterSignOn };
    const { acquirer, host, side, asked, clock } = await asking(t, { key: { session } });
    await side.write(keyAnswer(asked, firstKey));
    await clock.running(echoMs);
    side.end();
    await side.ended;
    const sale = acquirer.request(saleOrder);
    const next = await host.accepted();
    await next.write(answerTo(await nextManaged(next)));
    if (afterSignOn) await next.write(keyAnswer(await nextManaged(next), secondKey));
    const frame = await next.readFrame();
    assert.equal(isUnder(frame, afterSignOn ? secondKey : firstKey), true);
    await next.write(sealed(answerFrame(), afterSignOn ? secondKey : firstKey));
    assert.equal((await sale).kind, 'approved');
  }
});

test(
  'a code that says that keys are out of step declines, and a sale after it waits for a new key',
  deadline,
  async (t) => {
    const { acquirer, side } = await keyedBench(t);
    const sale = acquirer.request(saleOrder);
    await side.readFrame();
    await side.write(sealed(answerFrame({ responseCode: '88', approvalCode: '' }), firstKey));
    const declined = await sale;
    assert.deepEqual([declined.kind, declined.kind === 'declined' && declined.reason], ['declined', 'hostTrouble']);
    const asked = await nextManaged(side);
    assert.equal(asked.code, '940000');
    const next = acquirer.request({ ...saleOrder, trace: { ...saleOrder.trace, stan: 124 } });
    await settled();
    await side.write(keyAnswer(asked, secondKey));
    assert.equal(isUnder(await side.readFrame(), secondKey), true);
    await side.write(sealed(answerFrame({ stan: '000124' }), secondKey));
    assert.equal((await next).kind, 'approved');
  },
);

test('a message that is in flight during an exchange is judged by the key of its request', deadline, async (t) => {
  const { acquirer, side, late, nextLate, clock } = await keyedBench(t);
  const [first, second] = [124, 125].map((stan) =>
    acquirer.request({ ...saleOrder, trace: { ...saleOrder.trace, stan } }),
  );
  await side.readFrame();
  await side.readFrame();
  // The exchange begins while the second request is in flight.
  await side.write(sealed(answerFrame({ stan: '000124', responseCode: '88', approvalCode: '' }), firstKey));
  assert.equal((await first)?.kind, 'declined');
  await side.write(keyAnswer(await nextManaged(side), secondKey));
  await settled();
  await side.write(sealed(answerFrame({ stan: '000125' }), firstKey));
  assert.equal((await second)?.kind, 'approved');

  const both = Promise.all([nextLate(), nextLate()]);
  // A late answer may be under either key, and under the former one for a limited time.
  await side.write(sealed(answerFrame({ stan: '000125' }), firstKey));
  await side.write(sealed(answerFrame({ stan: '000125' }), secondKey));
  await both;
  await clock.advance(300_000);
  await settled();
  await side.write(sealed(answerFrame({ stan: '000125' }), firstKey));
  await side.ended;
  assert.equal(late.length, 2);
});

test('the answer to a request that was sent before an exchange is none under the new key', deadline, async (t) => {
  const { acquirer, side } = await keyedBench(t);
  const [first, second] = [124, 125].map((stan) =>
    acquirer.request({ ...saleOrder, trace: { ...saleOrder.trace, stan } }),
  );
  await side.readFrame();
  await side.readFrame();
  await side.write(sealed(answerFrame({ stan: '000124', responseCode: '88', approvalCode: '' }), firstKey));
  assert.equal((await first)?.kind, 'declined');
  await side.write(keyAnswer(await nextManaged(side), secondKey));
  const third = acquirer.request({ ...saleOrder, trace: { ...saleOrder.trace, stan: 126 } });
  assert.equal(isUnder(await side.readFrame(), secondKey), true);
  await side.write(sealed(answerFrame({ stan: '000126' }), secondKey));
  assert.equal((await third).kind, 'approved');
  await side.write(sealed(answerFrame({ stan: '000125' }), secondKey));
  assert.deepEqual(await second, { kind: 'unknown', reason: 'garbled-answer' });
});

test('an old key is replaced while nothing is in flight', deadline, async (t) => {
  const { acquirer, side, clock } = await keyedBench(t);
  await settled();
  await clock.advance(hourMs);
  const asked = await nextManaged(side);
  assert.equal(asked.code, '940000');
  await side.write(keyAnswer(asked, secondKey));
  await settled();
  const sale = acquirer.request(saleOrder);
  assert.equal(isUnder(await side.readFrame(), secondKey), true);
  await side.write(sealed(answerFrame(), secondKey));
  assert.equal((await sale).kind, 'approved');
});

test('an old key is not replaced while a sale is in flight', deadline, async (t) => {
  const { acquirer, side, clock } = await keyedBench(t);
  await clock.advance(hourMs - 1_000);
  const sale = acquirer.request(saleOrder);
  assert.equal(isUnder(await side.readFrame(), firstKey), true);
  await clock.advance(2_000);
  await side.write(sealed(answerFrame(), firstKey));
  assert.equal((await sale).kind, 'approved');
  // Meanwhile only this sale was sent.
  const next = acquirer.request({ ...saleOrder, trace: { ...saleOrder.trace, stan: 124 } });
  assert.equal(isUnder(await side.readFrame(), firstKey), true);
  await side.write(sealed(answerFrame({ stan: '000124' }), firstKey));
  assert.equal((await next).kind, 'approved');
  await clock.advance(echoMs);
  const asked = await nextManaged(side);
  assert.equal(asked.code, '940000');
  await side.write(keyAnswer(asked, secondKey));
});

test(
  'a message with a wrong code raises doubts about the key: the next connection begins with another one',
  deadline,
  async (t) => {
    const { acquirer, host, side } = await keyedBench(t);
    const sale = acquirer.request(saleOrder);
    await side.readFrame();
    await side.write(sealed(answerFrame(), secondKey));
    await sale;
    const reversal = acquirer.reverse({ ...saleOrder, operation: 'sale' }, false);
    const next = await host.accepted();
    await next.write(answerTo(await nextManaged(next)));
    const asked = await nextManaged(next);
    assert.equal(asked.code, '940000');
    await next.write(keyAnswer(asked, secondKey));
    assert.equal(isUnder(await next.readFrame(), secondKey), true);
    await next.write(sealed(answerFrame({ mti: '0410', approvalCode: '' }), secondKey));
    assert.equal((await reversal).kind, 'acknowledged');
    assert.equal(acquirer.line?.fault, undefined);
  },
);

test('a host that has lost the key and is silent is asked for another one', deadline, async (t) => {
  const { acquirer, host, side, clock } = await keyedBench(t);
  for (const stan of [124, 125]) {
    const sale = acquirer.request({ ...saleOrder, trace: { ...saleOrder.trace, stan } });
    assert.equal(isUnder(await side.readFrame(), firstKey), true);
    await clock.running(replyTimeoutMs);
    await clock.advance(replyTimeoutMs);
    assert.deepEqual(await sale, { kind: 'unknown', reason: 'no-answer' });
  }
  const next = acquirer.request({ ...saleOrder, trace: { ...saleOrder.trace, stan: 126 } });
  const again = await host.accepted();
  await again.write(answerTo(await nextManaged(again)));
  const asked = await nextManaged(again);
  assert.equal(asked.code, '940000');
  await again.write(keyAnswer(asked, secondKey));
  const frame = await again.readFrame();
  assert.equal(isUnder(frame, secondKey), true);
  await again.write(sealed(answerFrame({ stan: '000126' }), secondKey));
  assert.equal((await next).kind, 'approved');
});
