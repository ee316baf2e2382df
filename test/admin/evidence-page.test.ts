import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CaseResult, type Evidence, verdictOf } from '../../src/admin/certify/evidence.ts';
import { evidencePage } from '../../src/admin/certify/evidence-page.ts';
import { judge, responseCodeIn } from '../../src/admin/certify/judge.ts';
import { scriptSchema } from '../../src/admin/certify/script.ts';

type Traced = CaseResult['messages'][number];

const message = (direction: Traced['direction'], mti: string, fields: Readonly<Record<number, string>>): Traced => ({
  at: '2026-11-29T00:00:00.000Z',
  acquirer: 'EDC',
  direction,
  mti,
  bytes: 60,
  parts: Object.entries(fields).map(([field, value]) => ({ field: Number(field), name: 'a name', bytes: 6, value })),
});

const result: CaseResult = {
  id: '1',
  title: 'A sale <b>with "marks" & more</b>',
  kind: 'sale',
  verdict: 'FAIL',
  reasons: ['<script>alert(1)</script>'],
  beganAt: '2026-11-29T00:00:00.000Z',
  messageId: 'R.1',
  messages: [message('sent', '0200', { 4: '</td><script>' })],
  receipt: { customer: 'Tea & cake\u001b[2J\nTOTAL', merchant: '<img src=x>' },
};

const evidence: Evidence = {
  name: 'A bank',
  acquirer: 'EDC',
  script: 'hash',
  software: '0.2.0',
  serialNumber: 'PT-1',
  runId: 'R',
  posId: 'CERTIFY',
  verdict: 'FAIL',
  cases: 2,
  results: [result],
};

test('what hosts, receipts and scripts say is text of the page, never markup', () => {
  const page = evidencePage(evidence);
  assert.doesNotMatch(page, /<script|<img|<b>/);
  assert.ok(!page.includes('\u001b'));
  for (const text of [
    '&lt;script&gt;alert(1)',
    '&lt;img src=x&gt;',
    'Tea &amp; cake\\u{1b}[2J\nTOTAL',
    '&quot;marks&quot;',
  ])
    assert.ok(page.includes(text), text);
  assert.match(page, /0 of 2 cases passed, 1 were run/);
});

test('a list is passed only if each of its cases was run and has passed', () => {
  const passed = { ...result, verdict: 'PASS' } as const;
  assert.equal(verdictOf(2, [passed, passed]), 'PASS');
  assert.equal(verdictOf(2, [passed]), 'INCOMPLETE');
  assert.equal(verdictOf(3, [passed, result]), 'FAIL');
});

test('the response code is that of the case’s own message, not of a reversal before or after it', () => {
  const messages = [
    message('sent', '0400', { 11: '000001' }),
    message('received', '0410', { 11: '000001', 39: '25' }),
    message('sent', '0200', { 11: '000002' }),
    message('received', '0210', { 11: '000009', 39: '05' }),
    message('received', '0210', { 11: '000002', 39: '51' }),
    message('sent', '0400', { 11: '000002' }),
    message('received', '0410', { 11: '000002', 39: '00' }),
  ];
  assert.equal(responseCodeIn(messages), '51');
  assert.equal(responseCodeIn(messages.slice(0, 4)), undefined);
  assert.equal(responseCodeIn([]), undefined);
});

test('a case without an answer fails, whatever else it has', () => {
  const script = {
    name: 'A bank',
    acquirer: 'EDC',
    cases: [{ id: '1', title: 'Sale', kind: 'sale', amount: '1.00', expect: { responseResult: 'SUCCESS' } }],
  };
  const [each] = scriptSchema.parse(script).cases;
  assert.ok(each);
  const nothing = { answer: undefined, messages: [], receipt: undefined };
  assert.deepEqual(judge(each, nothing), ['responseResult is missing instead of SUCCESS']);
  assert.deepEqual(judge(each, { ...nothing, answer: { responseResult: 'SUCCESS' } }), []);
});
