import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type MessageForm, mtiOf, partLast, withLast } from '../../../hw-sim/host/iso8583/last-field.ts';
import { toPage } from '../../../hw-sim/host/iso8583/dialect/codes.ts';

const code = Buffer.from('0123456789ABCDEF', 'hex');
const ebcdic = (text: string) => toPage(text, 'ebcdic') as Buffer;

interface Case {
  readonly form: MessageForm;
  /** Fields 3 and 11. */
  readonly message: Buffer;
  readonly sealed: Readonly<Record<64 | 128, Buffer>>;
}

const cases: Readonly<Record<string, Case>> = {
  binary: {
    form: { mti: 'bcd', bitmap: 'binary', bytes: 'binary' },
    message: Buffer.from('08002020000000000000920000000001', 'hex'),
    sealed: {
      64: Buffer.from('080020200000000000019200000000010123456789ABCDEF', 'hex'),
      128: Buffer.from('0800A02000000000000000000000000000019200000000010123456789ABCDEF', 'hex'),
    },
  },
  hex: {
    form: { mti: 'ascii', bitmap: 'hex', bytes: 'hex' },
    message: Buffer.from('08002020000000000000920000000001'),
    sealed: {
      64: Buffer.from('080020200000000000019200000000010123456789ABCDEF'),
      128: Buffer.from('0800A02000000000000000000000000000019200000000010123456789ABCDEF'),
    },
  },
  hexEbcdic: {
    form: { mti: 'ebcdic', bitmap: 'hexEbcdic', bytes: 'binary' },
    message: ebcdic('08002020000000000000920000000001'),
    sealed: {
      64: Buffer.concat([ebcdic('08002020000000000001920000000001'), code]),
      128: Buffer.concat([ebcdic('0800A0200000000000000000000000000001920000000001'), code]),
    },
  },
};

for (const [name, { form, message, sealed }] of Object.entries(cases)) {
  describe(`a last field behind a ${name} bitmap`, () => {
    for (const field of [64, 128] as const) {
      test(`${field} is added and taken away`, () => {
        let covered: Buffer | undefined;
        const whole = withLast(message, field, form, (before) => {
          covered = before;
          return code;
        });
        assert.deepEqual(whole, sealed[field]);
        const parted = partLast(whole, field, form);
        assert.deepEqual(parted?.before, covered);
        assert.deepEqual(parted?.value, code);
        assert.deepEqual(parted?.rest, message);
      });
    }

    test('a message that does not end with it has none', () => {
      assert.equal(partLast(message, 64, form), undefined);
      assert.equal(partLast(sealed[128], 64, form), undefined);
      assert.equal(mtiOf(message, form), '0800');
    });

    test('one that is cut is malformed', () => {
      assert.throws(() => partLast(sealed[64].subarray(0, 8), 64, form), /ends inside|not hexadecimal/);
    });
  });
}
