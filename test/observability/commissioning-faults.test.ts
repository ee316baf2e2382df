import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acquirerId, type TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { JournalEvent, StoredEvent } from '../../src/payment/events/event.ts';
import type { Journal } from '../../src/payment/contracts/journal.ts';
import { CommissioningFaults } from '../../src/observability/commissioning-faults.ts';

const EDC = acquirerId('EDC');
const CUP = acquirerId('CUP');
const numbers = new Map([
  [EDC, { mid: '123456789012345', tid: '12345678' }],
  [CUP, { mid: '543210987654321', tid: '87654321' }],
]);

function openFaults() {
  const lines: string[] = [];
  const line =
    (level: string) =>
    (event: string, fields: object = {}) =>
      void lines.push(`${level} ${event} ${JSON.stringify(fields)}`);
  const log = { info: line('info'), warn: line('warn') };
  let now = Date.UTC(2026, 10, 26, 9);
  const faults = new CommissioningFaults(log, { now: () => new Date((now += 1_000)) });
  let changes = 0;
  faults.onChange(() => (changes += 1));
  return { faults, lines, changes: () => changes };
}

const intent = (id = EDC, tid = numbers.get(id)?.tid): JournalEvent =>
  ({ kind: 'intent', acquirerId: id, mid: numbers.get(id)?.mid, tid }) as unknown as JournalEvent;
const declined = (reason: string, responseCode: string) =>
  ({ kind: 'answered', outcome: { kind: 'declined', reason, responseCode, rrn: '' } }) as JournalEvent;
const approved = { kind: 'answered', outcome: { kind: 'approved', responseCode: '00' } } as JournalEvent;
const unknown = declined('terminalUnknown', '03');

/** Newest first, one hour apart. */
function journalWith(...transactions: readonly (readonly JournalEvent[])[]): Pick<Journal, 'listSlice' | 'read'> {
  const stored = transactions.map((events, place): readonly StoredEvent[] =>
    events.map((event) => ({ at: `2026-11-26T0${9 - place}:00:00.000Z`, event })),
  );
  return {
    listSlice: async ({ limit, order }) => {
      assert.equal(order, 'newest');
      const found = stored.slice(0, limit).map((_, place) => ({ id: String(place) as TerminalTransactionId }));
      return { found: found.map((each) => ({ ...each, posId: 'P', messageId: 'M', place: 1 })) };
    },
    read: async (id) => stored[Number(id)] ?? assert.fail(),
  };
}

test('a fault lasts until the host knows the terminal, and keeps when it began', () => {
  const { faults, lines, changes } = openFaults();
  faults.hear({ acquirerId: EDC, isKnown: true, hostCode: '00' });
  assert.deepEqual([lines, changes()], [[], 0]);
  faults.hear({ acquirerId: EDC, isKnown: false, hostCode: '03' });
  faults.hear({ acquirerId: EDC, isKnown: false, hostCode: '89' });
  assert.deepEqual(faults.of(EDC), { hostCode: '89', since: '2026-11-26T09:00:01.000Z' });
  assert.deepEqual(faults.acquirers, ['EDC']);
  faults.hear({ acquirerId: CUP, isKnown: true, hostCode: '00' });
  assert.deepEqual(faults.acquirers, ['EDC'], 'another host says nothing of it');
  faults.hear({ acquirerId: EDC, isKnown: true, hostCode: '51' });
  assert.deepEqual([faults.of(EDC), faults.acquirers], [undefined, []]);
  assert.deepEqual(lines, [
    'warn terminal unknown to its host {"acquirerId":"EDC","code":"03"}',
    'warn terminal unknown to its host {"acquirerId":"EDC","code":"89"}',
    'info terminal known to its host {"acquirerId":"EDC","code":"51"}',
  ]);
  assert.equal(changes(), 3);
});

for (const [what, journal, expected] of [
  ['nothing', [], undefined],
  ['a decline of the terminal', [[intent(), unknown]], { hostCode: '03', since: '2026-11-26T09:00:00.000Z' }],
  [
    'several: the last code since the first of them',
    [
      [intent(), declined('notPermittedToTerminal', '58')],
      [intent(CUP), approved],
      [intent(), unknown],
      [intent(), approved],
    ],
    { hostCode: '58', since: '2026-11-26T07:00:00.000Z' },
  ],
  [
    'an approval after it',
    [
      [intent(), approved],
      [intent(), unknown],
    ],
    undefined,
  ],
  [
    'a decline of the card after it',
    [
      [intent(), declined('insufficientFunds', '51')],
      [intent(), unknown],
    ],
    undefined,
  ],
  [
    'what tells nothing after it',
    [[intent(), declined('doNotHonour', '05')], [], [intent(), unknown]],
    { hostCode: '03', since: '2026-11-26T07:00:00.000Z' },
  ],
  ['a decline under another terminal number', [[intent(EDC, '99999999'), unknown]], undefined],
  [
    'an advice that was rejected for it',
    [
      [
        intent(),
        { kind: 'adviceAnswered', answer: 'rejected', reason: 'terminalUnknown', responseCode: '89' } as JournalEvent,
      ],
    ],
    { hostCode: '89', since: '2026-11-26T09:00:00.000Z' },
  ],
  [
    'a reversal that was acknowledged after it',
    [[intent(), unknown, { kind: 'reversalAcknowledged', responseCode: '00' } as JournalEvent]],
    undefined,
  ],
] as const) {
  test(`a start recalls from the journal: ${what}`, async () => {
    const { faults, lines } = openFaults();
    await faults.recall(journalWith(...journal), numbers);
    assert.deepEqual(faults.of(EDC), expected);
    assert.equal(lines.length, expected ? 1 : 0);
  });
}

test('what the host says after the start counts, not what the journal has', async () => {
  const { faults } = openFaults();
  faults.hear({ acquirerId: EDC, isKnown: true, hostCode: '00' });
  await faults.recall(journalWith([intent(), unknown]), numbers);
  assert.equal(faults.of(EDC), undefined);
});
