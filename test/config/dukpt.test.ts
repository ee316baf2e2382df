import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { dialectFileSchema } from '../../src/hosts/iso8583/dialects/check.ts';
import { messageMac, ofKeySerial, ofMac } from '../../src/methods/card/settings/mac.ts';

/** A published test key (ANSI X9.24-1:2009, A.4). */
const dukpt = { initialKey: '6AC292FAA1315B4D858AB3A3D7D5933A', ksn: 'FFFF9876543210E00000' };
const bank = JSON.parse(readFileSync(new URL('../../fixtures/dialects/second-bank.json', import.meta.url), 'utf8')) as {
  readonly fields: Record<string, object>;
  readonly messages: Record<string, { readonly fields: number[] }>;
};

const macOf = (changed: object = {}) => messageMac.parse({ algorithm: 'iso9797-3', key: { dukpt }, ...changed });
const sentences = (faults: readonly { path: readonly (string | number)[]; message: string }[]) =>
  faults.map(({ path, message }) => `${path.join('.')} ${message}`);
const parse = (file: object) => dialectFileSchema.parse(file);

describe('DUKPT keys in a configuration', () => {
  test('are of triple DES, and the only source of keys', () => {
    assert.deepEqual(ofMac({ mac: macOf() }, 0), []);
    assert.deepEqual(sentences(ofMac({ mac: macOf({ algorithm: 'aesCmac' }) }, 0)), [
      'acquirers.0.mac.algorithm must be iso9797-1 or iso9797-3: the keys of mac.key.dukpt are of triple DES',
    ]);
    assert.deepEqual(sentences(ofMac({ mac: macOf({ key: { dukpt, fixed: dukpt.initialKey } }) }, 0)), [
      'acquirers.0.mac.key must have one of fixed, session and dukpt',
    ]);
  });

  test('an initial key has 16 bytes, its serial number 10', () => {
    for (const changed of [{ initialKey: '11'.repeat(8) }, { ksn: 'FFFF9876543210E0000' }, { ksn: `${dukpt.ksn}00` }]) {
      const parsed = messageMac.safeParse({ algorithm: 'iso9797-3', key: { dukpt: { ...dukpt, ...changed } } });
      assert.equal(parsed.success, false, JSON.stringify(changed));
    }
  });
});

describe('DUKPT keys need of a dialect', () => {
  const without = (name: string) => {
    const row = bank.messages[name] ?? assert.fail(name);
    const fields = row.fields.filter((field) => field !== 53);
    return parse({ ...bank, messages: { ...bank.messages, [name]: { ...row, fields } } });
  };
  const lacks = (name: string) =>
    `mac.key.dukpt needs the field with macKsn in the message ${name} of the dialect, which has an authentication code`;

  test('a field for the serial number in every message with a code', () => {
    assert.deepEqual(ofKeySerial({ mac: macOf() }, parse(bank)), []);
    for (const name of ['sale', 'reversal', 'settlement', 'echo'])
      assert.deepEqual(sentences(ofKeySerial({ mac: macOf() }, without(name))), [lacks(name)]);
  });

  test('none in a message without a code', () => {
    const mac = macOf({ types: ['0200', '0210', '0421'] });
    assert.deepEqual(ofKeySerial({ mac }, without('echo')), []);
    // The repeat of a reversal (0421) has a code.
    assert.deepEqual(sentences(ofKeySerial({ mac }, without('reversal'))), [lacks('reversal')]);
  });

  test('such a field at all', () => {
    const { 53: _serial, ...fields } = bank.fields;
    const messages = Object.fromEntries(
      Object.entries(bank.messages).map(([name, row]) => [
        name,
        { ...row, fields: row.fields.filter((field) => field !== 53) },
      ]),
    );
    const file = parse({ ...bank, fields, messages });
    assert.deepEqual(sentences(ofKeySerial({ mac: macOf() }, file)), [
      'mac.key.dukpt needs a field with the content macKsn in the dialect',
    ]);
    assert.deepEqual(ofKeySerial({}, file), []);
  });

  for (const [changed, message] of [
    [
      { fields: { ...bank.fields, 53: { encoding: 'hex', length: 11, content: { value: 'macKsn', size: 11 } } } },
      /alone/,
    ],
    [{ fields: { ...bank.fields, 53: { ...bank.fields['53'], echoed: 'always' } } }, /another macKsn/],
    [{ fields: { ...bank.fields, 61: { encoding: 'hex', length: 10, content: 'macKsn' } } }, /another field has/],
    [
      { messages: { ...bank.messages, sale: { ...bank.messages['sale'], content: { 53: 'macKsn' } } } },
      /stands in fields/,
    ],
  ] as const) {
    test(`the serial number ${message.source}`, () => {
      assert.match(dialectFileSchema.safeParse({ ...bank, ...changed }).error?.message ?? '', message);
    });
  }
});
