import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BatchTotals } from '../../../src/payment/contracts/acquirer-host.ts';
import { settlementOrder, trailerOrder, uploadOrders } from './orders.ts';
import {
  bench,
  framed,
  original,
  replyTimeoutMs,
  saleOrder,
  settlementAnswer,
  text,
  uploadAnswer,
} from './terminal.ts';

const deadline = { timeout: 10_000 };

for (const [responseCode, expected] of [
  ['00', { kind: 'balanced' }],
  ['95', { kind: 'mismatch' }],
  ['96', { kind: 'refused', responseCode: '96' }],
  ['25', { kind: 'refused', responseCode: '25' }],
  ['  ', { kind: 'unanswered' }],
] as const) {
  test(`a settlement answered '${responseCode}' is ${expected.kind}, and so is its trailer`, deadline, async (t) => {
    const { host, acquirer } = await bench(t);
    const settlement = acquirer.settle(settlementOrder);
    const side = await host.accepted();
    await side.readFrame();
    await side.write(settlementAnswer({ responseCode }));
    assert.deepEqual(await settlement, expected);
    const trailer = acquirer.settle(trailerOrder);
    await side.readFrame();
    await side.write(settlementAnswer({ processingCode: '960000', stan: '000140', responseCode }));
    assert.deepEqual(await trailer, expected);
  });
}

test(
  'a settlement in another currency, of another kind or for another terminal is not answered',
  deadline,
  async (t) => {
    const { host, acquirer, late } = await bench(t);
    const settlement = acquirer.settle(settlementOrder);
    const side = await host.accepted();
    await side.readFrame();
    await side.write(
      settlementAnswer({ processingCode: '960000' }),
      settlementAnswer({ stan: '000131' }),
      settlementAnswer({ tid: '87654321' }),
      // 3 11 24 39 41 49
      framed('0510', '2020010002808000', '920000', '000130', '0003', text('00'), text('12345678'), text('840')),
    );
    assert.deepEqual(await settlement, { kind: 'unanswered' });
    assert.equal(late.length, 3);
  },
);

test(
  'a settlement: silence and a lost connection leave it unanswered, a host that is down not sent',
  deadline,
  async (t) => {
    const { host, clock, acquirer } = await bench(t);
    const silent = acquirer.settle(settlementOrder);
    const side = await host.accepted();
    await side.readFrame();
    clock.pass(replyTimeoutMs);
    assert.deepEqual(await silent, { kind: 'unanswered' });
    const lost = acquirer.settle(settlementOrder);
    await side.readFrame();
    side.end();
    assert.deepEqual(await lost, { kind: 'unanswered' });
    await host.close();
    assert.deepEqual(await acquirer.settle(settlementOrder), { kind: 'notSent' });
    assert.deepEqual(await acquirer.upload(uploadOrders.sale, false), { kind: 'notSent' });
    assert.equal(clock.pending, 0);
  },
);

const none = { count: 0, minor: 0n };
const totals = (sales: BatchTotals['sales'], refunds = none): BatchTotals => ({ currency: 'JPY', sales, refunds });

for (const [what, sum, field63] of [
  ['nothing', totals(none), `0090${text('000000000000000'.repeat(6))}`],
  [
    'the most that is narrow',
    totals({ count: 999, minor: 999_999_999_999n }, { count: 999, minor: 1n }),
    `0090${text('999999999999999' + '999000000000001' + '0'.repeat(60))}`,
  ],
  [
    'one refund more, and all counts are wide',
    totals({ count: 1, minor: 2n }, { count: 1000, minor: 1n }),
    `0108${text('000001000000000002' + '001000000000000001' + '0'.repeat(72))}`,
  ],
  [
    'the most that is wide',
    totals({ count: 999_999, minor: 2n }),
    `0108${text('999999000000000002' + '0'.repeat(90))}`,
  ],
] as const) {
  test(`field 63: ${what}`, deadline, async (t) => {
    const { host, acquirer } = await bench(t);
    const settlement = acquirer.settle({ ...settlementOrder, totals: sum });
    const side = await host.accepted();
    const frame = await side.readFrame();
    assert.ok(frame.endsWith(`${text('392')}0006${text('000007')}${field63}`));
    side.end();
    assert.deepEqual(await settlement, { kind: 'unanswered' });
  });
}

test('totals and numbers that have no place in the message are thrown, and nothing is dialled', deadline, async (t) => {
  const { acquirer, host } = await bench(t);
  for (const sum of [
    totals({ count: 1_000_000, minor: 1n }),
    totals({ count: 1, minor: 1_000_000_000_000n }),
    totals({ count: 1, minor: -1n }),
    totals({ count: -1, minor: 1n }),
    totals({ count: 1.5, minor: 1n }),
    totals(none, { count: Number.NaN, minor: 1n }),
  ]) {
    await assert.rejects(acquirer.settle({ ...settlementOrder, totals: sum }), RangeError);
  }
  await assert.rejects(acquirer.settle({ ...settlementOrder, batch: 1_000_000 }), RangeError);
  const unknownOriginal = { ...original, trace: { stan: 1_000_000, invoice: 45, batch: 7 } };
  await assert.rejects(acquirer.upload({ ...uploadOrders.sale, original: unknownOriginal }, false), RangeError);
  assert.equal(acquirer.link, 'idle');
  assert.equal(host.connections, 0);
});

for (const [what, answer, expected] of [
  ['00', uploadAnswer(), { kind: 'accepted' }],
  ['94', uploadAnswer({ responseCode: '94' }), { kind: 'rejected', responseCode: '94' }],
  ['08', uploadAnswer({ responseCode: '08' }), { kind: 'rejected', responseCode: '08' }],
  ['30', uploadAnswer({ responseCode: '30' }), { kind: 'rejected', responseCode: '30' }],
  ['96', uploadAnswer({ responseCode: '96' }), { kind: 'refused', responseCode: '96' }],
  ['nothing', framed('0330', '2020010000800000', '000001', '000132', '0003', text('12345678')), { kind: 'unanswered' }],
  [
    'another amount',
    framed('0330', '3020010002800000', '000001', '000000003001', '000132', '0003', text('00'), text('12345678')),
    { kind: 'unanswered' },
  ],
] as const) {
  test(`an upload answered ${what} is ${expected.kind}`, deadline, async (t) => {
    const { host, acquirer, late } = await bench(t);
    const upload = acquirer.upload(uploadOrders.sale, false);
    const side = await host.accepted();
    await side.readFrame();
    // The last of a batch has another processing code, so its answer is another's.
    await side.write(uploadAnswer({ processingCode: '000000' }), answer);
    assert.deepEqual(await upload, expected);
    assert.equal(late.length, 1);
  });
}

test('the ninth message in flight is not sent, whatever its type', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const uploads = Array.from({ length: 8 }, (_, i) => acquirer.upload({ ...uploadOrders.sale, stan: i + 1 }, false));
  assert.deepEqual(await acquirer.settle(settlementOrder), { kind: 'notSent' });
  assert.deepEqual(await acquirer.request(saleOrder), { kind: 'notSent', reason: 'host-down' });
  const side = await host.accepted();
  side.end();
  for (const upload of uploads) assert.deepEqual(await upload, { kind: 'unanswered' });
});

test('what it tells of its limits is what field 63 holds, and no more', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const { count, minor } = acquirer.batchMax;
  const side = { count, minor };
  const { totals } = settlementOrder;
  const settlement = acquirer.settle({ ...settlementOrder, totals: { ...totals, sales: side, refunds: side } });
  const connection = await host.accepted();
  await connection.readFrame();
  await connection.write(settlementAnswer({ responseCode: '00' }));
  assert.deepEqual(await settlement, { kind: 'balanced' });
  for (const over of [
    { ...side, count: count + 1 },
    { ...side, minor: minor + 1n },
  ]) {
    await assert.rejects(acquirer.settle({ ...settlementOrder, totals: { ...totals, sales: over } }), RangeError);
  }
});
