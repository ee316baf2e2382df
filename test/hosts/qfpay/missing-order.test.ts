import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { qfpayHost } from '../../../src/hosts/qfpay/host.ts';
import { type Search, search } from '../../../src/hosts/qfpay/months.ts';
import type { WalletFinding, WalletHost, WalletOrder } from '../../../src/payment/contracts/wallet-host.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { approval, deadline, optionsFor, queryLagMs, scannedOrder } from './terminal.ts';

const row = { ...approval, cancel: '0' };
const notFound: WalletFinding = { kind: 'notFound' };
const noSuchOrder: WalletFinding = { kind: 'noSuchOrder' };

/** A host that tells its time, and shows the order in one month alone. */
class MonthlyHost {
  /** The months that it was asked for since the last time that somebody looked. */
  asked: string[] = [];
  /** Of its own time, noon UTC; none: it does not tell it. */
  day: string | undefined;
  holds: string | undefined;
  /** To everything but an enquiry. */
  answer: object = { respcd: '1298' };
  /** In place of an empty list. */
  nothing: object = { respcd: '0000', data: [] };

  answered(call: string, parameters: URLSearchParams): object {
    if (!call.endsWith('/query')) return this.answer;
    const [start, end] = [parameters.get('start_time'), parameters.get('end_time')];
    const isMonth = start !== null && end !== null && start < end && start.slice(0, 7) === end.slice(0, 7);
    assert.ok(isMonth || (start === null && end === null), `${start} to ${end} is within one month`);
    const month = start?.slice(0, 7) ?? 'current';
    this.asked.push(month);
    return month === this.holds ? { respcd: '0000', data: [row] } : this.nothing;
  }
}

interface Parts {
  readonly host: MonthlyHost;
  readonly clock: ManualClock;
  readonly acquirer: WalletHost;
}

/** A terminal that started now, its clock at this day. */
async function started(t: TestContext, ours: string, theirs: string | undefined = ours): Promise<Parts> {
  const host = new MonthlyHost();
  host.day = theirs;
  const server = createServer((request, response) => {
    void (async () => {
      const answer = host.answered(request.url ?? '', new URLSearchParams(await text(request)));
      response.sendDate = false;
      if (host.day !== undefined) response.setHeader('Date', noon(host.day).toUTCString());
      response.end(JSON.stringify(answer));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const clock = new ManualClock();
  clock.jump(noon(ours).getTime() - clock.now().getTime());
  const acquirer = qfpayHost(optionsFor((server.address() as AddressInfo).port), { clock });
  t.after(() => acquirer.stop());
  return { host, clock, acquirer };
}

/** And long enough ago. */
async function quiet(t: TestContext, ours: string, theirs?: string): Promise<Parts> {
  const parts = await started(t, ours, theirs);
  parts.clock.pass(queryLagMs);
  return parts;
}

async function enquired({ host, acquirer }: Parts, order: WalletOrder) {
  host.asked = [];
  const finding = await acquirer.enquire(order);
  return { finding, asked: host.asked };
}

const noon = (day: string) => new Date(`${day}T04:00:00Z`);
const sent = (day: string) => ({ ...scannedOrder, at: noon(day) });

test('an order that is shown nowhere', deadline, async (t) => {
  const parts = await quiet(t, '2026-01-15');
  const { finding, asked } = await enquired(parts, sent('2026-01-15'));
  assert.deepEqual(finding, noSuchOrder);
  assert.deepEqual(asked, ['current', '2025-12']);
});

test('from a host that never told its time an empty answer proves nothing', deadline, async (t) => {
  for (const nothing of [{ respcd: '0000', data: [] }, { respcd: '1268' }, { respcd: '1136' }]) {
    const parts = await quiet(t, '2026-01-15', undefined);
    parts.host.day = undefined;
    parts.host.nothing = nothing;
    assert.deepEqual((await enquired(parts, sent('2026-01-15'))).finding, notFound);
    parts.host.day = '2026-01-15';
    assert.deepEqual((await enquired(parts, sent('2026-01-15'))).finding, noSuchOrder);
  }
});

test('the host’s query may lag behind its books: an empty answer proves nothing before that', deadline, async (t) => {
  const parts = await quiet(t, '2026-01-15');
  const order = sent('2026-01-15');
  assert.equal((await parts.acquirer.pay(order)).kind, 'unknown');
  parts.clock.pass(queryLagMs - 1);
  assert.deepEqual((await enquired(parts, order)).finding, notFound);
  parts.host.answer = { respcd: '1268' };
  assert.deepEqual(await parts.acquirer.close(order), { kind: 'unanswered', request: 'arrived' });
  parts.clock.pass(1);
  const { finding, asked } = await enquired(parts, order);
  assert.deepEqual(finding, noSuchOrder);
  assert.deepEqual(asked, ['current'], 'it left a minute ago, whatever any clock says');
  assert.deepEqual(await parts.acquirer.close(order), { kind: 'noSuchOrder', responseCode: '1268' });
});

test('nor for as long after a start', deadline, async (t) => {
  const parts = await started(t, '2026-01-15');
  parts.clock.pass(queryLagMs - 1);
  assert.deepEqual((await enquired(parts, sent('2026-01-15'))).finding, notFound);
  parts.clock.pass(1);
  assert.deepEqual((await enquired(parts, sent('2026-01-15'))).finding, noSuchOrder);
});

test('a clock of 2020 finds what was paid in 2026, and takes nothing for missing', deadline, async (t) => {
  // Sent before the power cut, by a clock that was right.
  const parts = await quiet(t, '2020-01-01', '2026-07-15');
  parts.host.holds = 'current';
  assert.equal((await enquired(parts, sent('2026-07-15'))).finding.kind, 'approved');
  parts.host.holds = '2026-06';
  assert.equal((await enquired(parts, sent('2026-06-30'))).finding.kind, 'approved');
  parts.host.holds = undefined;
  assert.deepEqual((await enquired(parts, sent('2026-07-15'))).finding, noSuchOrder);
});

test('an order of a clock that was wrong is nowhere to be sure of', deadline, async (t) => {
  for (const wrong of ['2020-01-01', '2040-05-05']) {
    const parts = await quiet(t, '2026-07-15');
    const { finding, asked } = await enquired(parts, sent(wrong));
    assert.deepEqual(finding, notFound, wrong);
    assert.ok(asked.includes('current') && asked.includes('2026-06') && asked.length < 8, asked.join());
  }
});

test('one that left in this process is, whatever the clock said', deadline, async (t) => {
  for (const wrong of ['2020-01-01', '2040-05-05']) {
    const parts = await quiet(t, wrong, '2026-06-30');
    const order = sent(wrong);
    await parts.acquirer.present(order);
    parts.clock.pass(queryLagMs);
    parts.host.day = '2026-07-01';
    assert.deepEqual((await enquired(parts, order)).finding, noSuchOrder);
  }
});

test('the host’s time from a payment, where no answer has a date', deadline, async (t) => {
  const parts = await quiet(t, '2020-01-01', '2026-01-15');
  parts.host.day = undefined;
  parts.host.answer = approval;
  assert.equal((await parts.acquirer.pay(sent('2026-01-15'))).kind, 'approved');
  const { finding } = await enquired(parts, { ...sent('2026-01-15'), tradeNo: 'another' });
  assert.deepEqual(finding, noSuchOrder);
});

test(
  'after a restart, from a host that tells no date: the time that it told before is kept with the order',
  deadline,
  async (t) => {
    const before = await quiet(t, '2026-01-31', '2026-01-31');
    before.host.day = undefined;
    assert.equal(before.acquirer.hostTime, undefined);
    before.host.answer = { ...approval, sysdtm: '2026-01-31 23:50:00' };
    assert.equal((await before.acquirer.pay(sent('2026-01-31'))).kind, 'approved');
    const hostAt = before.acquirer.hostTime ?? assert.fail('it has told its time');
    assert.equal(hostAt, '2026-01-31 23:50:00');
    for (const clock of ['2026-02-01', '2020-01-01', '2040-05-05']) {
      const after = await quiet(t, clock, '2026-02-01');
      after.host.day = undefined;
      after.host.nothing = { respcd: '1136' };
      const order = { ...sent(clock), tradeNo: 'another', hostAt };
      const { finding, asked: months } = await enquired(after, order);
      assert.deepEqual(finding, noSuchOrder, clock);
      assert.ok(months.includes('2026-01') && months.includes('2026-02'), months.join());
      assert.deepEqual((await enquired(after, { ...sent(clock), tradeNo: 'another' })).finding, notFound);
    }
  },
);

const day = (date: string) => Date.parse(`${date}T12:00:00Z`);
const asked = ({ spans }: Search) => spans.map(({ start, end }) => `${start.slice(0, 10)}..${end.slice(8, 10)}`);

test('where an order is looked for beside the current month', () => {
  const times = { hostNowMs: day('2026-03-15'), agoMs: undefined, sentMs: day('2026-03-14') };
  assert.deepEqual(asked(search(times)), ['2026-02-01..28']);
  const edge = { ...times, hostNowMs: day('2024-03-31'), sentMs: day('2024-03-31') };
  assert.deepEqual(asked(search(edge)), ['2024-02-01..29', '2024-03-01..31', '2024-04-01..30']);
  assert.deepEqual(asked(search({ ...times, sentMs: day('2026-01-02') })), [
    '2025-12-01..31',
    '2026-01-01..31',
    '2026-02-01..28',
  ]);
  const unknown = asked(search({ ...times, hostNowMs: undefined }));
  assert.deepEqual(unknown, ['2026-03-01..31'], 'the host’s month may have turned');
  assert.equal(search({ ...times, hostNowMs: undefined }).isWhole, false);
  const recent = { ...times, agoMs: 60_000, sentMs: day('2020-01-15') };
  assert.deepEqual(
    asked(search(recent)),
    ['2020-01-01..31'],
    'a host that goes by the terminal’s own time shows it there',
  );
  assert.equal(search(recent).isWhole, true);
});
