import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerFrame, type Bench, bench, replyTimeoutMs, reversalOrder } from './terminal.ts';

const deadline = { timeout: 10_000 };

const expectedReversal = [
  '0067',
  '6000030000',
  '0400',
  '3020078000C18004', // 3 4 11 22 23 24 25 41 42 48 49 62
  '000000',
  '000000003000',
  '000123',
  '0071',
  '0001',
  '0003',
  '00',
  '3132333435363738',
  '313233343536373839303132333435',
  '0033DFEE120AFFFF9876543210E000015AC110D1D2D3D4D5D6D7D8E1E2E3E4E5E6E7E8',
  '333434',
  '0006303030303435',
].join('');

const acknowledgement = (responseCode: string) => answerFrame({ mti: '0410', approvalCode: '', responseCode });

test('a reversal and its repeat, byte for byte; both are answered 0410', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const first = acquirer.reverse(reversalOrder, false);
  const side = await host.accepted();
  assert.equal(await side.readFrame(), expectedReversal);
  await side.write(acknowledgement('00'));
  assert.deepEqual(await first, { kind: 'acknowledged', responseCode: '00' });

  const repeat = acquirer.reverse(reversalOrder, true);
  assert.equal(await side.readFrame(), expectedReversal.replace('0400', '0401'));
  await side.write(acknowledgement('00'));
  assert.deepEqual(await repeat, { kind: 'acknowledged', responseCode: '00' });
});

for (const [responseCode, kind] of [
  ['25', 'noRecord'],
  ['96', 'refused'],
  ['08', 'refused'],
] as const) {
  test(`a reversal answered ${responseCode} is ${kind}`, deadline, async (t) => {
    const { host, acquirer } = await bench(t);
    const outcome = acquirer.reverse(reversalOrder, false);
    const side = await host.accepted();
    await side.readFrame();
    await side.write(acknowledgement(responseCode));
    assert.deepEqual(await outcome, { kind, responseCode });
  });
}

for (const responseCode of ['00', '25', '96']) {
  test(
    `a reversal answered ${responseCode} for another amount proves nothing, and both amounts are told`,
    deadline,
    async (t) => {
      const { host, acquirer } = await bench(t);
      const outcome = acquirer.reverse(reversalOrder, false);
      const side = await host.accepted();
      await side.readFrame();
      await side.write(answerFrame({ mti: '0410', approvalCode: '', responseCode, amount: '000000002000' }));
      assert.deepEqual(await outcome, {
        kind: 'contradicted',
        responseCode,
        otherAmount: {
          sent: { amountMinor: '3000', currency: 'HKD' },
          answered: { amountMinor: '2000', currency: 'HKD' },
        },
      });
    },
  );
}

/** A first reversal that is not answered in time, then its repeat, answered "no record" on the same connection. */
async function doubtedRepeat({ host, clock, acquirer }: Bench) {
  const first = acquirer.reverse(reversalOrder, false);
  const side = await host.accepted();
  await side.readFrame();
  clock.pass(replyTimeoutMs);
  await first;
  const outcome = acquirer.reverse(reversalOrder, true);
  await side.readFrame();
  // It may be the answer to the reversal before this one, which the network has kept.
  await side.write(acknowledgement('25'));
  return { outcome, side };
}

test('"no record" to a repeat counts only on a connection that has carried no reversal before', deadline, async (t) => {
  const terminal = await bench(t);
  const { outcome } = await doubtedRepeat(terminal);
  const other = await terminal.host.accepted();
  assert.equal(await other.readFrame(), expectedReversal.replace('0400', '0401'));
  await other.write(acknowledgement('00'));
  assert.deepEqual(await outcome, { kind: 'acknowledged', responseCode: '00' });
});

test('"no record" to a repeat that opens the connection is asked once', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const outcome = acquirer.reverse(reversalOrder, true);
  const side = await host.accepted();
  await side.readFrame();
  await side.write(acknowledgement('25'));
  assert.deepEqual(await outcome, { kind: 'noRecord', responseCode: '25' });
  assert.equal(host.connections, 1);
});

test('the host is heard on the former connection, but answers nothing there', deadline, async (t) => {
  const terminal = await bench(t);
  const { outcome, side } = await doubtedRepeat(terminal);
  const other = await terminal.host.accepted();
  await other.readFrame();
  const doubled = terminal.nextLate();
  await side.write(acknowledgement('00'));
  assert.equal((await doubled).mti, '0410');
  await other.write(acknowledgement('25'));
  assert.deepEqual(await outcome, { kind: 'noRecord', responseCode: '25' });
  const approval = terminal.nextLate();
  await side.write(answerFrame());
  assert.ok((await approval).approves(reversalOrder));
});

test('a host that serves one connection alone decides at the next repeat', deadline, async (t) => {
  const terminal = await bench(t);
  const { outcome, side } = await doubtedRepeat(terminal);
  const refused = await terminal.host.accepted();
  refused.end();
  assert.deepEqual(await outcome, { kind: 'unanswered' });
  await side.ended;
  const repeat = terminal.acquirer.reverse(reversalOrder, true);
  const only = await terminal.host.accepted();
  await only.readFrame();
  await only.write(acknowledgement('25'));
  assert.deepEqual(await repeat, { kind: 'noRecord', responseCode: '25' });
});

test('an acknowledgement without a code is no answer, whatever its amount', deadline, async (t) => {
  for (const answer of [
    answerFrame({ mti: '0410', approvalCode: '', responseCode: '  ', amount: '000000003001' }),
    answerFrame({ mti: '0410', approvalCode: '', responseCode: '  ' }),
  ]) {
    const { host, acquirer } = await bench(t);
    const outcome = acquirer.reverse(reversalOrder, false);
    const side = await host.accepted();
    await side.readFrame();
    await side.write(answer);
    assert.deepEqual(await outcome, { kind: 'unanswered' });
  }
});

test('no answer, a lost connection and a host that is down leave a reversal unanswered', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const silent = acquirer.reverse(reversalOrder, false);
  const side = await host.accepted();
  await side.readFrame();
  clock.pass(replyTimeoutMs);
  assert.deepEqual(await silent, { kind: 'unanswered' });

  const lost = acquirer.reverse(reversalOrder, true);
  await side.readFrame();
  side.end();
  assert.deepEqual(await lost, { kind: 'unanswered' });

  await host.close();
  assert.deepEqual(await acquirer.reverse(reversalOrder, true), { kind: 'unanswered' });
});

test('the late answer to a reversal serves its repeat; the second answer is late', deadline, async (t) => {
  const { host, clock, acquirer, nextLate } = await bench(t);
  const first = acquirer.reverse(reversalOrder, false);
  const side = await host.accepted();
  await side.readFrame();
  clock.pass(replyTimeoutMs);
  await first;

  const repeat = acquirer.reverse(reversalOrder, true);
  await side.readFrame();
  await side.write(acknowledgement('00'));
  assert.deepEqual(await repeat, { kind: 'acknowledged', responseCode: '00' });
  const second = nextLate();
  await side.write(acknowledgement('00'));
  const { mti, stan, responseCode } = await second;
  assert.deepEqual([mti, stan, responseCode], ['0410', '000123', '00']);
});
