import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectOutcome } from '../../../../drivers/card-reader/neo2/frame.ts';
import type { CollectRequest, PresentedCard } from '../../../../src/base/ports/card-reader.ts';
import { DeviceError } from '../../../../src/base/ports/device.ts';
import { bytes, chipData, stripeData, visa, visaData, type VisaPart } from './card-answer.ts';
import { named } from './fixture-frames.ts';

const request: CollectRequest = { amount: { minor: 3000n, currency: 'HKD' }, type: 'purchase', timeoutMs: 60_000 };
const hexOf = (value: Uint8Array | undefined) =>
  Buffer.from(value ?? [])
    .toString('hex')
    .toUpperCase();
const every: CollectRequest = { ...request, interfaces: ['contactless', 'chip', 'magstripe'] };
const outcome = (data: Uint8Array, status = 0x00, asked = request) => collectOutcome(status, data, asked);

function card(data: Uint8Array, status = 0x00, asked = request): PresentedCard {
  const found = outcome(data, status, asked);
  assert.ok(found.kind === 'card', JSON.stringify(found));
  return found.card;
}

function breaks(data: Uint8Array, what: RegExp, status = 0x00, asked = request) {
  assert.throws(
    () => outcome(data, status, asked),
    (error) => {
      assert.ok(error instanceof DeviceError);
      assert.equal(error.code, 'protocol');
      assert.match(error.message, what);
      assert.doesNotMatch(error.message, /4761|0119/);
      return true;
    },
  );
}

/** An answer of the fixtures: its data. */
const dataOf = (name: string) => named(name).slice(14, -2);

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

const aesParts = { ksn: 'DFEE12 0C 123456789012345600000001', track2: `57 C1 20 ${'11'.repeat(32)}` };

test('AES: twelve bytes of KSN, blocks of sixteen', () => {
  const aes = { attribution: 'C3', ...aesParts };
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

test('a chip waits for its decision', () => {
  const { emv, encrypted, ...rest } = card(dataOf('chip that waits for its decision'), 0x23, every);
  assert.deepEqual(rest, {
    entryMode: 'CHIP',
    aid: 'A0000000031010',
    appName: 'Visa Credit',
    maskedPan: '476173******0119',
    awaitsDecision: true,
  });
  assert.equal(hexOf(emv.get('9F26')), '7D2DB53DB0E0F6A4');
  assert.equal(hexOf(emv.get('9F39')), '05');
  assert.equal(encrypted.scheme, 'TDES-DUKPT');
  assert.equal(card(chipData({ attribution: 'C2', ...aesParts }), 0x23, every).encrypted.scheme, 'AES-DUKPT');
  assert.ok(!('awaitsDecision' in card(visaData(), 0x23, every)));
});

test('a chip that is through with it, or says no, is not waited with', () => {
  breaks(chipData(), /does not wait/, 0x00, every);
  breaks(chipData({ cryptogram: '' }), /no cryptogram/, 0x23, every);
  const declined = outcome(chipData({ information: '9F27 01 00' }), 0x00, every);
  assert.deepEqual(declined, { kind: 'refused', reason: 'declined' });
  const approved = outcome(chipData({ information: '9F27 01 40' }), 0x00, every);
  assert.deepEqual(approved, { kind: 'refused', reason: 'unsupported' });
  breaks(chipData({ amount: '9F02 06 000000003001' }), /another 9F02/, 0x23, every);
});

test('a stripe has the name of its brand, and no cryptogram', () => {
  const { emv, encrypted, ...rest } = card(dataOf('stripe'), 0x00, every);
  assert.deepEqual(rest, { entryMode: 'MAGSTRIPE', aid: '', appName: 'VISA', maskedPan: '476173******0119' });
  assert.deepEqual([...emv.keys()], ['9F39']);
  assert.equal(hexOf(encrypted.ksn), 'FFFF9876543210E00001');
  assert.equal(card(dataOf('stripe after a chip that could not be read'), 0x00, every).entryMode, 'FALLBACK');
  assert.equal(card(stripeData('9F39 01 90', { attribution: 'CA', ...aesParts }), 0x00, every).aid, '');
  assert.equal(card(stripeData('9F39 01 90', { attribution: 'C9' }), 0x00, every).entryMode, 'MAGSTRIPE');
  const unknown = { track2Masked: '', panMasked: '5A A1 08 999911CCCCCC1117' };
  assert.equal(card(stripeData('9F39 01 90', unknown), 0x00, every).appName, '');
});

test('a stripe that does not say how it was read, or too much', () => {
  for (const mode of ['', '9F39 01 05', '9F39 01 07', '9F39 00', '9F39 02 9000']) {
    breaks(stripeData(mode), /without its entry mode/, 0x00, every);
  }
  breaks(stripeData('9F39 01 90', {}, visa.cryptogram), /with a cryptogram/, 0x00, every);
  breaks(stripeData('9F39 01 90', {}, visa.information), /with a cryptogram/, 0x00, every);
  breaks(stripeData('9F39 01 90', {}, 'DFEE23 02 3B34'), /DFEE23 in the clear/, 0x00, every);
  breaks(stripeData('9F39 01 90', { track2: '' }), /ciphertext of 57/, 0x00, every);
});

test('an interface that was not armed is no answer', () => {
  const answers = { contactless: visaData(), chip: chipData(), magstripe: stripeData() } as const;
  const names = ['contactless', 'chip', 'magstripe'] as const;
  for (const armed of names) {
    for (const used of names) {
      const asked = { ...request, interfaces: [armed] };
      const status = used === 'chip' ? 0x23 : 0x00;
      if (armed === used) assert.equal(outcome(answers[used], status, asked).kind, 'card', armed);
      else breaks(answers[used], /not armed/, status, asked);
    }
  }
  breaks(visaData({ attribution: 'D1' }), /not armed/, 0x00, { ...request, interfaces: ['magstripe'] });
  for (const attribution of ['D0', 'D8']) breaks(visaData({ attribution }), /not armed/, 0x00, every);
});

test('the other interface of the same card', () => {
  assert.deepEqual(outcome(dataOf('use the stripe'), 0x0a, every), { kind: 'tryAgain', reason: 'use-magstripe' });
  assert.deepEqual(outcome(dataOf('use the chip'), 0x0a, every), { kind: 'tryAgain', reason: 'use-chip' });
  for (const code of ['24070000', '62000000', '62090000', '62']) {
    const failed = bytes(`FFEE1F ${(code.length / 2).toString(16).padStart(2, '0')} ${code}`);
    assert.deepEqual(outcome(failed, 0x0a, every), { kind: 'tryAgain', reason: 'read-error' }, code);
  }
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
  assert.equal(name({ preferred: '', label: '', aid: '84 07 A0000009990101' }), 'A0000009990101');
});

test('nothing that is kept shares memory with the answer', () => {
  const data = visaData();
  const found = card(data);
  data.fill(0);
  assert.equal(hexOf(found.encrypted.ksn), 'FFFF9876543210E00001');
  assert.equal(hexOf(found.encrypted.pan).slice(0, 8), 'A1A2A3A4');
  assert.equal(hexOf(found.emv.get('9F26')), '7A788EA6B8A3E733');
});
