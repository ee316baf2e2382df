import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { LateAnswer } from '../../../src/payment/contracts/late-answer.ts';
import { builtInDialects } from '../../../src/hosts/iso8583/dialect.ts';
import { completionOrder, settlementOrder, trailerOrder } from './orders.ts';
import {
  type AnswerBytes,
  answerFrame,
  bench,
  framed,
  replyTimeoutMs,
  reversalOrder,
  saleOrder,
  settlementAnswer,
  text,
} from './terminal.ts';

const deadline = { timeout: 10_000 };

/** What the terminal hears where this comes after its sale was given up. */
async function late(
  t: TestContext,
  answer: AnswerBytes | string,
  config: Parameters<typeof bench>[1] = {},
): Promise<LateAnswer> {
  const { host, clock, acquirer, nextLate } = await bench(t, config);
  const silent = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  clock.pass(replyTimeoutMs);
  await silent;
  const lateAnswer = nextLate();
  await side.write(typeof answer === 'string' ? answer : answerFrame(answer));
  return lateAnswer;
}

test(
  'a late approval is one of the request that its reversal would take back, of whatever amount',
  deadline,
  async (t) => {
    for (const answer of [{}, { responseCode: '11' }, { responseCode: '10', amount: '000000001000' }]) {
      const lateAnswer = await late(t, answer);
      assert.deepEqual(
        [lateAnswer.isOurs, lateAnswer.isApproval, lateAnswer.approves(reversalOrder)],
        [true, true, true],
      );
      assert.equal(lateAnswer.reversalOutcome(reversalOrder).kind, 'unanswered');
      assert.equal(lateAnswer.adviceOutcome(completionOrder).kind, 'unanswered');
    }
  },
);

test('nothing else is', deadline, async (t) => {
  const others: AnswerBytes[] = [
    { responseCode: '05' },
    { responseCode: '94' },
    { stan: '000124' },
    { nii: '004' },
    { processingCode: '200000' },
    { mti: '0110' },
    { mti: '0410' },
    { tid: '87654321' },
  ];
  for (const answer of others)
    assert.equal((await late(t, answer)).approves(reversalOrder), false, JSON.stringify(answer));
  assert.equal((await late(t, { tid: '87654321' })).isOurs, false);
});

test('a late answer to a reversal, and to an advice', deadline, async (t) => {
  const reversed = await late(t, { mti: '0410', approvalCode: '' });
  assert.deepEqual(reversed.reversalOutcome(reversalOrder), { kind: 'acknowledged', responseCode: '00' });
  assert.equal((await late(t, { mti: '0410', responseCode: '25' })).reversalOutcome(reversalOrder).kind, 'noRecord');
  const advice = { mti: '0230', amount: '000000003450', stan: '000127', approvalCode: '' };
  assert.equal((await late(t, advice)).adviceOutcome(completionOrder).kind, 'acknowledged');
  assert.equal((await late(t, { ...advice, responseCode: '05' })).adviceOutcome(completionOrder).kind, 'rejected');
  // Which of the tries it answers it does not say.
  assert.equal((await late(t, { ...advice, responseCode: '94' })).adviceOutcome(completionOrder).kind, 'refused');
  assert.partialDeepStrictEqual((await late(t, { ...advice, amount: '000000003000' })).adviceOutcome(completionOrder), {
    kind: 'contradicted',
    accepts: true,
    otherAmount: { answered: { amountMinor: '3000', currency: 'HKD' } },
  });
});

test('it says whether its reversal is answered behind it', deadline, async (t) => {
  const { host, clock, acquirer, late: heard, nextLate } = await bench(t);
  const silent = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  clock.pass(replyTimeoutMs);
  await silent;
  const reversal = acquirer.reverse(reversalOrder, false);
  await side.readFrame();
  await side.write(answerFrame() + answerFrame({ mti: '0410', approvalCode: '' }));
  assert.equal((await reversal).kind, 'acknowledged');
  assert.deepEqual(
    heard.map(({ reversing }) => reversing),
    [true],
  );
  const again = nextLate();
  await side.write(answerFrame());
  assert.equal((await again).reversing, false);
});

test('a late answer to a settlement is one of what was asked under its number', deadline, async (t) => {
  const lateAnswer = await late(t, settlementAnswer());
  assert.equal(lateAnswer.settlementOutcome(settlementOrder).kind, 'balanced');
  assert.equal(lateAnswer.settlementOutcome({ ...settlementOrder, stan: 131 }).kind, 'unanswered');
  assert.equal(lateAnswer.settlementOutcome({ ...settlementOrder, trailer: true }).kind, 'unanswered');
  assert.equal(
    (await late(t, settlementAnswer({ responseCode: '95' }))).settlementOutcome(settlementOrder).kind,
    'mismatch',
  );
  const trailer = await late(t, settlementAnswer({ processingCode: '960000', stan: '000140' }));
  assert.equal(trailer.settlementOutcome(trailerOrder).kind, 'balanced');
  assert.equal((await late(t, {})).settlementOutcome(settlementOrder).kind, 'unanswered');
  // 3 11 24 39 41 49 60
  const other = (currency: string, batch: string) =>
    framed(
      '0510',
      '2020010002808010',
      '920000',
      '000130',
      '0003',
      text('00'),
      text('12345678'),
      text(currency),
      '0006',
      text(batch),
    );
  const batch = String(settlementOrder.batch).padStart(6, '0');
  assert.equal((await late(t, other('344', batch))).settlementOutcome(settlementOrder).kind, 'balanced');
  assert.equal((await late(t, other('840', batch))).settlementOutcome(settlementOrder).kind, 'unanswered');
  assert.equal((await late(t, other('344', '999999'))).settlementOutcome(settlementOrder).kind, 'unanswered');
  const { EDC } = builtInDialects;
  const settlement = { ...EDC.messages.settlement, nextBatch: 60 };
  const dialect = { ...EDC, messages: { ...EDC.messages, settlement } };
  const next = await late(t, other('344', '999999'), { dialect });
  assert.equal(next.settlementOutcome(settlementOrder).kind, 'balanced', 'the number of the next batch');
});
