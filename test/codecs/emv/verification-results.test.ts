import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cryptogramKind, cryptogramText } from '../../../src/codecs/emv/cryptogram.ts';
import { cvmText } from '../../../src/codecs/emv/cvm.ts';
import { secondCryptogramText, faultsSince } from '../../../src/codecs/emv/second-generate-ac.ts';
import { tsiTexts, tvrTexts } from '../../../src/codecs/emv/verification-results.ts';

interface Bit {
  readonly name: string;
  readonly byte: number;
  readonly bit: string;
}
const published = JSON.parse(
  readFileSync(new URL('../../../fixtures/emv/verification-results.json', import.meta.url), 'utf8'),
) as {
  readonly tvr: readonly Bit[];
  readonly tsi: readonly Bit[];
  readonly cvmCodes: readonly { readonly name: string; readonly code: string }[];
};

/** A word or two of each published constant, in the order of the bits, that the text has to have. */
const tvrWords = [
  ['authentication not performed', 'static data authentication failed', 'card data missing', 'exception file'],
  ['dynamic data authentication failed', 'combined', 'static data authentication selected', 'extended.*selected'],
  ['versions differ', 'expired', 'not yet effective', 'service not allowed'],
  ['new card', 'byte 2 bit 3 .reserved', 'biometric successful', 'template format not supported'],
  ['verification failed', 'not recognised', 'try limit exceeded', 'pad missing or not working'],
  ['PIN not entered', 'online PIN entered', 'biometric device not working', 'biometric bypassed'],
  ['floor limit', 'lower consecutive', 'upper consecutive', 'at random'],
  ['merchant forced online', 'biometric try limit', 'biometric type', 'extended.*failed'],
  ['TDOL', 'issuer authentication failed', 'failed before', 'failed after'],
  ['byte 5 bit 4 .reserved', 'key missing', 'key not recovered', 'byte 5 bit 1 .reserved'],
].flat();

const tsiWords = [
  ['offline data authentication', 'cardholder verification', 'card risk', 'issuer authentication', 'terminal risk'],
  ['script processing'],
].flat();

function only(length: number, { byte, bit }: Bit): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at === byte - 1 ? Number.parseInt(bit, 16) : 0));
}

function assertBits(
  bits: readonly Bit[],
  words: readonly string[],
  length: number,
  texts: (value: Uint8Array) => string[],
) {
  assert.equal(bits.length, words.length);
  const seen = new Set<string>();
  for (const [at, bit] of bits.entries()) {
    const found = texts(only(length, bit));
    assert.equal(found.length, 1, bit.name);
    assert.match(found[0] ?? '', new RegExp(words[at] ?? '', 'i'), bit.name);
    seen.add(found[0] ?? '');
  }
  assert.equal(seen.size, bits.length, 'two bits have one text');
  const every = texts(new Uint8Array(length).fill(0xff));
  assert.deepEqual(every.slice(0, seen.size), [...seen], 'in the order of the bits');
}

test('every bit of the terminal verification results, as published', () => {
  assert.equal(published.tvr.length, 40);
  assertBits(published.tvr, tvrWords, 5, tvrTexts);
  assert.deepEqual(tvrTexts(new Uint8Array(5)), []);
  assert.deepEqual(tvrTexts(new Uint8Array(4).fill(0xff)), []);
});

test('every bit of the transaction status information, as published; the others are reserved', () => {
  assertBits(published.tsi, tsiWords, 2, tsiTexts);
  const reserved = tsiTexts(Uint8Array.of(0x03, 0xff));
  assert.equal(reserved.length, 10);
  for (const text of reserved) assert.match(text, /^byte [12] bit [1-8] \(reserved\)$/);
  assert.deepEqual(tsiTexts(Uint8Array.of(0xff)), []);
});

test('every CVM code, as published, whatever comes after it on failure; others are reserved', () => {
  const words = ['fail', 'plaintext', 'online', 'plaintext.*signature', 'enciphered', 'enciphered.*signature'];
  words.push('^signature', '^no CVM required', '^no CVM performed');
  const known = new Map(published.cvmCodes.map(({ code }, at) => [Number.parseInt(code, 16), words[at] ?? '']));
  assert.equal(known.size, words.length);
  for (let code = 0; code <= 0x3f; code++) {
    const expected = new RegExp(known.get(code) ?? String.raw`^[0-3][0-9A-F] \(reserved\)`, 'i');
    for (const more of [0x00, 0x40, 0x80]) assert.match(cvmText(Uint8Array.of(code | more, 0x00, 0x02)), expected);
  }
  assert.equal(cvmText(Uint8Array.of(0x1e, 0x03, 0x00)), 'signature (terminal supports it): result unknown');
  assert.equal(cvmText(Uint8Array.of(0x42, 0x06, 0x02)), 'enciphered PIN checked online (under X): successful');
  assert.equal(cvmText(Uint8Array.of(0x01, 0x0a, 0x01)), 'plaintext PIN checked by the card (0A (reserved)): failed');
  assert.equal(cvmText(Uint8Array.of(0x1e, 0x03)), '');
});

/** EMV 4.3 Book 3, 6.5.5.4, Table 14: bits 8 and 7 the kind, bit 4 advice, bits 3 to 1 the reason. */
test('every value of the cryptogram information data', () => {
  const kinds = ['AAC', 'TC', 'ARQC', undefined];
  const reasons = ['', 'service not allowed', 'PIN try limit exceeded', 'issuer authentication failed'];
  for (let value = 0; value <= 0xff; value++) {
    const kind = kinds[value >> 6];
    assert.equal(cryptogramKind(value), kind);
    const reason = value % 8;
    const parts = [kind ?? 'reserved kind of cryptogram'];
    if ((value >> 3) % 2 === 1) parts.push('advice required');
    if (reason > 0) parts.push(reasons[reason] ?? `reason ${reason} (reserved)`);
    assert.equal(cryptogramText(value), parts.join(', '));
  }
});

const emv = (objects: Record<string, string>) =>
  new Map(Object.entries(objects).map(([tag, value]) => [tag, Uint8Array.from(Buffer.from(value, 'hex'))]));

test('a card’s last word, and what is new in it', () => {
  const first = emv({ '95': '8000048000', '9F34': '420300' });
  const last = emv({ '9F27': '0B', '95': '8000048040', '9B': '7800' });
  assert.deepEqual(faultsSince(first, last), ['issuer authentication failed']);
  assert.deepEqual(faultsSince(first, first), []);
  assert.deepEqual(faultsSince(first, new Map()), []);
  assert.equal(
    secondCryptogramText(first, last),
    'AAC, advice required, issuer authentication failed; TVR: offline data authentication not performed, online PIN entered, ' +
      'floor limit exceeded, issuer authentication failed; TSI: cardholder verification performed, card risk management ' +
      'performed, issuer authentication performed, terminal risk management performed; CVM: enciphered PIN checked online ' +
      '(terminal supports it): result unknown',
  );
  assert.equal(secondCryptogramText(new Map(), new Map()), 'no cryptogram');
});
