import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { HostMode } from '../../../hw-sim/host/iso8583/host.ts';
import { findings, postings, started, type Started } from './started.ts';
import { echoMessage, frame, responseCode } from './terminal.ts';

const deadline = { timeout: 30_000 };

/** How often each posting was settled. */
const timesSettled = ({ host }: Started) =>
  host.ledger().map(({ settled, timesSettled: times = settled ? 1 : 0 }) => times);

/** A batch of 30.00 that is settled in a host that is then in this mode. */
async function settled(t: TestContext, mode: Partial<HostMode>): Promise<Started> {
  const stage = await started(t);
  await stage.till.sale(3000);
  assert.equal(await stage.till.settle(1, { sales: [1, 3000] }), '00');
  await stage.host.setMode({ mode: 'up', ...mode });
  return stage;
}

describe('settled again', deadline, () => {
  for (const mode of [{}, { settled: 'countedTwice' }, { settled: 'refused' }] as const) {
    it(`under the same totals it is acknowledged: ${mode.settled ?? 'as usual'}`, async (t) => {
      const stage = await settled(t, mode);
      assert.equal(await stage.till.settle(1, { sales: [1, 3000] }), '00');
      assert.deepEqual([timesSettled(stage), stage.host.settlements().length], [[1], 1]);
    });
  }

  it('countedTwice, settledRepeats: the same 0500 settles the batch once more', async (t) => {
    const stage = await settled(t, { settled: 'countedTwice', settledRepeats: true });
    assert.equal(await stage.till.settle(1, { sales: [1, 3000] }, false, { repeat: true }), '00');
    assert.deepEqual(timesSettled(stage), [2]);
    assert.deepEqual(
      stage.host.settlements().map(({ batch, result, host }) => [batch, result, host.sales.amount]),
      [
        [1, 'BALANCED', '30.00'],
        [1, 'BALANCED', '30.00'],
      ],
    );
  });

  it('countedTwice: what is uploaded with what came since is settled once more', async (t) => {
    const stage = await started(t, { mode: 'up', settled: 'countedTwice' });
    const { till, host } = stage;
    const first = await till.sale(3000);
    assert.equal(await till.settle(1, { sales: [1, 3000] }), '00');
    const second = await till.sale(500);
    assert.equal(await till.settle(1, { sales: [2, 3500] }), '95');
    assert.equal(await till.uploaded(first), '00');
    assert.equal(await till.uploaded(second, { more: false }), '00');
    assert.equal(await till.settle(1, { sales: [2, 3500] }, true), '00');
    assert.deepEqual(timesSettled(stage), [2, 1]);
    assert.equal(host.ledger()[0]?.timesSettled, 2);
    assert.equal(await till.settle(1, { sales: [2, 3500] }, true), '00');
    assert.deepEqual(timesSettled(stage), [2, 1], 'the trailer once more');
  });

  for (const [code, mode] of [
    ['12', { settled: 'refused' }],
    ['77', { settled: 'refused', settledCode: '77' }],
  ] as const) {
    it(`refused: ${code}, whatever its totals, and so is the upload of it`, async (t) => {
      const stage = await started(t, { mode: 'up', ...mode });
      const { till } = stage;
      const first = await till.sale(3000);
      assert.equal(await till.settle(1, { sales: [1, 3000] }), '00');
      await stage.host.setMode({ mode: 'up', ...mode, settledRepeats: true });
      assert.equal(await till.settle(1, { sales: [1, 3000] }), code);
      const second = await till.sale(500);
      assert.equal(await till.settle(1, { sales: [2, 3500] }), code);
      assert.equal(await till.settle(2, { sales: [2, 3500] }), '95');
      assert.equal(await till.uploaded(first), code);
      assert.equal(await till.uploaded(second, { more: false }), '00');
      assert.equal(await till.settle(2, { sales: [1, 500] }, true), '00');
      assert.deepEqual(timesSettled(stage), [1, 1]);
      assert.deepEqual(findings(stage.host), []);
    });
  }

  it('is of one currency: the same number of another one is open', async (t) => {
    const { till } = await settled(t, { settled: 'refused', settledRepeats: true });
    assert.equal(await till.settle(1, {}, false, { currency: '840' }), '00');
    assert.equal(await till.settle(1, {}, false, { currency: '840' }), '12');
  });
});

describe('duplicates 94', deadline, () => {
  it('a trace number that was ever used: reversed and settled ones too', async (t) => {
    const { host, till } = await started(t, { mode: 'up', duplicates: '94' });
    const reversed = await till.sale(3000, { stan: '000101' });
    assert.equal(await till.reverse(reversed), '00');
    await till.sale(700, { stan: '000102' });
    assert.equal(await till.settle(1, { sales: [1, 700] }), '00');
    for (const stan of ['000101', '000102']) assert.equal((await till.sale(900, { stan })).code, '94');
    assert.deepEqual(postings(host), ['SALE 30.00 REVERSED', 'SALE 7.00 POSTED']);
    await host.setMode({ mode: 'up' });
    for (const stan of ['000101', '000102']) assert.equal((await till.sale(900, { stan })).code, '00');
  });

  it('an advice that is posted, each time that it comes again', async (t) => {
    const { host, terminal, till } = await started(t, { mode: 'up', duplicates: '94' });
    const { message } = till.offline(700);
    const codes = [];
    for (let i = 0; i < 3; i++) codes.push(responseCode(await terminal.ask(i === 0 ? message : repeat(message))));
    assert.deepEqual(codes, ['00', '94', '94']);
    assert.deepEqual(postings(host), ['OFFLINE_SALE 7.00 POSTED']);
    assert.equal(host.ledger()[0]?.requests, 3);
  });

  it('a reversal that comes again is none', async (t) => {
    const { till } = await started(t, { mode: 'up', duplicates: '94' });
    const sale = await till.sale(3000);
    for (const again of [false, true]) assert.equal(await till.reverse(sale, { repeat: again }), '00');
  });
});

const repeat = (message: string) => `0221${message.slice(4)}`;

describe('advices', deadline, () => {
  for (const code of ['08', '10', '11', '16'] as const) {
    it(`approved with ${code} are posted, and so answered each time`, async (t) => {
      const { host, terminal, till } = await started(t, { mode: 'up', approveAdvices: code });
      const { message } = till.offline(700);
      assert.equal(responseCode(await terminal.ask(message)), code);
      assert.equal(responseCode(await terminal.ask(repeat(message))), code);
      assert.deepEqual(postings(host), ['OFFLINE_SALE 7.00 POSTED']);
    });
  }

  it('rejected are not posted; a request is', async (t) => {
    const { host, till } = await started(t, { mode: 'up', rejectAdvices: '57' });
    const sale = await till.sale(3000);
    assert.equal((await till.offlineSale(700)).code, '57');
    assert.equal((await till.adjust(sale, 3300, 300)).code, '57');
    assert.deepEqual(postings(host), ['SALE 30.00 POSTED']);
    assert.deepEqual(
      host.declined().map(({ kind, responseCode: code }) => `${kind} ${code}`),
      ['OFFLINE_SALE 57', 'TIP_ADJUST 57'],
    );
  });
});

describe('overtaken, lateAnswer', deadline, () => {
  it('no record, and then the approval on the same connection', async (t) => {
    const { host, terminal, till } = await started(t, { mode: 'overtaken', lateAnswer: true });
    const { message, ...asked } = till.presented(3000);
    terminal.write(frame(message));
    assert.equal(await till.reverse(asked), '25');
    const answer = await terminal.next();
    assert.equal(answer.slice(10, 14), '0210');
    assert.equal(answer.slice(48, 54), asked.stan);
    assert.equal(responseCode(answer.slice(0, 14) + answer.slice(14)).length, 2);
    assert.deepEqual(postings(host), ['SALE 30.00 POSTED']);
    assert.equal(await till.reverse(asked, { repeat: true }), '00');
    assert.deepEqual(postings(host), ['SALE 30.00 REVERSED']);
  });

  it('with a delay: every reversal until then finds no record', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { host, terminal, till } = await started(t, { mode: 'overtaken', lateAnswer: true, delayMs: 5000 });
    const { message, ...asked } = till.presented(3000);
    terminal.write(frame(message));
    assert.equal(await till.reverse(asked), '25');
    t.mock.timers.tick(4999);
    assert.equal(await till.reverse(asked, { repeat: true }), '25');
    assert.deepEqual(postings(host), []);
    t.mock.timers.tick(1);
    assert.equal((await terminal.next()).slice(10, 14), '0210');
    assert.deepEqual(postings(host), ['SALE 30.00 POSTED']);
  });

  it('a reset forgets what lingers', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { host, terminal, till } = await started(t, { mode: 'overtaken', lateAnswer: true, delayMs: 5000 });
    const { message, ...asked } = till.presented(3000);
    terminal.write(frame(message));
    assert.equal(await till.reverse(asked), '25');
    await host.reset();
    t.mock.timers.tick(60_000);
    await terminal.ask(echoMessage('000777'));
    assert.deepEqual([postings(host), terminal.unread], [[], 0]);
  });
});

describe('frames and bitmaps that say nothing', deadline, () => {
  it('keepAliveMs: an empty frame on the idle line, and before every answer', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const { host, terminal } = await started(t, { mode: 'up', keepAliveMs: 1000 });
    assert.equal(await terminal.ask(echoMessage('000001')), '', 'the frame before the answer');
    assert.equal((await terminal.next()).slice(10, 14), '0810');
    for (let i = 0; i < 3; i++) {
      t.mock.timers.tick(1000);
      assert.equal(await terminal.next(), '');
    }
    await host.setMode({ mode: 'up' });
    t.mock.timers.tick(10_000);
    assert.equal((await terminal.ask(echoMessage('000002'))).slice(10, 14), '0810');
    assert.equal(terminal.unread, 0);
  });

  it('secondBitmap: bit 1, and eight bytes without a bit', async (t) => {
    const { host, terminal } = await started(t);
    const plain = await terminal.ask(echoMessage('000001'));
    await host.setMode({ mode: 'up', secondBitmap: true });
    const answer = await terminal.ask(echoMessage('000001'));
    const first = (Number.parseInt(plain.slice(14, 15), 16) | 8).toString(16).toUpperCase();
    assert.equal(answer, `${plain.slice(0, 14)}${first}${plain.slice(15, 30)}0000000000000000${plain.slice(30)}`);
  });
});

describe('extraFields', deadline, () => {
  const answered = async ({ host, terminal }: Started, extraFields: Record<string, string | null>) => {
    await host.setMode({ mode: 'up', extraFields });
    const answer = await terminal.ask(echoMessage('000001'));
    return answer.slice(10);
  };

  it('fields are added in their order, with their lengths; above 64 behind a second bitmap', async (t) => {
    const stage = await started(t);
    const plain = await answered(stage, {});
    const [mti, bitmap, rest] = [plain.slice(0, 4), BigInt(`0x${plain.slice(4, 20)}`), plain.slice(20)];
    const added = await answered(stage, { 64: '0102030405060708', 63: '00ff0d0a', 44: '' });
    const bits = bitmap | (1n << 20n) | (1n << 1n) | 1n;
    // Field 44 comes behind field 41, the last of the plain answer.
    assert.equal(added, `${mti}${hex16(bits)}${rest}00000400FF0D0A0102030405060708`);
    const wide = await answered(stage, { 100: '1234', 128: '0102030405060708' });
    const second = hex16((1n << 28n) | 1n);
    assert.equal(wide, `${mti}${hex16(bitmap | (1n << 63n))}${second}${rest}0412340102030405060708`);
  });

  it('a field can be replaced, and left out', async (t) => {
    const stage = await started(t);
    const plain = await answered(stage, {});
    const changed = await answered(stage, { 39: '3936', 41: null });
    assert.equal(changed.slice(20), plain.slice(20, -20) + '3936');
    assert.equal(BigInt(`0x${plain.slice(4, 20)}`) ^ BigInt(`0x${changed.slice(4, 20)}`), 1n << 23n);
  });
});

const hex16 = (bits: bigint) => bits.toString(16).toUpperCase().padStart(16, '0');

it('a mode that can’t be is refused', deadline, async (t) => {
  const { host } = await started(t);
  const wrong: Partial<HostMode>[] = [
    { lateAnswer: true },
    { settledCode: '77' },
    { settledRepeats: true },
    { settled: 'refused', settledCode: '00' },
    { rejectAdvices: '08' },
    { keepAliveMs: 0 },
    { extraFields: { 1: '00' } },
    { extraFields: { 65: '00' } },
    { extraFields: { 43: '00' } },
    { extraFields: { 44: '00'.repeat(100) } },
    { extraFields: Object.fromEntries([60, 61, 62, 63].map((field) => [field, '00'.repeat(999)])) },
  ];
  for (const fields of wrong) await assert.rejects(host.setMode({ mode: 'up', ...fields }), RangeError);
});
