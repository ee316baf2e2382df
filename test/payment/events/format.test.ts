import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalEvent, StoredEvent } from '../../../src/payment/events/event.ts';
import { withFormat, formatVersion, parseEvent } from '../../../src/payment/events/format.ts';
import { schemaVersion } from '../../../src/journal/schema.ts';
import { readableRecord, transactionRecord, UnreadableRecord } from '../../../src/payment/records/record.ts';
import { id, reversalQueued } from '../records/records.ts';
import { accepted, intent } from '../../support/events.ts';

const written = (event: JournalEvent) => JSON.stringify(withFormat(event, schemaVersion));

function stored(...bodies: readonly string[]): readonly StoredEvent[] {
  return bodies.map((body) => ({ at: '2026-01-01T00:00:00.000Z', event: parseEvent(body) }));
}

test('what is written is read as it was, with its version or from before there was one', () => {
  for (const event of [accepted, intent, reversalQueued]) {
    assert.deepEqual(parseEvent(written(event)), event);
    assert.deepEqual(parseEvent(JSON.stringify(event)), event);
    assert.equal((JSON.parse(written(event)) as { format: unknown }).format, formatVersion);
  }
});

const newer = JSON.stringify({ format: formatVersion + 1, kind: 'ended', outcome: 'approved', result: 'SUCCESS' });

const unknownKind = 'this version does not know the kind of one of its events';
const newerFormat = 'a newer version wrote one of its events: this version reads format 1';

for (const [what, body, reason] of [
  ['of a newer kind', '{"format":1,"kind":"tokenized"}', unknownKind],
  ['of a kind like a property of every object', '{"kind":"constructor"}', unknownKind],
  ['of a kind that is a card number', '{"kind":"4761739001010010"}', unknownKind],
  ['of a newer format', newer, newerFormat],
  ['of a format that is a card number', '{"format":4761739001010010,"kind":"withdrawn"}', newerFormat],
  ['of a format that is no number', '{"format":"4761739001010010","kind":"withdrawn"}', newerFormat],
  ['without a kind', '{"format":1}', 'one of its events has no kind'],
  ['no object', 'null', 'one of its events has no kind'],
  ['no JSON', '{"kind":"withdr', 'one of its events is not JSON'],
] as const) {
  test(`an event ${what} is told in a sentence, kept as it is, and read as nothing else`, () => {
    const event = parseEvent(body);
    assert.ok(event.kind === 'unreadable');
    assert.equal(event.reason, reason);
    assert.equal(event.body, body);
    const events = stored(written(accepted), written(intent), body);
    assert.throws(
      () => transactionRecord(id, events),
      (error) =>
        error instanceof UnreadableRecord && error.message === `transaction ${id} can't be read: ${event.reason}`,
    );
    assert.equal(readableRecord(id, events), undefined);
    assert.throws(() => transactionRecord(id, stored(body)), UnreadableRecord);
  });
}
