import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isOwnPosId } from '../../src/domain/identifiers.ts';
import { approved, authorizedRecord, success } from './records.ts';
import { sale, served } from './served.ts';

const record = authorizedRecord({ outcome: approved, conclusion: success });

/** What a request under a name of the terminal itself could do. */
const calls = [
  ['payment', {}],
  ['settlement', {}],
  ['settlement', { messageId: 'daily 2026-01-01' }],
  ['cancel', {}],
  ['enquiry', {}],
  ['receipt', { output: 'TEXT' }],
  ['receipt', { terminalTransactionId: record.id }],
  ['pairing', { commitment: '00'.repeat(32) }],
] as const;

describe('the terminal’s own names', () => {
  for (const posId of [
    'poid',
    'OPERATOR',
    'Poid',
    'operator',
    ' poid',
    'poid ',
    'ｐｏｉｄ',
    'op\u034ferator',
    'po id',
  ]) {
    test(`${JSON.stringify(posId)}: no call of the network has it`, async (t) => {
      const { call, terminal } = await served(t);
      terminal.payAnswer = async () => ({ kind: 'ended', record });
      terminal.enquiryAnswer = { kind: 'ended', record, status: 'APPROVED' };
      for (const [path, fields] of calls) {
        const body = JSON.stringify({ ...sale, ...fields, posId });
        const { status, json } = await call({ path: `/sp/v1/${path}`, body });
        assert.equal(status, 400, path);
        assert.equal(json.responseResult, 'INVALID_PARAMETER');
        assert.equal(json.financialImpact, 'NONE');
        assert.deepEqual(
          json.errors.map(({ pointer }: { pointer: string }) => pointer),
          ['/posId'],
          path,
        );
      }
      const reached = [terminal.paid, terminal.settled, terminal.asked, terminal.recalls];
      assert.deepEqual(reached, [[], [], [], []]);
    });
  }

  test('no other name is one', () => {
    for (const posId of ['POS-1', 'poid-1', 'OPERATOR2', 'operators', 'co-operator', 'p', '']) {
      assert.equal(isOwnPosId(posId), false, posId);
    }
  });
});
