import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isOwnPosId } from '../../../src/base/domain/identifiers.ts';
import { approved, authorizedRecord, success } from './records.ts';
import { quadraticName } from './quadratic-name.ts';
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

/** Names of other scripts and languages, which SPEC allows: a string that is unique is all that it asks for. */
const foreign = [
  '收銀機1',
  'カウンター',
  '계산대 2',
  'Оператор',
  'Касса 1',
  'Χειριστής',
  'نقطة البيع',
  'קופה 3',
  'แคชเชียร์',
  'Kasse Süd',
  'poids',
  'void',
  'Caïd',
  'Operatör 1',
  '🍵',
];

/** One or two of each way to make a name that reads like one of the terminal's. */
const lookAlikes = [
  'рoid',
  'роіԁ',
  'ΡΟΙD',
  'οperatοr',
  'ОРЕRАТОR',
  'operaтor',
  'pold',
  'P0ID',
  'p01d',
  'OPERAT0R',
  'poıd',
  'pöíd',
  'pøid',
  'p\u0307o\u0323i\u0301d',
  'OPÉRATOR',
  'p\u200bo\u2060id',
  'po\u2800id',
  'poid\u2800',
  'p\ufe0foid',
  'op\u00aderator',
  '\u3000poid\u00a0',
  '\u2003OPERATOR',
  'ＯＰＥＲＡＴＯＲ',
  '𝐩𝐨𝐢𝐝',
  '𝙾𝙿𝙴𝚁𝙰𝚃𝙾𝚁',
  'ⓅⓄⒾⒹ',
  '🄿🄾🄸🄳',
  '🅿🅾🅸🅳',
  'ᴏᴘᴇʀᴀᴛᴏʀ',
  'ᏢᎾᎥᎠ',
  'p٥id',
  'ро\u0456\u0501',
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
    ...lookAlikes,
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

  test('a text that is too long to be a name is refused by its length, in no time', async (t) => {
    const { call } = await served(t);
    assert.equal(isOwnPosId(`poid${'\u200b'.repeat(60)}`), true);
    assert.equal(isOwnPosId(`poid${'\u200b'.repeat(61)}`), false);
    const begunMs = performance.now();
    for (const [path, fields] of calls) {
      const body = JSON.stringify({ ...sale, ...fields, posId: quadraticName });
      const { status, json } = await call({ path: `/sp/v1/${path}`, body });
      assert.deepEqual([status, json.reason], [400, 'fieldInvalid'], path);
    }
    assert.ok(performance.now() - begunMs < 2_000);
  });

  test('no other name is one', () => {
    for (const posId of ['POS-1', 'poid-1', 'OPERATOR2', 'operators', 'co-operator', 'p', '', ...foreign]) {
      assert.equal(isOwnPosId(posId), false, posId);
    }
  });
});
