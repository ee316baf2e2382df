import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { recordedReason } from '../../src/main/composition/recorded-reasons.ts';
import type { Accepted } from '../../src/payment/events/accepted.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { openJournal } from '../../src/journal/open-journal.ts';
import { accepted, draft, numbered } from './events.ts';

const advice = { kind: 'adviceAnswered', rrn: '', hostTime: '', hostDate: '' } as const;

/** As versions wrote them that knew codes only. */
const written: Readonly<Record<string, unknown>> = {
  wrongPin: { kind: 'answered', outcome: { kind: 'declined', responseCode: '55', rrn: '' } },
  hostTrouble: { kind: 'answered', outcome: { kind: 'declined', responseCode: '91', rrn: '' } },
  insufficientBalance: { kind: 'answered', outcome: { kind: 'declined', responseCode: '1201', rrn: '' } },
  insufficientValue: { kind: 'answered', outcome: { kind: 'declined', responseCode: '100048', rrn: '' } },
  cardUnusable: { kind: 'answered', outcome: { kind: 'declined', responseCode: '100019', rrn: '' } },
  declined: { kind: 'answered', outcome: { kind: 'declined', responseCode: 'N7', rrn: '' } },
  duplicate: { ...advice, answer: 'acknowledged', responseCode: '94' },
  invalidTransaction: { ...advice, answer: 'rejected', responseCode: '12' },
  nothing: { ...advice, answer: 'acknowledged', responseCode: '00' },
  expiredCard: { kind: 'answered', outcome: { kind: 'declined', reason: 'expiredCard', responseCode: '51', rrn: '' } },
};

test('a record that has codes only is read with their reasons, and one that has a reason keeps it', async (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-journal-'));
  const journal = await openJournal(path.join(dir, 'journal.db'), { reasonOf: recordedReason });
  t.after(async () => {
    await journal.close();
    rmSync(dir, { recursive: true });
  });
  const id = numbered(1);
  await journal.open(id, accepted('M-1'));
  const { batch } = await journal.intend(id, draft());
  await journal.append(id, Object.values(written) as JournalEvent[]);
  const read = (await journal.read(id)).slice(2).map(({ event }) => {
    const reported: { readonly reason?: string } = event.kind === 'answered' ? (event.outcome as object) : event;
    return reported.reason ?? 'nothing';
  });
  assert.deepEqual(read, Object.keys(written));
  const [inBatch] = await journal.batchPage(acquirerId('EDC'), batch, '', 10);
  assert.deepEqual(inBatch?.events, await journal.read(id));
});

test('a record that says nothing of who prints is read by the shape of its answer, and one that says it keeps it', async (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-journal-'));
  const journal = await openJournal(path.join(dir, 'journal.db'), { reasonOf: recordedReason });
  t.after(async () => {
    await journal.close();
    rmSync(dir, { recursive: true });
  });
  const { printedBy: _unsaid, ...older } = accepted('M-1');
  const records = [older, { ...older, shape: 'B' }, { ...older, shape: 'B', printedBy: 'terminal' }] as const;
  const read: unknown[] = [];
  for (const [index, record] of records.entries()) {
    const id = numbered(index + 1);
    await journal.open(id, { ...record, messageId: `M-${index}` } as Accepted);
    const [first] = await journal.read(id);
    read.push(first?.event.kind === 'accepted' && [first.event.shape, first.event.printedBy]);
  }
  assert.deepEqual(read, [
    ['A', 'terminal'],
    ['B', 'pos'],
    ['B', 'terminal'],
  ]);
});
