import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PrintOutcome } from '../../../src/pos/peripherals/print-queue.ts';
import type { LineFault } from '../../../src/pos/peripherals/till-lines.ts';
import { noPrinter } from '../../../src/pos/peripherals/printer-refusal.ts';
import type { TillJob } from '../../../src/pos/peripherals/till-paper.ts';
import type { Refusal } from '../../../src/base/domain/reason.ts';
import { printerFaults } from '../../../src/base/ports/receipt-printer.ts';
import { noCounter } from '../../support/no-counter.ts';
import { type Json, served } from './served.ts';

const path = '/sp/v1/print';
const request = { posId: 'POS-1', messageId: 'P-1', lines: [{ type: 'text', text: 'Table 12' }] };
const fields = { posId: 'POS-1', messageId: 'P-1' };

/** A counter whose printer ends each job so. */
function counterOf(outcome: PrintOutcome | LineFault, refusal?: Refusal) {
  const jobs: TillJob[] = [];
  const print = async (job: TillJob) => {
    jobs.push(job);
    return outcome;
  };
  return { jobs, counter: { ...noCounter, paper: { ...noCounter.paper, refusal, currentRefusal: refusal, print } } };
}

const reasonOf = {
  absent: 'printerAbsent',
  'paper-out': 'printerPaperOut',
  'cover-open': 'printerCoverOpen',
  error: 'printerError',
};

test('a job of the most lines, each with all that it may have, is taken', async (t) => {
  const { jobs, counter } = counterOf({ kind: 'printed' });
  const { call } = await served(t, { counter });
  const line = { type: 'text', text: 'Tea, [hot]', align: 'left', bold: true, size: 'normal' };
  const body = JSON.stringify({ ...request, lines: Array.from({ length: 200 }, () => line), wait: true });
  assert.equal((await call({ path, body })).status, 200);
  assert.equal(jobs.length, 1);
});

describe('a till’s job', () => {
  const cases: readonly [what: string, outcome: PrintOutcome | LineFault, status: number, expected: Json][] = [
    ['printed', { kind: 'printed' }, 200, { responseResult: 'SUCCESS', responseCode: 0, printStatus: 'PRINTED' }],
    [
      'whose turn has not come',
      { kind: 'waiting' },
      200,
      { responseResult: 'PROCESSING', responseCode: 11, reason: 'printerBusy', printStatus: 'WAITING' },
    ],
    ...printerFaults.flatMap((printFault): [string, PrintOutcome, number, Json][] => [
      [
        `that waits: ${printFault}`,
        { kind: 'waiting', fault: printFault },
        200,
        { responseResult: 'PROCESSING', reason: reasonOf[printFault], printStatus: 'WAITING', printFault },
      ],
      [
        `not printed: ${printFault}`,
        { kind: 'notPrinted', fault: printFault },
        503,
        { responseResult: 'ERROR', reason: reasonOf[printFault], printStatus: 'NOT_PRINTED', printFault },
      ],
    ]),
    ['too many', { kind: 'full' }, 503, { reason: 'printQueueFull', printStatus: 'NOT_PRINTED' }],
    ['of another content', { kind: 'otherRequest' }, 409, { reason: 'messageIdReused' }],
    [
      'that can’t be laid out',
      { reason: 'printTooLong', pointer: '/lines', message: 'are too long' },
      422,
      { reason: 'printTooLong', errors: [{ pointer: '/lines', message: 'are too long', reason: 'printTooLong' }] },
    ],
  ];
  for (const [what, outcome, status, answered] of cases) {
    test(what, async (t) => {
      const { counter, jobs } = counterOf(outcome);
      const { call } = await served(t, { counter });
      const answer = await call({ path, body: JSON.stringify(request) });
      assert.equal(answer.status, status, answer.text);
      assert.partialDeepStrictEqual(answer.json, { ...fields, ...answered });
      if (answered.responseResult !== 'SUCCESS') assert.equal(answer.json.financialImpact, 'NONE');
      assert.equal(jobs.length, 1);
      assert.partialDeepStrictEqual(jobs[0], { ...request, waits: true });
    });
  }

  test('without a printer, and where it is forbidden', async (t) => {
    for (const [trouble, status] of [
      [noPrinter, 503],
      [{ reason: 'printNotAllowed', message: 'forbidden' }, 422],
    ] as const) {
      const { counter, jobs } = counterOf({ kind: 'printed' }, trouble);
      const { call } = await served(t, { counter });
      const { status: got, json } = await call({ path, body: JSON.stringify(request) });
      assert.deepEqual([got, json.reason, json.posId], [status, trouble.reason, 'POS-1']);
      assert.equal(jobs.length, 0);
      const { json: capabilities } = await call({ method: 'GET', path: '/sp/v1/capabilities' });
      assert.deepEqual(capabilities.counter.print, { ready: false, ...trouble });
    }
  });

  test('its name stands for all that was asked', async (t) => {
    const { counter, jobs } = counterOf({ kind: 'printed' });
    const { call } = await served(t, { counter });
    for (const more of [{}, {}, { wait: false }, { lines: [{ type: 'text', text: 'Table 12', bold: true }] }])
      await call({ path, body: JSON.stringify({ ...request, ...more }) });
    const [first, same, ...others] = jobs.map(({ digest }) => digest);
    assert.equal(first, same);
    assert.equal(new Set([first, ...others]).size, 3);
  });

  const drawn = (type: string, more: Json, count: number) => Array.from({ length: count }, () => ({ type, ...more }));
  const wrong: readonly [what: string, fields: Json, pointer: string, reason: string][] = [
    ['without lines', { lines: undefined }, '/lines', 'fieldMissing'],
    ['with no line', { lines: [] }, '/lines', 'fieldInvalid'],
    ['of too many lines', { lines: drawn('rule', {}, 201) }, '/lines', 'fieldInvalid'],
    ['of too many codes', { lines: drawn('qr', { text: 'x' }, 5) }, '/lines', 'fieldInvalid'],
    ['with a line of an unknown type', { lines: [{ type: 'barcode' }] }, '/lines/0/type', 'fieldInvalid'],
    ['with a line without type', { lines: [{ text: 'x' }] }, '/lines/0/type', 'fieldInvalid'],
    [
      'with a field too many',
      { lines: [{ type: 'text', text: 'x', colour: 'red' }] },
      '/lines/0/colour',
      'fieldUnknown',
    ],
    ['with a command of the printer', { lines: [{ type: 'text', text: '\u001b@' }] }, '/lines/0/text', 'fieldInvalid'],
    ['with a text too long', { lines: [{ type: 'text', text: 'x'.repeat(257) }] }, '/lines/0/text', 'fieldInvalid'],
    ['with a path as a picture', { lines: [{ type: 'picture', png: '/etc/passwd' }] }, '/lines/0/png', 'fieldInvalid'],
    ['that waits for ever', { wait: 'for ever' }, '/wait', 'fieldInvalid'],
    ['without its name', { messageId: undefined }, '/messageId', 'fieldMissing'],
    ['of the terminal itself', { posId: 'poid' }, '/posId', 'posIdReserved'],
  ];
  for (const [what, more, pointer, reason] of wrong) {
    test(`${what}: 400 with the place`, async (t) => {
      const { counter, jobs } = counterOf({ kind: 'printed' });
      const { call } = await served(t, { counter });
      const { status, json } = await call({ path, body: JSON.stringify({ ...request, ...more }) });
      assert.deepEqual([status, json.errors?.[0]?.pointer, json.errors?.[0]?.reason], [400, pointer, reason]);
      assert.equal(jobs.length, 0);
    });
  }
});
