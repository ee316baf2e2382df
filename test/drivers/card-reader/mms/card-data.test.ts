import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCardData, maskedNumber } from '../../../../drivers/card-reader/mms/card-data.ts';
import { readPresentedCard } from '../../../../drivers/card-reader/mms/presented-card.ts';
import type { CollectRequest, PresentedCard } from '../../../../src/base/ports/card-reader.ts';
import { DeviceError } from '../../../../src/base/ports/device.ts';
import { clear, framed, payload, sealed } from './card-on-wire.ts';
import { bytes, hex } from './fixture-messages.ts';

const request: CollectRequest = {
  amount: { minor: 3000n, currency: 'HKD' },
  type: 'purchase',
  timeoutMs: 60_000,
  interfaces: ['contactless', 'chip', 'magstripe'],
};
const stripe = {
  '84': undefined,
  '50': undefined,
  '9F12': undefined,
  '9F26': undefined,
  '9F27': undefined,
  DFDF52: '01',
};
const ascii = (text: string) => Buffer.from(text, 'latin1');

function card(code: number, stage: 'asks' | 'ended', data: Uint8Array): PresentedCard {
  const { outcome } = readPresentedCard(code, stage, data, request);
  assert.ok(outcome.kind === 'card');
  return outcome.card;
}

function refuses(data: Uint8Array, name: string, code = 0x10, stage: 'asks' | 'ended' = 'asks'): void {
  assert.throws(
    () => readPresentedCard(code, stage, data, request),
    (error) => {
      assert.ok(error instanceof DeviceError && error.code === 'protocol', `${name}: ${String(error)}`);
      assert.doesNotMatch(error.message, /4761|0119|010203/, name);
      return true;
    },
    name,
  );
}

test('a chip, as it is handed out', () => {
  const found = card(0x10, 'asks', payload());
  assert.equal(found.entryMode, 'CHIP');
  assert.equal(found.awaitsDecision, true);
  assert.equal(found.aid, 'A0000000031010');
  assert.equal(found.appName, 'Visa Credit');
  assert.equal(found.maskedPan, '476173******0119');
  assert.equal(found.encrypted.scheme, 'TDES-DUKPT');
  assert.equal(hex(found.encrypted.ksn).toUpperCase(), sealed.DFDF56);
  assert.equal(hex(found.encrypted.track2).toUpperCase(), sealed.DFDF59);
  assert.equal(hex(found.encrypted.pan).toUpperCase(), sealed.DFDF5A);
  assert.deepEqual([...found.emv.keys()].sort(), ['50', '5F2A', '84', '9C', '9F02', '9F10', '9F12', '9F26', '9F27']);
});

test('nothing of it is a view of what was received', () => {
  const data = payload();
  const found = card(0x10, 'asks', data);
  data.fill(0);
  assert.equal(hex(found.emv.get('9F26') ?? new Uint8Array()).toUpperCase(), clear['9F26']);
  assert.equal(hex(found.encrypted.track2).toUpperCase(), sealed.DFDF59);
  assert.equal(hex(found.encrypted.pan).toUpperCase(), sealed.DFDF5A);
  assert.equal(hex(found.encrypted.ksn).toUpperCase(), sealed.DFDF56);
});

test('names of the application: preferred, label, scheme, identifier', () => {
  const name = (changed: Record<string, string | undefined>) => card(0x10, 'asks', payload(changed)).appName;
  assert.equal(name({ '9F12': undefined }), 'VISA CREDIT');
  assert.equal(name({ '9F12': '07' }), 'VISA CREDIT');
  assert.equal(name({ '9F12': undefined, '50': undefined }), 'VISA');
  assert.equal(name({ '9F12': undefined, '50': undefined, '84': 'A000000999' }), 'A000000999');
  refuses(payload({ '84': undefined }), 'no application');
});

test('interface and card type must be of one kind, and armed', () => {
  assert.equal(card(0x20, 'asks', payload({ DFDF52: '06' })).entryMode, 'CONTACTLESS');
  assert.equal(card(0x08, 'ended', payload(stripe)).entryMode, 'MAGSTRIPE');
  assert.equal(card(0x08, 'ended', payload({ ...stripe, DFDF53: '01' })).entryMode, 'FALLBACK');
  for (const [code, type] of [
    [0x10, '06'],
    [0x10, '01'],
    [0x20, '05'],
    [0x20, '01'],
    [0x20, undefined],
    [0x07, '05'],
    [0x30, '05'],
    [0x00, '05'],
  ] as const) {
    refuses(payload({ DFDF52: type }), `${code} ${type}`, code);
  }
  refuses(payload({ ...stripe, DFDF52: '05' }), 'a stripe of a chip', 0x08, 'ended');
  refuses(payload(stripe), 'a stripe that asks', 0x08, 'asks');
  for (const fallback of ['02', '80', '0000', '', undefined]) {
    refuses(payload({ ...stripe, DFDF53: fallback }), `fallback ${fallback}`, 0x08, 'ended');
  }
  refuses(payload({ ...stripe, '9F26': clear['9F26'] }), 'a stripe with a cryptogram', 0x08, 'ended');
});

test('contactless in stripe mode is refused, and so is what the card decided by itself', () => {
  const outcome = (code: number, stage: 'asks' | 'ended', changed: Record<string, string>) =>
    readPresentedCard(code, stage, payload(changed), request);
  const serial = bytes('4231323334');
  assert.deepEqual(outcome(0x20, 'asks', { DFDF52: '08' }), {
    outcome: { kind: 'refused', reason: 'unsupported' },
    waits: true,
    serial,
  });
  for (const [information, reason] of [
    ['00', 'declined'],
    ['40', 'unsupported'],
  ] as const) {
    for (const stage of ['asks', 'ended'] as const) {
      assert.deepEqual(outcome(0x10, stage, { '9F27': information }), {
        outcome: { kind: 'refused', reason },
        waits: stage === 'asks',
        serial,
      });
    }
  }
  refuses(payload({ '9F27': '80' }), 'a request after the end', 0x10, 'ended');
  refuses(payload({ '9F27': 'C0' }), 'a reserved cryptogram');
  refuses(payload({ '9F26': undefined }), 'no cryptogram');
});

test('what belongs to another transaction', () => {
  refuses(payload({ '9F02': '000000003001' }), 'amount');
  refuses(payload({ '9C': '20' }), 'type');
  refuses(payload({ '5F2A': '0840' }), 'currency');
  refuses(payload({ '9F02': '003000' }), 'amount of another length');
});

test('card data in the clear, wherever it stands', () => {
  for (const tag of ['57', '5A', '56', '9F1F', '9F20', '9F6B', '99']) {
    refuses(payload({ [tag]: '4761739001010119' }), `${tag} in 70`);
    refuses(payload({}, { [tag]: '4761739001010119' }), `${tag} in F8`);
    refuses(payload({}, {}, { [tag]: '4761739001010119' }), `${tag} in FA`);
  }
  assert.equal(card(0x10, 'asks', payload({ '5F20': '544553542F43415244' })).emv.has('5F20'), false);
});

test('a mask: first six and last four, the rest 0', () => {
  const shown: [string, string][] = [
    ['4761730000000119=31122010000000000000', '476173******0119'],
    [';4761730000000119=31122010000000000000?', '476173******0119'],
    ['4761730000000119=0000000', '476173******0119'],
    ['4761730000000119=', '476173******0119'],
    ['374245000001003=3112201', '374245*****1003'],
    ['476173000119=3112201', '476173**0119'],
    ['6212340000000000123=3112201', '621234*********0123'],
  ];
  for (const [track, masked] of shown) assert.equal(maskedNumber(ascii(track)), masked, track);
  const wrong = [
    '4761739001010119=31122010000000000000',
    '4761730000000119=31122011758892800000',
    '4761730000010119=3112201',
    '4761730000000119',
    '4761730000000119D3112201',
    '47617300119=3112201',
    '47617300000000000119=3112201',
    '476173******0119=3112201',
    '4761730000000119=311220',
    '4761730000000119=3112201?x',
    '4761730000000119=3112',
    '',
    '\u00004761730000000119=',
  ];
  for (const track of wrong) assert.throws(() => maskedNumber(ascii(track)), { code: 'protocol' }, track);
  refuses(payload({ DFDF4D: undefined }), 'no track');
  refuses(payload({ DFDF4D: ascii('4761739001010119=3112201').toString('hex') }), 'a track that is not masked');
});

test('what is encrypted must be whole', () => {
  const wrong: [string, Record<string, string | undefined> | null][] = [
    ['nothing', null],
    ['no track', { DFDF59: undefined }],
    ['no number', { DFDF5A: undefined }],
    ['an empty track', { DFDF59: '' }],
    ['half a block', { DFDF59: sealed.DFDF59.slice(0, -2) }],
    ['no key serial number', { DFDF56: undefined }],
    ['a short key serial number', { DFDF56: 'FFFF9876543210E000' }],
    ['a long key serial number', { DFDF56: 'FFFF9876543210E00001AAAA' }],
    ['another encryption', { DFDF57: '81' }],
    ['no encryption', { DFDF57: '00' }],
    ['encryption unsaid', { DFDF57: undefined }],
  ];
  for (const [name, changed] of wrong) {
    refuses(payload({}, changed), name);
  }
});

test('containers and lengths', () => {
  const whole = payload();
  for (let length = 0; length < whole.length; length++) refuses(whole.subarray(0, length), `length ${length}`);
  for (const more of [1, 3, 20]) refuses(Buffer.concat([whole, new Uint8Array(more)]), `${more} bytes more`);
  for (const more of [4, 19])
    assert.ok(card(0x10, 'asks', Buffer.concat([whole, new Uint8Array(more)])).awaitsDecision);
  refuses(framed(bytes('F900')), 'no FA');
  refuses(framed(bytes('F902FA00')), 'no 70');
  refuses(framed(bytes('FA027000')), 'no F9');
  refuses(framed(new Uint8Array()), 'nothing');
  const body = whole.subarray(8);
  refuses(framed(Buffer.concat([body, body])), 'two F9');
  refuses(framed(body, body.length - 1), 'a length that is too small');
});

test('two different values of one object', () => {
  const twice = (tag: string, value: string) => payload({}, {}, { [tag]: value });
  refuses(twice('DFDF52', '05'), 'card type');
  refuses(twice('DFDF4D', clear.DFDF4D), 'track');
});

test('damage anywhere is refused or harmless, and never throws anything else', () => {
  const whole = payload();
  for (let at = 0; at < whole.length; at++) {
    for (const to of [0x00, 0x01, 0x7f, 0x80, 0xff]) {
      const damaged = Uint8Array.from(whole);
      damaged[at] = to;
      try {
        readCardData(damaged);
      } catch (error) {
        assert.ok(error instanceof DeviceError && error.code === 'protocol', `byte ${at}: ${String(error)}`);
      }
    }
  }
});
