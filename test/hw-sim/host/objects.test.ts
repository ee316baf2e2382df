import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { amountText, currencyOf } from '../../../hw-sim/host/iso8583/currency.ts';
import { emvDataText, MalformedObjects, parseEmvData } from '../../../hw-sim/host/iso8583/emv-data.ts';
import { hongKongTime, Numbers } from '../../../hw-sim/host/iso8583/numbers.ts';
import { openReaderObjects, readPan, readTrack2 } from '../../../hw-sim/host/iso8583/reader-objects.ts';
import { ksn, readerObjects, testBdk } from './terminal.ts';

describe('EMV data objects', () => {
  const objects = new Map([
    ['95', '8000048000'],
    ['9F02', '000000003000'],
    ['DFEE12', ''],
  ]);
  const text = '950580000480009F0206000000003000DFEE1200';

  it('read and write', () => {
    assert.deepEqual(parseEmvData(text), objects);
    assert.equal(emvDataText(objects), text);
    assert.deepEqual(parseEmvData(`9F108180${'AB'.repeat(128)}`), new Map([['9F10', 'AB'.repeat(128)]]));
  });

  it('refuse every cut that is not between two objects', () => {
    for (let length = 2; length < text.length; length += 2) {
      if (length === 14 || length === 32) continue;
      assert.throws(() => parseEmvData(text.slice(0, length)), MalformedObjects, `${length / 2} bytes`);
    }
  });

  for (const hex of ['9501009501FF', '7003950100', '00', '9F', '9580', '958201', '95010080']) {
    it(`refuse ${hex}`, () => assert.throws(() => parseEmvData(hex), MalformedObjects));
  }
});

describe("the reader's objects", () => {
  const track2 = '4761739001010119D31122011758928889';
  const keys = { bdk: testBdk, aesBdk: Buffer.from('FEDCBA9876543210F1F1F1F1F1F1F1F1', 'hex') };
  /** Track 2 of the Visa card: computed with Python's cryptography package under the first published key. */
  const aesTrack =
    'DFEE120C12345678901234560000000157C120341E4E760AC8B1E1C163C36BE05C2729FEDA9CD71227C2EDF296431FDDA3EFA4';
  const pinKsn = '123456789012345700000001';
  const block = '00112233445566778899AABBCCDDEEFF';

  it('open with the key of their serial number', () => {
    const opened = openReaderObjects(keys, readerObjects('57', track2, 5), '57');
    assert.deepEqual(opened, { ksn: ksn(5), value: track2 });
    assert.deepEqual(readTrack2(opened.value), { pan: '4761739001010119', expiry: '3112' });
    assert.equal(
      readPan(openReaderObjects(keys, readerObjects('5A', '378282246310005F', 5), '5A').value),
      '378282246310005',
    );
  });

  it('stay shut for another key, another tag and every flipped bit of the first block', () => {
    const text = readerObjects('57', track2, 5);
    assert.throws(() => openReaderObjects({ bdk: Buffer.alloc(16, 1) }, text, '57'), MalformedObjects);
    assert.throws(() => openReaderObjects(keys, text, '5A'), MalformedObjects);
    const start = text.length / 2 - 24;
    for (let bit = 0; bit < 64; bit++) {
      const bytes = Buffer.from(text, 'hex');
      const at = start + (bit >> 3);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (bit & 7)), at);
      assert.throws(() => openReaderObjects(keys, bytes.toString('hex').toUpperCase(), '57'), MalformedObjects);
    }
  });

  it('are refused cut anywhere, with a byte too many, and with a counter that no device uses', () => {
    const text = readerObjects('57', track2, 5);
    for (let length = 0; length < text.length; length += 2) {
      assert.throws(() => openReaderObjects(keys, text.slice(0, length), '57'), MalformedObjects);
    }
    assert.throws(() => openReaderObjects(keys, `${text}00`, '57'), MalformedObjects);
    const used = (counter: string) => text.replace(ksn(5), `FFFF9876543210${counter}`);
    assert.throws(() => openReaderObjects(keys, used('E00000'), '57'), MalformedObjects);
    assert.throws(() => openReaderObjects(keys, used('FFFFFF'), '57'), MalformedObjects);
  });

  it('end with the fewest 00 that fill a block', () => {
    const pan = '4761739001010119';
    assert.equal(openReaderObjects(keys, readerObjects('5A', pan, 5), '5A').value, pan);
    for (const padding of ['000000000001', '010000000000', '0000000000000000000000000000']) {
      const text = readerObjects('5A', pan, 5, padding);
      assert.throws(() => openReaderObjects(keys, text, '5A'), MalformedObjects, padding);
    }
  });

  it('open under an AES key, alone and with a PIN block behind', () => {
    const value = '4761739001010119D311220117588928';
    const ksn = '123456789012345600000001';
    assert.deepEqual(openReaderObjects(keys, aesTrack, '57'), { ksn, value });
    assert.deepEqual(openReaderObjects(keys, `${aesTrack}DFEE510C${pinKsn}99C110${block}`, '57'), {
      ksn,
      value,
      pin: { ksn: pinKsn, block },
    });
    assert.deepEqual(openReaderObjects(keys, `${aesTrack}DFEE510A${'12'.repeat(10)}`, '57').pin, {
      ksn: '12'.repeat(10),
    });
  });

  it('stay shut under an AES key that nobody has, and with a PIN that is none', () => {
    assert.throws(() => openReaderObjects({ bdk: testBdk }, aesTrack, '57'), MalformedObjects);
    for (const wrong of [
      `99C110${block}`,
      `DFEE510C${pinKsn}99C108${block.slice(16)}`,
      `DFEE510C${pinKsn}9910${block}`,
      `DFEE510C${pinKsn}99C110${block}00`,
      `DFEE510A${pinKsn.slice(4)}99C110${block}`,
    ]) {
      assert.throws(() => openReaderObjects(keys, aesTrack + wrong, '57'), MalformedObjects, wrong);
    }
    assert.throws(() => openReaderObjects(keys, aesTrack.replace('00000001', '00000002'), '57'), MalformedObjects);
  });

  it('must hold what they claim to', () => {
    for (const value of ['4761739001010119', 'D3112201', '4761739001010119D31']) assert.throws(() => readTrack2(value));
    for (const value of ['4761', '4761739001010119D3', 'FFFFFFFFFFFFFFFF']) assert.throws(() => readPan(value));
  });
});

describe('amounts in the books', () => {
  it('are exact in major units', () => {
    const text = (minor: bigint, numeric: string): string => {
      const currency = currencyOf(numeric);
      assert.ok(currency);
      return `${currency.code} ${amountText(minor, currency)}`;
    };
    assert.equal(text(3000n, '344'), 'HKD 30.00');
    assert.equal(text(5n, '344'), 'HKD 0.05');
    assert.equal(text(0n, '344'), 'HKD 0.00');
    assert.equal(text(3000n, '392'), 'JPY 3000');
    assert.equal(text(3000n, '414'), 'KWD 3.000');
    assert.equal(text(999_999_999_999n, '840'), 'USD 9999999999.99');
    assert.equal(currencyOf('999'), undefined);
  });
});

function codes(seed: number): string[] {
  const numbers = new Numbers(seed);
  return Array.from({ length: 20 }, () => numbers.approvalCode());
}

describe('numbers that the host gives out', () => {
  it('tell Hong Kong time', () => {
    const { time, date, yearDigit, dayOfYear } = hongKongTime(new Date('2026-12-31T15:59:59.999Z'));
    assert.deepEqual([time, date, yearDigit, dayOfYear], ['235959', '1231', '6', '365']);
    const next = hongKongTime(new Date('2027-12-31T16:00:00Z'));
    assert.deepEqual([next.time, next.date, next.yearDigit, next.dayOfYear], ['000000', '0101', '8', '001']);
  });

  it('come again with the same seed, and differ with another', () => {
    assert.deepEqual(codes(7), codes(7));
    assert.notDeepEqual(codes(7), codes(8));
    assert.equal(new Set([0, 1, 2].flatMap(codes)).size, 60);
    for (const code of codes(0)) assert.match(code, /^[0-9A-Z]{6}$/);
  });

  it('are never the same reference twice', () => {
    const numbers = new Numbers(1);
    const at = hongKongTime(new Date('2026-08-25T02:15:30Z'));
    assert.deepEqual([numbers.rrn(at), numbers.rrn(at)], ['623710000001', '623710000002']);
  });
});
