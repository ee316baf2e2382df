import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storyLines } from '../../../src/admin/journal/story.ts';
import type { TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import type { JournalEvent, StoredEvent } from '../../../src/payment/events/event.ts';
import { parseEvent, withFormat } from '../../../src/payment/events/format.ts';
import { schemaVersion } from '../../../src/journal/schema.ts';
import { transactionRecord } from '../../../src/payment/records/record.ts';
import { TransactionLog } from '../../../src/observability/transaction-log.ts';
import { accepted, intent } from '../../support/events.ts';
import { id } from './records.ts';

const first = [[11, 12, 13, 14]];
const second = [[271, 82, 173, 94]];
const at = '2026-01-01T00:00:00.000Z';

function stored(...events: readonly JournalEvent[]): StoredEvent[] {
  return events.map((event) => ({ at, event: parseEvent(JSON.stringify(withFormat(event, schemaVersion))) }));
}

test('what was signed is read as it was written, and the last one counts', () => {
  const events = stored(accepted, intent, { kind: 'signed', strokes: first }, { kind: 'signed', strokes: second });
  assert.deepEqual(transactionRecord(id, events).signature, second);
  assert.equal(transactionRecord(id, stored(accepted, intent)).signature, undefined);
});

test('log and poid journal say that the customer signed, and not how', () => {
  const lines: unknown[] = [];
  const write = (event: string, fields?: object) => void lines.push([event, fields]);
  const log = new TransactionLog({ info: write, warn: write }, { elapsedMs: () => 0 });
  log.wrote('01M850YR6A3KFFB74DEHBS0XTR' as TerminalTransactionId, [{ kind: 'signed', strokes: second }]);
  const story = storyLines(stored({ kind: 'signed', strokes: second }), () => '');
  assert.deepEqual(story, [`${at}  the customer signed on the screen`]);
  assert.equal(lines.length, 1);
  assert.match(JSON.stringify(lines), /^\[\["signed",/);
  assert.doesNotMatch(JSON.stringify(lines), /271|173/);
});
