import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { JournalEvent, StoredEvent } from '../../../src/payment/events/event.ts';
import { parseEvent, storedEvent, withFormat } from '../../../src/payment/events/format.ts';
import { readableRecord } from '../../../src/payment/records/record.ts';
import { presentConclusion } from '../../../src/payment/records/present.ts';
import { presentStatus } from '../../../src/payment/records/transaction-status.ts';
import { schemaVersion } from '../../../src/journal/schema.ts';
import { accepted, cash, chip, eps, intent, octopus, wallet } from '../../support/events.ts';
import { answered, endedApproved, id, outcomes, reversalAcknowledged, reversalSent } from '../records/records.ts';

/** Events whose content was changed on the disk. Only their own transaction may be unreadable. */

const acknowledged = { answer: 'acknowledged', responseCode: '00', rrn: '1', hostTime: '120000', hostDate: '0101' };
const order = { acquirerId: wallet.acquirerId, stan: 1 };
const method = {
  name: 'loyalty',
  scheme: 'LOYALTY',
  entryMode: 'LOYALTY',
  maskedNumber: '',
  instrumentType: 'LOYALTY',
  undo: 'reversal',
} as const;

/** One event or more of each kind, as the terminal writes them. */
const samples: Readonly<Record<JournalEvent['kind'], readonly object[]>> = {
  accepted: [accepted, { ...accepted, tipMinor: '100', cashbackMinor: '100', originalId: id, cashierId: 'C' }],
  tipChosen: [{ tipMinor: '300' }],
  optionAnswered: [{ name: 'roundUp', addedMinor: '50', data: { cause: 'trees' } }],
  intent: [intent, chip, eps, wallet, octopus, cash, { ...cash, cash: undefined, method, own: { token: 't' } }],
  answered: Object.values(outcomes).map(answered),
  reversalQueued: [{ reason: 'no-answer' }],
  reversalSent: [reversalSent(1)],
  reversalAcknowledged: [reversalAcknowledged, { responseCode: '00', givenBack: { rrn: '1', refundRrn: '2' } }],
  hostRefused: [{ responseCode: '96' }],
  setAside: [{ outcome: 'POSTED' }, { outcome: 'NOT_POSTED', unverified: true }],
  approvedLate: [{ responseCode: '00', rrn: '1' }],
  numberTaken: [{}],
  orderClosed: [order, { ...order, isOpen: true, hostAt: '2026-01-01 00:00:00' }],
  orderLookedAt: [order],
  withdrawn: [{}],
  resolved: [{}],
  givenBackInCash: [{ who: 'OPERATOR', session: 's' }],
  settledWithCustomer: [{ matter: 'countedLate', who: 'OPERATOR', session: 's' }],
  partlyApproved: [{ amountMinor: '2000' }],
  cardCompleted: [{ agreed: true, emv: { '9F26': '00' } }],
  signed: [{ strokes: [[1, 2, 3, 4]] }],
  adviceQueued: [{}],
  adviceSent: [{ attempt: 1 }],
  adviceAnswered: [acknowledged],
  ended: [endedApproved],
  receiptQueued: [{}],
  receiptCutOff: [{}],
  receiptPrinted: [{}],
};
const events = Object.entries(samples).flatMap(([kind, each]) =>
  each.map(
    (fields) => JSON.parse(JSON.stringify(withFormat({ ...fields, kind } as JournalEvent, schemaVersion))) as Json,
  ),
);
type Json = Record<string, unknown>;

/** Fields whose absence every reader bears, because versions or kinds of payment differ in them. */
const mayLack =
  /^(format|kind|shape|printedBy|tipMinor|cashbackMinor|originalId|cashierId|reason|givenBack|unverified|isOpen|isExtra|hostAt|who|account|ksn|encryptedPan)$/;

test('an event of each kind is read as it was written', () => {
  for (const event of events)
    assert.equal(parseEvent(JSON.stringify(event)).kind, event['kind'], JSON.stringify(event));
});

for (const event of events) {
  for (const name of Object.keys(event).filter((each) => !mayLack.test(each))) {
    test(`${String(event['kind'])} ${name}: without it, or of another type, the event is unreadable`, () => {
      const { [name]: value, ...without } = event;
      const others = [null, 7.5, [], typeof value === 'object' ? 'text' : {}];
      for (const changed of [without, ...others.map((other) => ({ ...event, [name]: other }))]) {
        const read = parseEvent(JSON.stringify(changed));
        assert.ok(read.kind === 'unreadable', JSON.stringify(changed));
        assert.equal(read.reason, 'one of its events is damaged');
      }
    });
  }
}

test('an event whose time is damaged is unreadable, and has a time all the same', () => {
  const { at, event } = storedEvent('yesterday', accepted);
  assert.ok(event.kind === 'unreadable' && !Number.isNaN(Date.parse(at)));
  assert.deepEqual(storedEvent('2026-01-01T00:00:00.000Z', accepted).event, accepted);
});

const start = events.filter(({ kind }) => kind === 'accepted').slice(0, 1);
const values = fc.oneof(fc.jsonValue(), fc.constantFrom(null, '', '-1', '1e3', -1, 1.5, 'constructor', '__proto__'));

test('whatever a field is changed to, the transaction is read and reported, or it is unreadable', () => {
  const sequence = fc.array(fc.constantFrom(...events), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(sequence, fc.nat(), fc.nat(), values, (chosen, nth, field, value) => {
      const all = [...start, ...chosen];
      const hit = nth % all.length;
      const names = Object.keys(all[hit] ?? {});
      const name = names[field % names.length] ?? 'kind';
      const stored: StoredEvent[] = all.map((event, at) =>
        storedEvent(
          '2026-01-01T00:00:00.000Z',
          parseEvent(JSON.stringify(at === hit ? { ...event, [name]: value } : event)),
        ),
      );
      const record = readableRecord(id, stored);
      if (!record) return;
      presentConclusion(record);
      presentStatus({ record, later: [] });
    }),
    { numRuns: 3_000 },
  );
});
