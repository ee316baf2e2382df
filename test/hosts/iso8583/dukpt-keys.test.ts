import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { initialKey, messageMac } from '../../../hw-sim/crypto/dukpt.ts';
import type { KeyCounterFault } from '../../../src/base/domain/line-security.ts';
import { builtInDialects } from '../../../src/hosts/iso8583/dialect.ts';
import type { DialectFile } from '../../../src/hosts/iso8583/dialects/dialect-schema.ts';
import { FutureKeys } from '../../../src/codecs/iso8583/dukpt.ts';
import { computeMac } from '../../../src/codecs/iso8583/mac.ts';
import type { MacSettings } from '../../../src/hosts/iso8583/message-macs.ts';
import type { KeyCounter } from '../../../src/payment/contracts/key-counter.ts';
import { answerFrame, bench, framed, replyTimeoutMs, reversalOrder, saleOrder, text } from './terminal.ts';

const deadline = { timeout: 10_000 };

/** Published test keys (fixtures/crypto/dukpt-tdes.json). */
const bdk = Buffer.from('0123456789ABCDEFFEDCBA9876543210', 'hex');
const ksnOf = (counter: number) => `FFFF9876543211${counter.toString(16).toUpperCase().padStart(6, '0')}`;
const dukpt = { initialKey: initialKey(bdk, Buffer.from(ksnOf(0), 'hex')).toString('hex'), ksn: ksnOf(0) };

/** EDC's dialect with the serial number of the key in field 53. */
const { messages, fields } = builtInDialects.EDC;
const serial = <Row extends { readonly fields: readonly number[] }>(row: Row): Row => ({
  ...row,
  fields: [...row.fields, 53],
});
const serialField = {
  encoding: 'binary',
  length: 10,
  counts: 'units',
  set: 'ans',
  content: 'macKsn',
  required: false,
  secret: false,
} as const;
const dialect: DialectFile = {
  ...builtInDialects.EDC,
  fields: {
    ...fields,
    53: serialField,
  },
  messages: {
    ...messages,
    sale: serial(messages.sale),
    reversal: serial(messages.reversal),
    settlement: serial(messages.settlement),
  },
};

const mac: MacSettings = {
  algorithm: 'iso9797-3',
  padding: 1,
  key: { dukpt },
  field: 64,
  bytes: 8,
  over: 'message',
};

/** A counter in memory that can have a fault. */
class Counter implements KeyCounter {
  fault: KeyCounterFault | undefined;
  taken = 0;

  prepare() {
    return Promise.resolve(this.fault);
  }

  take() {
    if (this.fault) return undefined;
    this.taken += 1;
    return this.taken;
  }
}

async function dukptBench(t: TestContext, changed: Partial<MacSettings> = {}) {
  const keyCounter = new Counter();
  const parts = await bench(t, { dialect, mac: { ...mac, ...changed } }, { keyCounter });
  return { ...parts, keyCounter };
}

interface Sent {
  readonly mti: string;
  readonly ksn: string;
  /** Whether the code is under the request key of that serial number. */
  readonly isSealed: boolean;
}

function readRequest(frame: string): Sent {
  const message = Buffer.from(frame.slice(14), 'hex');
  const [ksn = ''] = /FFFF9876543211[\dA-F]{6}/.exec(frame) ?? [];
  const own = messageMac(bdk, Buffer.from(ksn, 'hex'), 'request', message.subarray(0, -8));
  return { mti: frame.slice(14, 18), ksn, isSealed: own.equals(message.subarray(-8)) };
}

/** A frame with a code in field 64 under a key of this serial number. */
function sealed(frame: string, counter: number, direction: 'request' | 'response' = 'response'): string {
  const message = Buffer.from(frame.slice(14), 'hex');
  message[9] = (message[9] ?? 0) | 1;
  const code = messageMac(bdk, Buffer.from(ksnOf(counter), 'hex'), direction, message)
    .toString('hex')
    .toUpperCase();
  return framed(message.toString('hex').toUpperCase(), code);
}

const reversalAnswer = (responseCode = '00') => answerFrame({ mti: '0410', approvalCode: '', responseCode });

test('each request has its own key, and its answer has the other key of the pair', deadline, async (t) => {
  const { acquirer, host } = await dukptBench(t);
  const sales = [1, 2].map((counter) => ({ counter, trace: { ...saleOrder.trace, stan: 122 + counter } }));
  const first = acquirer.request({ ...saleOrder, trace: { ...saleOrder.trace, stan: 123 } });
  const side = await host.accepted();
  for (const { counter, trace } of sales) {
    const sale = counter === 1 ? first : acquirer.request({ ...saleOrder, trace });
    assert.deepEqual(readRequest(await side.readFrame()), { mti: '0200', ksn: ksnOf(counter), isSealed: true });
    await side.write(sealed(answerFrame({ stan: String(trace.stan).padStart(6, '0') }), counter));
    assert.equal((await sale).kind, 'approved');
  }
  assert.equal(acquirer.line?.fault, undefined);
});

for (const [name, answer] of [
  ['the key of the request', () => sealed(answerFrame(), 1, 'request')],
  ['the key of another serial number', () => sealed(answerFrame(), 2)],
  ['no code', () => answerFrame()],
] as const) {
  test(`an answer under ${name} is none`, deadline, async (t) => {
    const { acquirer, host } = await dukptBench(t);
    const sale = acquirer.request(saleOrder);
    const side = await host.accepted();
    await side.readFrame();
    await side.write(answer());
    assert.deepEqual(await sale, { kind: 'unknown', reason: 'garbled-answer' });
    assert.equal(acquirer.line?.fault?.reason, 'macNotValid');
  });
}

test('a late answer is under the key of its own request, whatever was sent since', deadline, async (t) => {
  const { acquirer, host, clock, nextLate } = await dukptBench(t);
  const sale = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  await clock.advance(replyTimeoutMs);
  assert.deepEqual(await sale, { kind: 'unknown', reason: 'no-answer' });
  const reversal = acquirer.reverse(reversalOrder, false);
  assert.deepEqual(readRequest(await side.readFrame()), { mti: '0400', ksn: ksnOf(2), isSealed: true });
  const late = nextLate();
  await side.write(sealed(answerFrame(), 1));
  assert.equal((await late).isApproval, true);
  await side.write(sealed(reversalAnswer(), 2));
  assert.equal((await reversal).kind, 'acknowledged');
});

test('a late answer under the key of a later request is none', deadline, async (t) => {
  const { acquirer, host, clock } = await dukptBench(t);
  const sale = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  await clock.advance(replyTimeoutMs);
  await sale;
  const reversal = acquirer.reverse(reversalOrder, false);
  await side.readFrame();
  await side.write(sealed(answerFrame(), 2));
  assert.equal((await reversal).kind, 'unanswered');
  assert.equal(acquirer.line?.fault?.reason, 'macNotValid');
});

test('the late answer to a reversal is not taken for the answer to its repeat', deadline, async (t) => {
  const { acquirer, host, clock, nextLate } = await dukptBench(t);
  const once = acquirer.reverse(reversalOrder, false);
  const side = await host.accepted();
  await side.readFrame();
  await clock.advance(replyTimeoutMs);
  assert.equal((await once).kind, 'unanswered');
  const repeat = acquirer.reverse(reversalOrder, true);
  assert.deepEqual(readRequest(await side.readFrame()), { mti: '0401', ksn: ksnOf(2), isSealed: true });
  const late = nextLate();
  await side.write(sealed(reversalAnswer('25'), 1));
  assert.equal((await late).responseCode, '25');
  await side.write(sealed(reversalAnswer(), 2));
  assert.equal((await repeat).kind, 'acknowledged');
});

test('without a key nothing is sent, not even a connection is opened', deadline, async (t) => {
  const { acquirer, host, keyCounter } = await dukptBench(t);
  keyCounter.fault = 'keyCounterLost';
  assert.deepEqual(await acquirer.request(saleOrder), { kind: 'notSent', reason: 'keys-unusable' });
  assert.equal((await acquirer.reverse(reversalOrder, false)).kind, 'unanswered');
  assert.deepEqual([acquirer.line?.fault?.reason, host.connections], ['keyCounterLost', 0]);
  keyCounter.fault = undefined;
  const sale = acquirer.request(saleOrder);
  const side = await host.accepted();
  assert.equal(readRequest(await side.readFrame()).ksn, ksnOf(1));
  await side.write(sealed(answerFrame(), 1));
  assert.equal((await sale).kind, 'approved');
  assert.equal(acquirer.line?.fault, undefined);
});

test('algorithm 1, and a field of text, whose serial number is hexadecimal', deadline, async (t) => {
  const textual: DialectFile = {
    ...dialect,
    fields: { ...dialect.fields, 53: { ...serialField, encoding: 'ascii', length: 20 } },
  };
  const keyCounter = new Counter();
  const parts = await bench(t, { dialect: textual, mac: { ...mac, algorithm: 'iso9797-1' } }, { keyCounter });
  const sale = parts.acquirer.request(saleOrder);
  const side = await parts.host.accepted();
  const frame = await side.readFrame();
  assert.ok(frame.includes(text(ksnOf(1))));
  const message = Buffer.from(frame.slice(14), 'hex');
  const { request } = new FutureKeys(dukpt.ksn, Buffer.from(dukpt.initialKey, 'hex')).take(1);
  const own = computeMac('iso9797-1', request, message.subarray(0, -8));
  assert.deepEqual(Buffer.from(own), message.subarray(-8));
  side.end();
  await sale;
});

test('a host without a field for the serial number, or without a counter, is not opened', async (t) => {
  const keyCounter = new Counter();
  await assert.rejects(() => bench(t, { mac }, { keyCounter }), /no field for a key serial number/);
  await assert.rejects(() => bench(t, { dialect, mac }), /need a counter/);
});
