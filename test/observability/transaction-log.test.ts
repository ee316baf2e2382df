import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AcquirerId, TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { localTime, readableLine } from '../../src/observability/readable-line.ts';
import { TransactionLog } from '../../src/observability/transaction-log.ts';
import { accepted, draft } from '../journal/events.ts';

const id = '01M850YR6A3KFFB74DEHBS0XTR' as TerminalTransactionId;
const intent = { kind: 'intent', ...draft(), trace: { stan: 7, invoice: 1, batch: 3 } } as JournalEvent;

function opened() {
  const lines: unknown[][] = [];
  const clock = { now: 0, elapsedMs: () => clock.now };
  const write = (level: string) => (event: string, fields: object | undefined) => {
    const { terminalTransactionId, ...rest } = { terminalTransactionId: undefined, ...fields };
    assert.equal(terminalTransactionId, id);
    lines.push([level, event, rest]);
  };
  const log = new TransactionLog({ info: write('info'), warn: write('warn') }, clock);
  const at = (ms: number, ...events: JournalEvent[]) => {
    clock.now = ms;
    log.wrote(id, events);
  };
  return { log, clock, lines, at };
}

describe('the log of a transaction', () => {
  test('a sale: started, presented, intent, the host’s answer and the end, each with its time', () => {
    const { log, clock, lines, at } = opened();
    at(100, accepted('M-1'));
    log.emit({ state: 'collecting', terminalTransactionId: id });
    clock.now = 1_100.4;
    log.emit({ state: 'authorizing', terminalTransactionId: id });
    log.emit({ state: 'authorizing', step: 'waitingForHost', terminalTransactionId: id });
    at(1_110, intent);
    const approval = { approvalCode: '123456', rrn: '1', hostTime: '', hostDate: '' };
    const conclusion = { outcome: 'approved', result: 'SUCCESS', code: 0, message: '' } as const;
    at(
      1_200,
      { kind: 'answered', outcome: { kind: 'approved', responseCode: '00', ...approval } },
      { kind: 'ended', ...conclusion },
      { kind: 'receiptQueued' },
    );
    at(2_000, { kind: 'receiptPrinted' });
    assert.deepEqual(
      lines.map(([level, event]) => [level, event]),
      ['started', 'presented', 'intent', 'answer', 'approved', 'printed'].map((event) => ['info', event]),
    );
    const fields = lines.map(([, , each]) => each as Record<string, unknown>);
    assert.partialDeepStrictEqual(fields[0], { type: 'SALE', currency: 'HKD', messageId: 'M-1' });
    assert.deepEqual(fields[1], { ms: 1000 });
    assert.partialDeepStrictEqual(fields[2], { stan: 7, batch: 3, operation: 'sale' });
    assert.deepEqual(fields.slice(3), [{ state: 'approved', code: '00', ms: 90 }, { state: 'SUCCESS', ms: 1100 }, {}]);
  });

  test('an advice that is answered for another amount: both amounts, and a warning', () => {
    const { lines, at } = opened();
    const [sent, answered] = ['3000', '3500'].map((amountMinor) => ({ amountMinor, currency: 'HKD' }));
    assert.ok(sent && answered);
    const reported = { responseCode: '00', rrn: '', hostTime: '', hostDate: '' };
    at(0, { kind: 'adviceAnswered', answer: 'rejected', ...reported, otherAmount: { sent, answered } });
    const reason = 'sent for 30.00 HKD, answered for 35.00 HKD';
    assert.deepEqual(lines, [['warn', 'advice answered', { state: 'rejected', code: '00', reason }]]);
  });

  test('a transaction that asks nobody for a card has presented nothing', () => {
    const { log, lines, at } = opened();
    at(0, accepted('M-1'));
    log.emit({ state: 'authorizing', terminalTransactionId: id });
    assert.deepEqual(
      lines.map(([, event]) => event),
      ['started'],
    );
  });

  test('what is owed or needs a person is a warning', () => {
    const { lines, at } = opened();
    at(
      0,
      { kind: 'answered', outcome: { kind: 'unknown', reason: 'no-answer' } },
      { kind: 'reversalQueued', reason: 'no-answer' },
      { kind: 'hostRefused', responseCode: '96' },
      {
        kind: 'hostRefused',
        responseCode: '00',
        otherAmount: {
          sent: { amountMinor: '3000', currency: 'HKD' },
          answered: { amountMinor: '2000', currency: 'HKD' },
        },
      },
      { kind: 'reversalSent', attempt: 2 },
      { kind: 'reversalAcknowledged', responseCode: '00' },
    );
    assert.deepEqual(lines, [
      ['warn', 'answer', { state: 'unknown', reason: 'no-answer' }],
      ['warn', 'reversal queued', { reason: 'no-answer' }],
      ['warn', 'host refused', { code: '96' }],
      ['warn', 'host refused', { code: '00', reason: 'sent for 30.00 HKD, answered for 20.00 HKD' }],
      ['info', 'reversal sent', { attempt: 2 }],
      ['info', 'reversed', { code: '00' }],
    ]);
  });

  test('a settlement: a line for each acquirer, and a warning for one that failed', () => {
    const { log, lines } = opened();
    const batch = { mid: '', tid: '', totals: [] };
    const [edc, cup] = ['EDC', 'CUP'] as AcquirerId[];
    assert.ok(edc && cup);
    log.settled(id, [
      { ...batch, acquirerId: edc, batch: 3, result: 'BALANCED' },
      { ...batch, acquirerId: cup, batch: 4, result: 'FAILED', reason: 'no answer' },
    ]);
    assert.deepEqual(lines, [
      ['info', 'settled', { acquirerId: 'EDC', batch: 3, state: 'BALANCED' }],
      ['warn', 'settled', { acquirerId: 'CUP', batch: 4, state: 'FAILED', reason: 'no answer' }],
    ]);
  });
});

describe('a line for a person', () => {
  const at = Date.UTC(2026, 10, 23, 20, 18, 29, 720);
  const written = (fields: object) =>
    readableLine(`${JSON.stringify({ level: 30, time: at, ...fields, msg: 'started' })}\n`);

  test('has the time of the process’s zone, with its offset from UTC', (t) => {
    const zone = process.env['TZ'];
    t.after(() => {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    });
    for (const [name, local] of [
      ['Asia/Hong_Kong', '2026-11-24T04:18:29.720+08:00'],
      ['Australia/Eucla', '2026-11-24T05:03:29.720+08:45'],
      ['America/St_Johns', '2026-11-23T16:48:29.720-03:30'],
      ['UTC', '2026-11-23T20:18:29.720+00:00'],
    ] as const) {
      process.env['TZ'] = name;
      assert.equal(written({}), `${local} info  started\n`);
    }
  });

  test('has the time in ISO 8601, the level by name, the transaction, the event and its fields', () => {
    const line = written({ amount: '30.00', ms: 12, terminalTransactionId: id });
    assert.equal(line, `${localTime(new Date(at))} info  ${id} started amount=30.00 ms=12\n`);
  });

  for (const [value, reported] of [
    ['POS 1', '"POS 1"'],
    ['', '""'],
    ['收銀', '收銀'],
    ['a"b', String.raw`"a\"b"`],
    ['a\nb', String.raw`"a\nb"`],
    ['\u001B[2J', String.raw`"\u001b[2J"`],
    ['\u009B2J', String.raw`"\u{9b}2J"`],
    ['\u202Eabc', String.raw`"\u{202e}abc"`],
  ] as const) {
    test(`${JSON.stringify(value)} is ${reported}: what a till sends does nothing to the terminal`, () => {
      assert.equal(written({ posId: value }), `${localTime(new Date(at))} info  started posId=${reported}\n`);
    });
  }
});
