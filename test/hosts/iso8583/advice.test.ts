import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Iso8583Config } from '../../../src/hosts/iso8583/host.ts';
import type { AdviceOrder, AdviceOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import { completionOrder, offlineSaleOrder, tipAdjustOrder } from './orders.ts';
import { type AnswerBytes, answerFrame, bench, framed, original, replyTimeoutMs, text, summaryOf } from './terminal.ts';

const deadline = { timeout: 10_000 };
const unanswered: AdviceOutcome = { kind: 'unanswered' };

const completionAnswer = (answer: AnswerBytes = {}) =>
  answerFrame({ mti: '0230', amount: '000000003450', stan: '000127', approvalCode: '', ...answer });

async function advised(
  t: TestContext,
  order: AdviceOrder,
  answer: string,
  config: Partial<Iso8583Config> = {},
  repeat = false,
): Promise<{ request: string; outcome: AdviceOutcome }> {
  const { host, clock, acquirer } = await bench(t, config);
  const outcome = acquirer.advise(order, repeat);
  const side = await host.accepted();
  const request = await side.readFrame();
  await side.write(answer);
  const settled = { request, outcome: await outcome };
  assert.equal(clock.pending, 0, 'no timer is left behind');
  return settled;
}

test('an advice is posted with how the host names it', deadline, async (t) => {
  const { outcome } = await advised(t, completionOrder, completionAnswer());
  assert.deepEqual(outcome, {
    kind: 'acknowledged',
    responseCode: '00',
    rrn: '623710000123',
    hostTime: '101530',
    hostDate: '0825',
  });
});

test('what the host leaves out is empty', deadline, async (t) => {
  // 3 11 24 39 41
  const answer = framed('0230', '2020010002800000', '000000', '000127', '0003', text('00'), text('12345678'));
  const { outcome } = await advised(t, completionOrder, answer);
  assert.deepEqual(outcome, { kind: 'acknowledged', responseCode: '00', rrn: '', hostTime: '', hostDate: '' });
});

for (const responseCode of ['30', '68', '91', '94', '96']) {
  test(`an advice answered ${responseCode} comes again`, deadline, async (t) => {
    const { outcome } = await advised(t, completionOrder, completionAnswer({ responseCode }));
    const reason = responseCode === '94' ? 'duplicate' : 'hostTrouble';
    assert.deepEqual(outcome, { kind: 'refused', reason, responseCode });
  });
}

for (const responseCode of ['00', '08', '10', '11', '16']) {
  test(`an advice answered ${responseCode}, as a request that is approved, is posted`, deadline, async (t) => {
    const { outcome } = await advised(t, completionOrder, completionAnswer({ responseCode }));
    assert.deepEqual([outcome.kind, 'responseCode' in outcome && outcome.responseCode], ['acknowledged', responseCode]);
  });
}

const sent = { amountMinor: '3450', currency: 'HKD' };
const reported = { rrn: '623710000123', hostTime: '101530', hostDate: '0825' };

for (const [responseCode, accepts] of [
  ['00', true],
  ['10', true],
  ['94', true],
  ['05', false],
] as const) {
  test(`${responseCode} for another amount is an answer, which contradicts the advice`, deadline, async (t) => {
    for (const repeat of [false, true]) {
      const answer = completionAnswer({ responseCode, amount: '000000003000' });
      const { outcome } = await advised(t, completionOrder, answer, {}, repeat);
      const otherAmount = { sent, answered: { amountMinor: '3000', currency: 'HKD' } };
      assert.deepEqual(outcome, { kind: 'contradicted', accepts, otherAmount, responseCode, ...reported });
    }
  });
}

test('"try again later" for another amount is no word on the advice', deadline, async (t) => {
  const { outcome } = await advised(
    t,
    completionOrder,
    completionAnswer({ responseCode: '96', amount: '000000000000' }),
  );
  assert.deepEqual(outcome, { kind: 'refused', reason: 'hostTrouble', responseCode: '96' });
});

for (const [currency, code] of [
  ['840', 'USD'],
  ['USD', 'USD'],
  ['999', '999'],
] as const) {
  test(`an answer in another currency (${currency}) contradicts it too`, deadline, async (t) => {
    // Fields 3, 11, 24, 39, 41 and 49.
    const bytes = ['000000', '000127', '0003', text('00'), text('12345678'), text(currency)] as const;
    const { outcome } = await advised(t, completionOrder, framed('0230', '2020010002808000', ...bytes));
    const otherAmount = { sent, answered: { amountMinor: '3450', currency: code } };
    assert.partialDeepStrictEqual(outcome, { kind: 'contradicted', accepts: true, otherAmount });
  });
}

test('94 to a repeated advice: the host has it', deadline, async (t) => {
  const answer = completionAnswer({ responseCode: '94' });
  const { request, outcome } = await advised(t, completionOrder, answer, {}, true);
  assert.ok(request.startsWith('6000030000' + '0221', 4));
  assert.partialDeepStrictEqual(outcome, { kind: 'acknowledged', reason: 'duplicate', rrn: '623710000123' });
});

for (const [responseCode, reason] of [
  ['05', 'doNotHonour'],
  ['25', 'declined'],
  ['N7', 'declined'],
] as const) {
  test(`an advice answered ${responseCode} is through, and not posted`, deadline, async (t) => {
    const { outcome } = await advised(t, completionOrder, completionAnswer({ responseCode }));
    assert.deepEqual(outcome, { kind: 'rejected', reason, responseCode });
  });
}

test('an answer without a code is none', deadline, async (t) => {
  for (const answer of [
    completionAnswer({ amount: '000000003000', responseCode: '  ' }),
    completionAnswer({ responseCode: '  ' }),
    framed('0230', '2020010000808000', '000000', '000127', '0003', text('12345678'), text('840')),
  ]) {
    assert.deepEqual((await advised(t, completionOrder, answer)).outcome, unanswered);
  }
});

test('an advice is not answered by another kind of message', deadline, async (t) => {
  const answers = completionAnswer({ mti: '0210' }) + completionAnswer({ responseCode: '05' });
  assert.equal((await advised(t, completionOrder, answers)).outcome.kind, 'rejected');
  // A tip adjust and a completion differ in field 3.
  const tipAdjust = { amount: '000000003500', stan: '000128' };
  const other =
    completionAnswer(tipAdjust) + completionAnswer({ ...tipAdjust, processingCode: '020000', responseCode: '05' });
  assert.equal((await advised(t, tipAdjustOrder, other)).outcome.kind, 'rejected');
});

test(
  'silence and a lost connection leave an advice unanswered; to a host that is down nothing is sent',
  deadline,
  async (t) => {
    const { host, clock, acquirer } = await bench(t);
    const silent = acquirer.advise(completionOrder, false);
    const side = await host.accepted();
    await side.readFrame();
    clock.pass(replyTimeoutMs);
    assert.deepEqual(await silent, unanswered);
    const lost = acquirer.advise(completionOrder, true);
    await side.readFrame();
    side.end();
    assert.deepEqual(await lost, unanswered);
    await host.close();
    assert.deepEqual(await acquirer.advise(completionOrder, true), { kind: 'notSent' });
    assert.equal(clock.pending, 0);
  },
);

test('the late answer to an advice serves its repeat; the second answer is late', deadline, async (t) => {
  const { host, clock, acquirer, nextLate } = await bench(t);
  const first = acquirer.advise(completionOrder, false);
  const side = await host.accepted();
  await side.readFrame();
  clock.pass(replyTimeoutMs);
  await first;
  const repeat = acquirer.advise(completionOrder, true);
  await side.readFrame();
  await side.write(completionAnswer());
  assert.equal((await repeat).kind, 'acknowledged');
  const second = nextLate();
  await side.write(completionAnswer());
  assert.deepEqual(summaryOf(await second), {
    acquirerId: 'EDC',
    mti: '0230',
    stan: '000127',
    rrn: '623710000123',
    responseCode: '00',
    isOurs: true,
    reversing: false,
  });
});

test('a late answer is told without anything from a card', deadline, async (t) => {
  const { host, clock, acquirer, nextLate } = await bench(t);
  const silent = acquirer.advise(completionOrder, false);
  const side = await host.accepted();
  await side.readFrame();
  clock.pass(replyTimeoutMs);
  await silent;
  const late = nextLate();
  // 2 3 11 24 35 39 41 48: a host that answers in the clear
  const pan = '16' + '4761739001010119';
  const track = '34' + '4761739001010119D22122011758928889';
  const fields = ['000000', '000127', '0003', track, text('00'), text('12345678'), '0002ABCD'];
  await side.write(framed('0230', '6020010022810000', pan, ...fields));
  const { stan, rrn, responseCode } = await late;
  assert.deepEqual([stan, rrn, responseCode], ['000127', undefined, '00']);
});

/** Fields 12 and 13 of an offline sale's bytes. */
const timeOf = (frame: string) => frame.slice(58, 68);

for (const [what, at, timeZone, expected] of [
  ['midnight is 00, and the next day', '2026-02-28T16:00:00Z', 'Asia/Hong_Kong', '0000000301'],
  ['a day before in another zone', '2026-03-01T04:59:59Z', 'America/New_York', '2359590228'],
  ['summer time', '2026-07-01T11:05:09Z', 'America/New_York', '0705090701'],
] as const) {
  test(`local time of an offline sale: ${what}`, deadline, async (t) => {
    const order = { ...offlineSaleOrder, at: new Date(at) };
    const answer = answerFrame({ mti: '0230', amount: '000000003300', stan: '000126', approvalCode: '' });
    const { request, outcome } = await advised(t, order, answer, { timeZone });
    assert.equal(timeOf(request), expected);
    assert.equal(outcome.kind, 'acknowledged');
  });
}

test("the time zone is the process's unless told otherwise", deadline, async (t) => {
  const answer = answerFrame({ mti: '0230', amount: '000000003300', stan: '000126', approvalCode: '' });
  const zoneBefore = process.env['TZ'];
  t.after(() => {
    if (zoneBefore === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zoneBefore;
  });
  process.env['TZ'] = 'Asia/Kathmandu';
  const { request } = await advised(t, offlineSaleOrder, answer, { timeZone: undefined });
  assert.equal(timeOf(request), '2144590228');
});

test('a tip can be taken away again, and no tip is no field', deadline, async (t) => {
  const order = { ...tipAdjustOrder, tipMinor: 0n, amount: { minor: 3000n, currency: 'HKD' as const } };
  const answer = answerFrame({ mti: '0230', processingCode: '020000', stan: '000128', approvalCode: '' });
  const { request } = await advised(t, order, answer);
  assert.ok(request.includes(`0012${text('000000000000')}0012${text('000000003000')}`));

  const { tipMinor: _, ...tipless } = offlineSaleOrder;
  const offlineAnswer = answerFrame({ mti: '0230', amount: '000000003300', stan: '000126', approvalCode: '' });
  const without = await advised(t, tipless, offlineAnswer);
  assert.equal(without.request.slice(18, 34), '3038078004C18204');
});

test('what can only be a fault of the caller is thrown, and nothing is dialled', deadline, async (t) => {
  const { acquirer, host } = await bench(t);
  const foreign = { ...original, amount: { minor: 3000n, currency: 'JPY' as const } };
  const wrong: readonly AdviceOrder[] = [
    { ...tipAdjustOrder, trace: { ...tipAdjustOrder.trace, invoice: 46 } },
    { ...tipAdjustOrder, tipMinor: -1n },
    { ...tipAdjustOrder, tipMinor: 1_000_000_000_000n },
    { ...completionOrder, original: foreign },
    { ...completionOrder, original: { ...original, amount: { minor: -1n, currency: 'HKD' } } },
    { ...completionOrder, original: { ...original, rrn: '1' } },
    { ...offlineSaleOrder, approvalCode: '' },
    { ...offlineSaleOrder, approvalCode: 'SHORT' },
    { ...offlineSaleOrder, at: new Date(Number.NaN) },
  ];
  for (const order of wrong) await assert.rejects(acquirer.advise(order, false));
  assert.equal(acquirer.link, 'idle');
  assert.equal(host.connections, 0);
});
