import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Iso8583Config } from '../../../src/hosts/iso8583/host.ts';
import { completionOrder, settlementOrder, uploadOrders } from './orders.ts';
import {
  answerFrame,
  type Bench,
  bench,
  reversalOrder,
  saleOrder,
  settlementAnswer,
  uploadAnswer,
} from './terminal.ts';

const deadline = { timeout: 10_000 };

/** What a message of each kind comes to when the host answers it with this code. */
const kinds = {
  sale: ({ acquirer }: Bench) => acquirer.request(saleOrder),
  reversal: ({ acquirer }: Bench) => acquirer.reverse(reversalOrder, false),
  advice: ({ acquirer }: Bench) => acquirer.advise(completionOrder, false),
  settlement: ({ acquirer }: Bench) => acquirer.settle(settlementOrder),
  upload: ({ acquirer }: Bench) => acquirer.upload(uploadOrders.sale, false),
} as const;
type Kind = keyof typeof kinds;

const answers: Readonly<Record<Kind, (responseCode: string) => string>> = {
  sale: (responseCode) => answerFrame({ responseCode }),
  reversal: (responseCode) => answerFrame({ mti: '0410', approvalCode: '', responseCode }),
  advice: (responseCode) =>
    answerFrame({ mti: '0230', amount: '000000003450', stan: '000127', approvalCode: '', responseCode }),
  settlement: (responseCode) => settlementAnswer({ responseCode }),
  upload: (responseCode) => uploadAnswer({ responseCode }),
};

async function answerWith(t: TestContext, kind: Kind, code: string, config: Partial<Iso8583Config> = {}) {
  const parts = await bench(t, config);
  const outcome = kinds[kind](parts);
  const side = await parts.host.accepted();
  await side.readFrame();
  await side.write(answers[kind](code));
  return { outcome: await outcome, recognitions: parts.recognitions };
}

for (const kind of Object.keys(kinds) as Kind[]) {
  test(`the answer to a ${kind} tells whether the host knows this terminal`, deadline, async (t) => {
    for (const code of ['03', '58', '89', '97']) {
      const { recognitions } = await answerWith(t, kind, code);
      assert.deepEqual(recognitions, [{ acquirerId: 'EDC', isKnown: false, hostCode: code }], code);
    }
    for (const code of ['00', '51', '54', '94', '95', '25']) {
      const { recognitions } = await answerWith(t, kind, code);
      assert.deepEqual(recognitions, [{ acquirerId: 'EDC', isKnown: true, hostCode: code }], code);
    }
    // A host may give these before it has looked for the terminal.
    for (const code of ['05', '12', '14', '30', '57', '68', '91', '96', 'N7']) {
      assert.deepEqual((await answerWith(t, kind, code)).recognitions, [], code);
    }
  });
}

test('an acquirer may have codes of its own for it, and none', deadline, async (t) => {
  const config = { unknownTerminalCodes: ['58', 'T1'] };
  for (const [code, reason] of [
    ['T1', 'terminalUnknown'],
    ['58', 'terminalUnknown'],
    ['97', 'declined'],
  ] as const) {
    const { outcome } = await answerWith(t, 'sale', code, config);
    assert.equal('reason' in outcome && outcome.reason, reason, code);
  }
});

test('an advice of an unknown terminal is sent again', deadline, async (t) => {
  for (const responseCode of ['03', '89', '97']) {
    const { outcome } = await answerWith(t, 'advice', responseCode);
    assert.deepEqual(outcome, { kind: 'refused', reason: 'hostTrouble', responseCode });
  }
  assert.equal((await answerWith(t, 'advice', '12')).outcome.kind, 'rejected');
});

test('a transaction that is uploaded by an unknown terminal stays in its batch', deadline, async (t) => {
  for (const code of ['03', '89', '97']) {
    assert.deepEqual((await answerWith(t, 'upload', code)).outcome, { kind: 'refused', responseCode: code });
  }
  assert.deepEqual((await answerWith(t, 'upload', '12')).outcome, { kind: 'rejected', responseCode: '12' });
});
