import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { dialectFileSchema } from '../../src/hosts/iso8583/dialects/check.ts';
import { messageMac, ofKeyExchange, ofMac } from '../../src/methods/card/settings/mac.ts';

const keyEncryptingKey = '0123456789ABCDEFFEDCBA9876543210';
const bank = JSON.parse(
  readFileSync(new URL('../../fixtures/dialects/second-bank.json', import.meta.url), 'utf8'),
) as Record<string, never>;
const keyExchange = bank['messages']?.['keyExchange'] as unknown as Record<string, unknown>;

const withExchange = (changed: Record<string, unknown> | undefined, fields = {}) => ({
  ...bank,
  fields: { ...(bank['fields'] as unknown as object), ...fields },
  messages: { ...(bank['messages'] as unknown as object), keyExchange: changed && { ...keyExchange, ...changed } },
});

const macOf = (changed: Record<string, unknown>) =>
  messageMac.parse({ algorithm: 'iso9797-3', key: { session: { keyEncryptingKey } }, ...changed });

const sentences = (faults: readonly { path: readonly (string | number)[]; message: string }[]) =>
  faults.map(({ path, message }) => `${path.join('.')} ${message}`);

describe('the key of authentication codes in a configuration', () => {
  test('is fixed or from the host, not both, and not neither', () => {
    const both = { fixed: keyEncryptingKey, session: { keyEncryptingKey } };
    for (const key of [{}, both]) {
      assert.deepEqual(sentences(ofMac({ mac: macOf({ key }) }, 1)), [
        'acquirers.1.mac.key must have one of fixed, session and dukpt',
      ]);
    }
    assert.deepEqual(ofMac({ mac: macOf({}) }, 0), []);
  });

  test('a key-encrypting key has the length of its cipher', () => {
    const key = { session: { keyEncryptingKey: '11'.repeat(32) } };
    assert.deepEqual(ofMac({ mac: macOf({ algorithm: 'aesCmac', key }) }, 0), []);
    assert.deepEqual(sentences(ofMac({ mac: macOf({ key }) }, 0)), [
      'acquirers.0.mac.key.session.keyEncryptingKey must have 16 or 24 bytes',
    ]);
  });
});

describe('session keys need of a dialect', () => {
  const faults = (mac: Record<string, unknown>, file: object = bank) =>
    sentences(ofKeyExchange({ mac: macOf(mac) }, dialectFileSchema.parse(file)));

  test('the message that asks for them', () => {
    assert.deepEqual(faults({}), []);
    assert.deepEqual(faults({}, withExchange(undefined)), [
      'mac.key.session needs the message keyExchange in the dialect',
    ]);
  });

  test('a key of a length that the algorithm has', () => {
    const file = withExchange({ key: { field: 120, bytes: 24, checkValue: { field: 120, at: 48 } } });
    const fault = 'mac.algorithm has no key of 24 bytes, which the keyExchange of the dialect sends';
    assert.deepEqual(faults({}, file), [fault]);
    // 24 bytes are a valid AES key, but not a whole number of AES blocks.
    assert.deepEqual(faults({ algorithm: 'aesCmac' }, file), [fault]);
    assert.deepEqual(faults({ algorithm: 'iso9797-1' }, file), []);
  });

  test('messages without a code before there is a key', () => {
    assert.deepEqual(faults({ types: ['0200', '0210', '0810'] }), [
      'mac.types.2 is sent before there is a session key, and can have no code',
    ]);
  });
});

test('a dialect has a key in a secret field of its own', () => {
  const faults = (changed: Record<string, unknown>, fields = {}) =>
    sentences(dialectFileSchema.safeParse(withExchange(changed, fields)).error?.issues.map(placed) ?? []);
  const placed = ({ path, message }: { path: PropertyKey[]; message: string }) => ({ path: path.map(String), message });
  const checkValue = { field: 120, at: 32 };
  assert.deepEqual(faults({}), []);
  assert.deepEqual(faults({ key: { field: 121, bytes: 16, checkValue } }), [
    'messages.keyExchange.key.field must be secret in fields: it holds a key',
  ]);
  assert.deepEqual(faults({ key: { field: 39, bytes: 16, checkValue } }), [
    'messages.keyExchange.key.field is a field with another meaning',
  ]);
  assert.deepEqual(faults({ answer: '0210' }), [
    'messages.keyExchange.answer is also the answer to a message about money: one could be taken for the other',
  ]);
  const approving = { ...bank, codes: { approved: ['00', '88'], keysOutOfStep: ['88'] } };
  assert.match(dialectFileSchema.safeParse(approving).error?.message ?? '', /both approved and keysOutOfStep/);
});
