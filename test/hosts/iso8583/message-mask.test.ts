import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { encodeFrame } from '../../../src/codecs/iso8583/frame.ts';
import { pack } from '../../../src/codecs/iso8583/message.ts';
import { encodeTlv } from '../../../src/codecs/emv/tlv.ts';
import {
  compileDialect,
  builtInDialects,
  dialects,
  type Dialect,
  type HostValues,
} from '../../../src/hosts/iso8583/dialect.ts';
import { dialectFileSchema } from '../../../src/hosts/iso8583/dialects/check.ts';
import { MessageMask } from '../../../src/hosts/iso8583/message-mask.ts';
import { sampleKinds, sampleMessage } from '../../../src/hosts/iso8583/sample.ts';
import type { MaskedMessage } from '../../../src/payment/contracts/line-message.ts';
import { bytes } from './terminal.ts';

const secondBank = dialectFileSchema.parse(
  JSON.parse(readFileSync(new URL('../../../fixtures/dialects/second-bank.json', import.meta.url), 'utf8')),
);

function sent(dialect: Dialect, mti: string, fields: HostValues): MaskedMessage {
  const tpdu = dialect.framing.hasTpdu ? bytes('6000030000') : new Uint8Array(0);
  const message = pack(dialect.spec, { mti, fields });
  return new MessageMask(dialect).ofSent(encodeFrame({ tpdu, message }, dialect.framing));
}

const received = (dialect: Dialect, mti: string, fields: HostValues) =>
  new MessageMask(dialect).ofReceived(pack(dialect.spec, { mti, fields }));

const valueOf = ({ parts }: MaskedMessage, field: number) => {
  const part = parts.find((each) => each.field === field);
  assert.ok(part, `field ${field} is missing`);
  return part.value;
};

/** A published test number. */
const pan = '4761739001010119';

test('shows what the dialect knows to be no secret, and tells the length of the rest', () => {
  const message = sent(dialects.EDC, '0200', {
    3: '000000',
    4: '000000003000',
    11: '000123',
    48: bytes(`DFEE120AFFFF9876543210E00001`),
    52: bytes('0102030405060708'),
    62: '000045',
  });
  assert.equal(message.mti, '0200');
  assert.equal(message.fault, undefined);
  assert.deepEqual(
    message.parts.map(({ field, value, bytes: length }) => [field, value ?? length]),
    [
      [3, '000000'],
      [4, '000000003000'],
      [11, '000123'],
      [48, 16],
      [52, 8],
      [62, '000045'],
    ],
  );
});

test('no field of card data or keys is ever shown, whatever the direction', () => {
  const fields: HostValues = {
    2: pan,
    14: '2812',
    35: `${pan}D28122010000000000`,
    45: `B${pan}^CARDHOLDER/TEST^2812201`,
    48: bytes('00112233445566778899AABBCCDDEEFF'),
    52: bytes('0102030405060708'),
    53: '1234567890123456',
    62: 'F0E1D2C3B4A5968778695A4B3C2D1E0F',
    63: '00112233445566778899AABBCCDDEEFF',
    64: bytes('A1A2A3A4A5A6A7A8'),
  };
  for (const message of [sent(dialects.EDC, '0200', fields), received(dialects.EDC, '0210', fields)]) {
    const clear = message.parts.filter(({ value }) => value !== undefined).map(({ field }) => field);
    // The terminal writes an invoice number and totals into 62 and 63, so these are shown. A host's values are not.
    assert.deepEqual(clear, message.mti === '0200' ? [62, 63] : []);
    assert.equal(message.parts.length, Object.keys(fields).length);
    assert.ok(message.parts.every((part) => part.bytes > 0));
  }
});

test('a card number in a field that is shown is masked', () => {
  const { parts } = received(dialects.EDC, '0210', { 37: '476173900101', 90: `${pan}00000000000000000000000000` });
  assert.ok(parts.every(({ value = '' }) => !value.includes(pan)));
  assert.match(parts[1]?.value ?? '', /\*/);
});

test('a card number in an EMV object that is shown is hidden, wherever it begins', () => {
  for (const [tag, hex] of [
    ['9F10', pan],
    ['91', `01${pan}`],
    ['9F10', `0${pan}F`],
    ['9F10', `0601${pan}`],
    ['50', Buffer.from(pan).toString('hex')],
  ] as const) {
    const field55 = encodeTlv([[tag, bytes(hex)]]);
    for (const masked of [
      sent(dialects.EDC, '0200', { 11: '000001', 55: field55 }),
      received(dialects.EDC, '0210', { 11: '000001', 39: '00', 55: field55 }),
    ]) {
      const text = JSON.stringify(masked);
      assert.match(text, /\*{12}/, hex);
      assert.ok(!text.includes(pan.slice(0, 12)), hex);
      assert.ok(!text.includes(Buffer.from(pan.slice(0, 12)).toString('hex')), hex);
    }
  }
});

test('EMV objects by name; those of the card and unknown ones by their length', () => {
  const objects = encodeTlv(
    Object.entries({
      '9F26': '7A788EA6B8A3E733',
      '5A': pan,
      '57': `${pan}D28122010000000000`,
      '5F24': '281231',
      '5F20': '434152442F54455354',
      '9F1F': '3132333435',
      '56': '4234373631',
      '9F6B': `${pan}D2812201`,
      DF8129: '30F0F0',
      '95': '8000048000',
    }).map(([tag, hex]) => [tag, bytes(hex)] as const),
  );
  for (const message of [
    sent(dialects.EDC, '0200', { 55: objects }),
    received(dialects.EDC, '0210', { 55: objects }),
  ]) {
    const [chip] = message.parts;
    assert.equal(chip?.value, undefined);
    assert.deepEqual(
      chip?.objects?.filter(({ value }) => value !== undefined),
      [
        { tag: '95', name: 'Terminal Verification Results', bytes: 5, value: '8000048000' },
        { tag: '9F26', name: 'Application Cryptogram', bytes: 8, value: '7A788EA6B8A3E733' },
      ],
    );
    assert.equal(chip?.objects?.length, 10);
  }
});

test('a field 55 that is no list of objects, and one that is secret, are read by their length', () => {
  const broken = sent(dialects.EDC, '0200', { 55: bytes('9F26FF01') });
  assert.deepEqual(Object.keys(broken.parts[0] ?? {}).sort(), ['bytes', 'field', 'name']);
  const file = structuredClone(builtInDialects.EDC);
  const entry = file.fields['55'];
  assert.ok(entry);
  const secret = compileDialect({ ...file, fields: { ...file.fields, 55: { ...entry, secret: true } } });
  const hidden = sent(secret, '0200', { 55: bytes('9F260101') });
  assert.deepEqual(Object.keys(hidden.parts[0] ?? {}).sort(), ['bytes', 'field', 'name']);
});

test('a field that a dialect fills with a secret is hidden in answers too', () => {
  const file = structuredClone(builtInDialects.EDC);
  const fields = { ...file.fields, 37: { ...file.fields['37'], content: 'ksn' as const } };
  const dialect = compileDialect({ ...file, fields } as typeof file);
  assert.equal(valueOf(received(dialect, '0210', { 37: '123456789012' }), 37), undefined);
  assert.equal(valueOf(received(dialects.EDC, '0210', { 37: '123456789012' }), 37), '123456789012');
});

test('a setting is hidden: it may be a password of the bank', () => {
  const file = structuredClone(secondBank);
  const fields = { ...file.fields, 60: { ...file.fields['60'], content: { setting: 'storeCode' } } };
  const dialect = compileDialect({ ...file, fields } as typeof file);
  assert.equal(valueOf(sent(dialect, '0500', { 60: '0042' }), 60), undefined);
  assert.equal(valueOf(sent(compileDialect(secondBank), '0500', { 60: 'B000007' }), 60), 'B000007');
});

test('an answer that does not have the format of its fields is read by its lengths, or not at all', () => {
  const message = pack(dialects.EDC.spec, { mti: '0210', fields: { 3: '000000', 39: '00', 41: '12345678' } });
  const wrong = Uint8Array.from(message);
  wrong[10] = 0xaa;
  const mask = new MessageMask(dialects.EDC);
  const read = mask.ofReceived(wrong);
  assert.ok(read.fault);
  assert.deepEqual(
    read.parts.map(({ field, value }) => [field, value]),
    [
      [3, undefined],
      [39, undefined],
      [41, undefined],
    ],
  );
  const cut = mask.ofReceived(message.subarray(0, 14));
  assert.deepEqual(cut.parts, []);
  assert.ok(cut.fault);
  assert.ok(mask.ofSent(bytes('00')).fault);
});

test('every message of every dialect is decoded, and none of the sample card’s data is in it', () => {
  const secrets = ['D1D2D3D4D5D6D7D8', 'A1A2A3A4A5A6A7A8', '0102030405060708', 'FFFF9876543210E0'];
  for (const file of [...Object.values(builtInDialects), secondBank]) {
    const mask = new MessageMask(compileDialect(file));
    for (const kind of sampleKinds(file)) {
      const { frame } = sampleMessage({ ...file, fields: withoutSecrets(file.fields) }, kind);
      assert.ok(frame);
      const raw = frame + Buffer.from(frame, 'hex').toString('latin1');
      assert.ok(
        secrets.some((each) => raw.includes(each)) || !/^(sale|auth|refund)$/.test(kind),
        `${file.name} ${kind}`,
      );
      const masked = mask.ofSent(bytes(frame));
      assert.equal(masked.fault, undefined, `${file.name} ${kind}: ${masked.fault}`);
      const text = JSON.stringify(masked);
      for (const each of secrets) assert.ok(!text.includes(each), `${each} of ${file.name} ${kind}`);
    }
  }
});

/** Makes no field secret, so that the sample has its frame. */
function withoutSecrets<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([number, entry]) => [number, { ...entry, secret: false }]),
  ) as Fields;
}
