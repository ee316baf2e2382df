import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transactionData } from '../../../../drivers/card-reader/neo2/commands.ts';
import { collectOutcome } from '../../../../drivers/card-reader/neo2/response.ts';
import type { PresentedCard } from '../../../../src/ports/card-reader.ts';
import { DeviceError } from '../../../../src/ports/device.ts';
import { bytes, visa, visaData, type VisaPart } from './card-answer.ts';

const expected = transactionData({ amount: { minor: 3000n, currency: 'HKD' }, type: 'purchase' });
const hexOf = (value: Uint8Array | undefined) =>
  Buffer.from(value ?? [])
    .toString('hex')
    .toUpperCase();
const outcome = (data: Uint8Array, status = 0x00) => collectOutcome(status, data, expected);

function card(data: Uint8Array, status = 0x00): PresentedCard {
  const found = outcome(data, status);
  assert.ok(found.kind === 'card', JSON.stringify(found));
  return found.card;
}

function breaks(data: Uint8Array, what: RegExp) {
  assert.throws(
    () => outcome(data),
    (error) => {
      assert.ok(error instanceof DeviceError);
      assert.equal(error.code, 'protocol');
      assert.match(error.message, what);
      assert.doesNotMatch(error.message, /4761|0119/);
      return true;
    },
  );
}

test('a Visa card, status OK and "request online authorization"', () => {
  for (const status of [0x00, 0x23]) {
    const { emv, encrypted, ...rest } = card(visaData(), status);
    assert.deepEqual(rest, {
      entryMode: 'CONTACTLESS',
      aid: 'A0000000031010',
      appName: 'VISA TEST',
      maskedPan: '476173******0119',
    });
    assert.equal(encrypted.scheme, 'TDES-DUKPT');
    assert.equal(hexOf(encrypted.ksn), 'FFFF9876543210E00001');
    assert.equal(hexOf(encrypted.track2), '0102030405060708090A0B0C0D0E0F101112131415161718');
    assert.equal(hexOf(encrypted.pan), 'A1A2A3A4A5A6A7A8A9AAABACADAEAFB0');
    assert.equal(hexOf(emv.get('9F26')), '7A788EA6B8A3E733');
    assert.deepEqual(
      [...emv.keys()].sort(),
      ['5F34', '84', '50', '9F12', '9F26', '9F27', '9F10', '9F02', '9C', '5F2A', '9F37', 'DF52'].sort(),
    );
  }
});

test('objects inside the groups of a reader', () => {
  const inside = bytes(visa.cryptogram + visa.information);
  for (const group of ['FF8105', 'FFEE01', 'E1']) {
    const wrapped = `${group}${inside.length.toString(16).padStart(2, '0')}${hexOf(inside)}`;
    const found = card(visaData({ cryptogram: '', information: wrapped }));
    assert.equal(hexOf(found.emv.get('9F26')), '7A788EA6B8A3E733', group);
  }
  const masked = bytes(visa.track2Masked + visa.track2);
  const nested = `FF8105 ${(masked.length + 2).toString(16)} E1 ${masked.length.toString(16)} ${hexOf(masked)}`;
  assert.equal(card(visaData({ track2Masked: '', track2: nested })).encrypted.track2.length, 24);
});

test('AES: twelve bytes of KSN, blocks of sixteen', () => {
  const aes = {
    attribution: 'C3',
    ksn: 'DFEE12 0C 123456789012345600000001',
    track2: `57 C1 20 ${'11'.repeat(32)}`,
  };
  assert.equal(card(visaData(aes)).encrypted.scheme, 'AES-DUKPT');
  breaks(visaData({ ...aes, ksn: visa.ksn }), /key serial/);
  breaks(visaData({ ...aes, track2: visa.track2 }), /ciphertext of 57/);
});

test('a card that declines, and one that approves offline, can not pay here', () => {
  assert.deepEqual(outcome(visaData({ information: '9F27 01 00' })), { kind: 'refused', reason: 'declined' });
  assert.deepEqual(outcome(visaData({ information: '9F27 01 40' })), { kind: 'refused', reason: 'unsupported' });
});

test('stripe mode has no cryptogram and can not pay here', () => {
  assert.deepEqual(outcome(visaData({ attribution: 'D1' })), { kind: 'refused', reason: 'unsupported' });
});

test('time-out and error codes', () => {
  assert.deepEqual(outcome(new Uint8Array(), 0x08), { kind: 'timeout' });
  const table: [string, unknown][] = [
    ['21', { kind: 'tryAgain', reason: 'collision' }],
    ['22', { kind: 'refused', reason: 'over-limit' }],
    ['24', { kind: 'tryAgain', reason: 'read-error' }],
    ['25', { kind: 'refused', reason: 'blocked' }],
    ['26', { kind: 'refused', reason: 'expired' }],
    ['27', { kind: 'refused', reason: 'unsupported' }],
    ['30', { kind: 'tryAgain', reason: 'card-lost' }],
    ['62', { kind: 'tryAgain', reason: 'read-error' }],
  ];
  for (const [code, expectedOutcome] of table) {
    assert.deepEqual(outcome(bytes(`C1 FFEE1F 04 ${code} 6985 01`), 0x0a), expectedOutcome, code);
    assert.deepEqual(outcome(bytes(`FFEE1F 04 ${code} 6985 01`), 0x0a), expectedOutcome, code);
  }
  for (const data of ['', 'C1', 'FFEE', 'C1 FFEE1F 00']) {
    assert.deepEqual(outcome(bytes(data), 0x0a), { kind: 'tryAgain', reason: 'read-error' });
  }
  assert.deepEqual(outcome(new Uint8Array(), 0x04), { kind: 'tryAgain', reason: 'read-error' });
});

test('a status that is no outcome is a refusal of the device', () => {
  for (const status of [0x02, 0x05, 0x06, 0x0b, 0x1d, 0x60]) {
    assert.throws(
      () => outcome(new Uint8Array(), status),
      (error) => error instanceof DeviceError && error.code === 'refused',
    );
  }
});

test('card data in the clear ends it', () => {
  breaks(visaData({}, '5A 08 4761739001010119'), /5A in the clear/);
  breaks(visaData({ pan: '5A 08 4761739001010119' }), /5A in the clear/);
  breaks(visaData({ track2: '57 11 4761739001010119D22122011758928889' }), /57 in the clear/);
  breaks(visaData({}, '56 03 424242'), /56 in the clear/);
  breaks(visaData({}, '9F1F 02 3030'), /9F1F in the clear/);
  breaks(visaData({}, '9F20 02 3030'), /9F20 in the clear/);
  breaks(visaData({}, 'E1 0A 5A 08 4761739001010119'), /5A in the clear/);
  breaks(visaData({ information: '9F27 01 00' }, '5A 08 4761739001010119'), /5A in the clear/);
});

test('a mask that hides too little ends it', () => {
  for (const track2Masked of [
    '57 A1 11 4761739001010119D22122011758928889',
    '57 A1 13 4761730CCCCC0119DCCCCCCCCCCCCCCCCCCCCC',
    '57 A1 13 476173CCCCC10119DCCCCCCCCCCCCCCCCCCCCC',
    '57 A1 13 476173CCCCCC0119D2212201CCCCCCCCCCCCC1',
    '57 A1 13 476173CCCCCC0119D22122011758928889CCCC',
    '57 A1 08 476173CCCCCC0119',
  ]) {
    breaks(visaData({ track2Masked }), /57 is not masked/);
  }
  breaks(visaData({ panMasked: '5A A1 08 4761739001010119' }), /5A is not masked/);
  breaks(visaData({ panMasked: '5A A1 08 CCCCCCCCCCCCCC19' }), /5A is not masked/);
});

test('the mask is taken from either object, and they must agree', () => {
  assert.equal(card(visaData({ panMasked: '' })).maskedPan, '476173******0119');
  assert.equal(card(visaData({ track2Masked: '' })).maskedPan, '476173******0119');
  breaks(visaData({ panMasked: '', track2Masked: '' }), /no masked card number/);
  breaks(visaData({ panMasked: '5A A1 08 541333CCCCCC0119' }), /two different card numbers/);
  const amex = { panMasked: '5A A1 08 374245CCCCC1003F', track2Masked: '' };
  assert.equal(card(visaData(amex)).maskedPan, '374245*****1003');
  const shown = '57 A1 13 476173CCCCCC0119D2212201CCCCCCCCCCCCCC';
  assert.equal(card(visaData({ track2Masked: shown, panMasked: '' })).maskedPan, '476173******0119');
});

test('what must be there', () => {
  const missing: [VisaPart, RegExp][] = [
    ['ksn', /key serial/],
    ['track2', /ciphertext of 57/],
    ['pan', /ciphertext of 5A/],
    ['cryptogram', /no cryptogram/],
    ['information', /no cryptogram/],
    ['aid', /application identifier/],
  ];
  for (const [part, what] of missing) breaks(visaData({ [part]: '' }), what);
  breaks(visaData({ track2: '57 C1 07 01020304050607' }), /ciphertext of 57/);
  breaks(visaData({ track2: visa.track2 + visa.track2 }), /two objects 57/);
  breaks(visaData({}, '9F26 08 0000000000000000'), /two different 9F26/);
  breaks(new Uint8Array(), /no data/);
});

test('encryption must be on, and the interface the one that was armed', () => {
  for (const attribution of ['01', '41', '81']) breaks(visaData({ attribution }), /encryption is off/);
  breaks(visaData({ attribution: 'C0' }), /not armed/);
  breaks(visaData({ attribution: 'C8' }), /not armed/);
  breaks(visaData({ attribution: 'C5' }), /encryption mode/);
});

test('an answer about another amount, type or currency is none to this', () => {
  breaks(visaData({ amount: '9F02 06 000000003001' }), /another 9F02/);
  breaks(visaData({ type: '9C 01 20' }), /another 9C/);
  breaks(visaData({ currency: '5F2A 02 0840' }), /another 5F2A/);
});

test('every truncation of the data is refused', () => {
  const whole = visaData();
  let at = 0;
  const ends = new Set(Object.values(visa).map((part) => (at += bytes(part).length)));
  for (let length = 0; length < whole.length; length++) {
    if (ends.has(length)) continue;
    assert.throws(() => outcome(whole.subarray(0, length)), DeviceError, `length ${length}`);
  }
});

const name = (changed: Partial<Record<VisaPart, string>>) => card(visaData(changed)).appName;

test('names for the receipt are printable, or another is taken', () => {
  assert.equal(name({ preferred: '' }), 'VISA CREDIT');
  assert.equal(name({ preferred: '9F12 03 C3A9FF' }), 'VISA CREDIT');
  assert.equal(name({ preferred: '9F12 03 411B40' }), 'VISA CREDIT');
  assert.equal(name({ preferred: '', label: '' }), 'VISA');
  assert.equal(name({ preferred: '', label: '', aid: '84 07 A0000001523010' }), 'A0000001523010');
});

test('nothing that is kept shares memory with the answer', () => {
  const data = visaData();
  const found = card(data);
  data.fill(0);
  assert.equal(hexOf(found.encrypted.ksn), 'FFFF9876543210E00001');
  assert.equal(hexOf(found.encrypted.pan).slice(0, 8), 'A1A2A3A4');
  assert.equal(hexOf(found.emv.get('9F26')), '7A788EA6B8A3E733');
});
