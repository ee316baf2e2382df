import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeMms } from '../../../hw-sim/wires/decode/mms.ts';
import { decodeNeo2 } from '../../../hw-sim/wires/decode/neo2.ts';
import { shownFields, uncovered, vector } from './shown-fields.ts';

const neo2 = (name: string, direction: 'fromTerminal' | 'toTerminal') => {
  const bytes = vector('frames/neo2.json', name);
  const decoded = decodeNeo2(bytes, direction);
  assert.deepEqual(uncovered(bytes, decoded), [], name);
  return decoded;
};
const mms = (name: string, direction: 'fromTerminal' | 'toTerminal') => {
  const bytes = vector('frames/mms.json', name);
  const decoded = decodeMms(bytes, direction);
  assert.deepEqual(uncovered(bytes, decoded), [], name);
  return decoded;
};

describe('a NEO2 frame, field by field', () => {
  test('the ping of IDG p.42, whose CRC has its low byte first, and its answer, the high one', () => {
    assert.deepEqual(shownFields(neo2('ping', 'fromTerminal')), [
      'header = ViVOtech2',
      'command = 18 (ping)',
      'sub-command = 01',
      'data length = 0000 (0 bytes)',
      'CRC = B3CD (correct)',
    ]);
    const answer = neo2('ping answer', 'toTerminal');
    assert.equal(answer.summary, '18/00 ping: OK');
    assert.deepEqual(shownFields(answer).slice(2), [
      'status = 00 (OK)',
      'data length = 0000 (0 bytes)',
      'CRC = FA83 (correct)',
    ]);
    const wrongWay = decodeNeo2(vector('frames/neo2.json', 'ping'), 'toTerminal');
    assert.equal(shownFields(wrongWay).at(-1), 'CRC = B3CD (WRONG)');
  });

  test('an armed reader', () => {
    const decoded = neo2('activate transaction, contactless, chip and stripe, 30.00 HKD', 'fromTerminal');
    assert.equal(decoded.summary, '02-40 activate transaction · HKD 30.00');
    assert.deepEqual(shownFields(decoded).slice(4, -1), [
      'time-out = 3C (60 s)',
      '9F02 amount, authorized = 000000003000',
      '9C transaction type = 00 (purchase)',
      '5F2A transaction currency = 0344 (HKD)',
      '9F03 amount, other = 000000000000',
      'DFEF37 interfaces to arm = 07 (stripe, contactless, chip)',
    ]);
  });

  test('a chip: masked and encrypted objects one after the other', () => {
    const decoded = neo2('chip that waits for its decision', 'toTerminal');
    assert.equal(decoded.summary, '02/23 transaction: request for online authorization · HKD 30.00 · contact chip');
    assert.deepEqual(shownFields(decoded).slice(4, 10), [
      'attribution = C0 (contact chip, TDES)',
      'DFEE12 key serial number = FFFF9876543210E00001',
      '57 track 2 equivalent data = 476173CCCCCC0119DCCCCCCCCCCCCCCC (masked by the reader)',
      '57 track 2 equivalent data = 86E0D13F594DED609564CC183B923FC452E7AF878C7AE3DA (encrypted by the reader)',
      '5A application PAN = 476173CCCCCC0119 (masked by the reader)',
      '5A application PAN = F9A2A5F0D3F648B8DD180341320CD753 (encrypted by the reader)',
    ]);
  });

  test('failures, the host’s answer with scripts, and a PIN', () => {
    assert.deepEqual(
      shownFields(neo2('use the stripe', 'toTerminal'))[4],
      'FFEE1F error of the reader = 62070000 (failed, use the stripe)',
    );
    assert.deepEqual(shownFields(neo2('apply host response, approved, with scripts', 'fromTerminal')).slice(4, 10), [
      'issuer = 01 (the host answered)',
      '8A authorization response code = 00 (approved)',
      '91 issuer authentication data = 11223344556677883030',
      '71 issuer script, before the final cryptogram',
      '  9F18 issuer script identifier = 00000001',
      '  86 issuer script command = 8418000001AA',
    ]);
    assert.equal(shownFields(neo2('enter PIN, 60 s', 'fromTerminal'))[9], 'text = HKD 30.00 / ENTER PIN');
    assert.deepEqual(shownFields(neo2('enter PIN answer, PIN under an AES key', 'toTerminal')).slice(4, 7), [
      'state = 00 (PIN follows)',
      'key serial number = 123456789012345600000001',
      'PIN block = A912150391AB65A67E52883D81CE2D15 (encrypted by the PIN pad)',
    ]);
  });

  test('card data that a reader sends in the clear are hidden', () => {
    // 02/00 with a plain 5A: no reader of a merchant does that.
    const data = Buffer.from('C0 5A084761739001010119'.replaceAll(' ', ''), 'hex');
    const head = Buffer.from('5669564F7465636832000200', 'hex');
    const bytes = Buffer.concat([head, Buffer.of(0, data.length), data, Buffer.of(0, 0)]);
    const [, pan] = decodeNeo2(bytes, 'toTerminal').fields.slice(4);
    assert.deepEqual([pan?.value, pan?.secret], ['476173••••••0119', true]);
  });
});

describe('an MMS message, field by field', () => {
  test('the start of a transaction', () => {
    const decoded = mms('start, all interfaces, 60 s, 30.00 HKD', 'fromTerminal');
    assert.equal(decoded.summary, '1001 start transaction, request · HKD 30.00');
    assert.deepEqual(shownFields(decoded), [
      'start = AA00',
      '81 message',
      '  type = 01 (request)',
      '  reference = 00',
      '  id = 1001 (start transaction)',
      '84 data',
      '  id again = 1001',
      '  82 time-out = 3C (60 s)',
      '  A3 interfaces',
      '    81 stripe = 01 (on)',
      '    82 contact chip = 01 (on)',
      '    83 contactless = 03 (on)',
      '  84 options = 0002',
      '  86 data of the transaction',
      '    9C transaction type = 00 (purchase)',
      '    9F02 amount, authorized = 000000003000',
      '    9F03 amount, other = 000000000000',
      '    5F2A transaction currency = 0344 (HKD)',
    ]);
  });

  test('answers and notifications', () => {
    assert.equal(
      mms('cancel answer, no transaction', 'toTerminal').summary,
      '1008 cancel transaction, response · failed · no transaction',
    );
    assert.equal(
      mms('transaction over, chip approved', 'toTerminal').summary,
      '0105 transaction complete, notification · contact · approved',
    );
    const data = shownFields(mms('contactless card declines offline', 'toTerminal'));
    for (const line of [
      '  header and length = 0101848201340132',
      '        9F27 cryptogram information data = 00 (AAC: the chip declines)',
      '        DFDF4D track 2, masked = 4761730000000119=00000000000000000000',
      '          DFDF5A encrypted PAN = F9A2A5F0D3F648B8DD180341320CD753',
    ]) {
      assert.ok(data.includes(line), line);
    }
  });

  test('the host’s answer, a PIN block, and a card number that is hidden', () => {
    assert.equal(
      shownFields(mms('resume, approved', 'fromTerminal')).at(-1),
      '          8A authorization response code = 00 (approved)',
    );
    assert.ok(shownFields(mms('PIN', 'toTerminal')).includes('    99 PIN block = 1B9C1845EB993A7A'));
    const pin = shownFields(mms('enter PIN, the published example', 'fromTerminal'));
    assert.equal(pin.at(-1), '    82 card number = 6 bytes (card data in the clear)');
  });
});
