import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withExtraFields } from '../../../hw-sim/host/iso8583/extra-fields.ts';
import { framed } from '../../../hw-sim/host/iso8583/frame.ts';
import { decodeIso8583 } from '../../../hw-sim/wires/decode/iso8583.ts';
import type { Frame } from '../../../hw-sim/wires/frame.ts';
import { shownWhole } from '../../../hw-sim/wires/shown.ts';
import { shownFields, uncovered, vector } from './shown-fields.ts';

/** The published test number of the vectors (PROTOCOLS §3.1). */
const pan = '4761739001010119';

function shown(payload: Buffer, kind: Frame['kind'] = 'frame') {
  const frame = { id: 1, atMs: 0, line: 'EDC', connection: 1, direction: 'fromTerminal', kind } as const;
  return shownWhole({ ...frame, wireBytes: payload.length, payload }, 'ISO 8583');
}

describe('a frame of a card host, field by field', () => {
  test('the reversal of PROTOCOLS §3.1', () => {
    const bytes = vector('messages/iso8583.json', '0400 reversal');
    const decoded = decodeIso8583(bytes, 'fromTerminal');
    assert.equal(decoded.summary, '0400 reversal · purchase · 30.00 · STAN 000123');
    assert.deepEqual(shownFields(decoded), [
      'length = 0053 (83 bytes)',
      'TPDU = 6000030000 (to 0003 from 0000)',
      'MTI = 0400 (reversal)',
      'bitmap = 3020078020C00004 (3 4 11 22 23 24 25 35 41 42 62)',
      '3 processing code = 000000 (purchase)',
      '4 amount = 000000003000 (30.00)',
      '11 STAN = 000123',
      '22 POS entry mode = 051 (chip)',
      '23 card sequence number = 001',
      '24 NII = 003',
      '25 POS condition code = 00',
      '35 track 2 = 476173••••••0119 (card data in the clear)',
      '41 terminal id = 12345678',
      '42 merchant id = 123456789012345',
      '62 private: invoice number = 000045',
    ]);
    assert.deepEqual(uncovered(bytes, decoded), []);
  });

  test('an approval, with what the issuer says to the chip', () => {
    const decoded = decodeIso8583(vector('messages/iso8583.json', '0210 approve'), 'toTerminal');
    assert.equal(decoded.summary, '0210 financial answer · purchase · 30.00 · STAN 000123 · 00 approved');
    assert.deepEqual(shownFields(decoded).slice(-5), [
      '39 response code = 00 (approved)',
      '41 terminal id = 12345678',
      '55 EMV data = 14 bytes',
      '  8A authorization response code = 00 (approved)',
      '  91 issuer authentication data = 9AF514C100000000',
    ]);
  });

  test('a sale: what the reader encrypted, and the chip’s own data', () => {
    const bytes = vector('messages/terminal.json', 'sale');
    const decoded = decodeIso8583(bytes, 'fromTerminal');
    assert.equal(decoded.summary, '0200 financial request · purchase · HKD 30.00 · STAN 000123');
    const lines = shownFields(decoded);
    for (const line of [
      '22 POS entry mode = 071 (contactless chip)',
      '  DFEE12 key serial number = FFFF9876543210E00001',
      '  57 track 2 equivalent data = A1A2A3A4A5A6A7A8B1B2B3B4B5B6B7B8C1C2C3C4C5C6C7C8 (encrypted by the reader)',
      '  9F27 cryptogram information data = 80 (ARQC: the chip asks the issuer)',
      '  95 terminal verification results = 8000048000 (offline data authentication not performed, online PIN entered, floor limit exceeded)',
      '  9F34 CVM results = 420300 (online PIN)',
      '  5F2A transaction currency = 0344 (HKD)',
    ]) {
      assert.ok(lines.includes(line), line);
    }
    assert.deepEqual(uncovered(bytes, decoded), []);
  });

  test('the totals of a settlement', () => {
    const decoded = decodeIso8583(vector('messages/terminal.json', 'settlement'), 'fromTerminal');
    assert.deepEqual(shownFields(decoded).slice(-6, -3), [
      '  sales = 999123456789012 (999, together 1234567890.12)',
      '  refunds = 001000000000500 (1, together 5.00)',
      '  debit sales = 000000000000000 (0, together 0.00)',
    ]);
  });

  test('a keep-alive, and an answer with a second bitmap', () => {
    assert.equal(decodeIso8583(Buffer.alloc(2), 'toTerminal').summary, 'keep-alive');
    // 0810 with bit 1 and 39, and a second bitmap without a bit.
    const bytes = Buffer.from('001960000000030810 8000000002000000 0000000000000000 3030'.replaceAll(' ', ''), 'hex');
    const decoded = decodeIso8583(bytes, 'toTerminal');
    assert.equal(decoded.problem, undefined);
    assert.deepEqual(shownFields(decoded).slice(-2), [
      'bitmap = 80000000020000000000000000000000 (1 39)',
      '39 response code = 00 (approved)',
    ]);
  });
});

describe('what other hosts put into their answers', () => {
  /** The approval of the vectors with more fields: length, TPDU, type, bitmap, and the approval's fields 3 to 41. */
  const approval = vector('messages/iso8583.json', '0210 approve');
  const answer = (extra: Record<string, string>): Buffer => {
    const message = withExtraFields(approval.subarray(7), extra);
    return framed(approval.subarray(2, 7), message);
  };

  test('bytes that are no text of their field are shown escaped, and those of numbers in hexadecimal', () => {
    const bytes = answer({
      15: 'FFFF',
      28: '4300000012',
      44: 'BDBB5C41',
      61: '410D0A42',
      63: '00FF',
      70: '0301',
      127: '7F',
    });
    const decoded = decodeIso8583(bytes, 'toTerminal');
    assert.equal(decoded.problem, undefined);
    assert.deepEqual(uncovered(bytes, decoded), []);
    const lines = shownFields(decoded);
    for (const line of ['15 = FFFF', '28 = 4300000012', '44 = \\xBD\\xBB\\x5CA', '61 private = A\\x0D\\x0AB']) {
      assert.ok(lines.includes(line), line);
    }
    for (const line of ['63 private: totals = \\x00\\xFF', '70 = 301', '127 = \\x7F'])
      assert.ok(lines.includes(line), line);
  });

  test('a track or an account in an answer is hidden', () => {
    const track = Buffer.from(`B${pan}^`).toString('hex');
    const decoded = decodeIso8583(
      answer({ 34: '34373631', 36: track, 45: track, 102: track, 103: track }),
      'toTerminal',
    );
    assert.equal(decoded.problem, undefined);
    assert.doesNotMatch(JSON.stringify(decoded), new RegExp(pan.slice(4, 12)));
  });

  test('a request with such bytes is still a mistake of the terminal', () => {
    const reversal = vector('messages/iso8583.json', '0400 reversal');
    const bytes = Buffer.from(reversal);
    bytes[bytes.length - 1] = 0xff;
    assert.match(decodeIso8583(bytes, 'fromTerminal').problem ?? '', /field 62/);
  });
});

describe('card data on the wire of a card host', () => {
  test('is shown neither in a field nor in the bytes', () => {
    for (const name of ['0200 sale', '0400 reversal', '0200 void']) {
      const text = JSON.stringify(shown(vector('messages/iso8583.json', name)));
      assert.ok(text.includes('476173••••••0119'), name);
      assert.ok(!text.includes(pan) && !text.includes(pan.slice(4, 14)), name);
    }
  });

  test('nor where the message breaks off, or is none', () => {
    const bytes = vector('messages/iso8583.json', '0200 void');
    const cut = shown(bytes.subarray(0, 26));
    assert.match(cut.problem ?? '', /^field 3: /);
    assert.ok(!JSON.stringify(cut).includes(pan.slice(4, 14)));
    assert.ok(!JSON.stringify(shown(bytes, 'noise')).includes(pan.slice(4, 14)));
    // Field 55 that is no list of objects: all of it may be a number.
    const data = Buffer.from(`001A6000030000020000000000000002000008${pan}`, 'hex');
    assert.ok(!JSON.stringify(shown(data)).includes(pan.slice(4, 14)));
  });
});
