import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Amount } from '../../../src/base/domain/amount.ts';
import { crc16, asksFor, parseMerchantPresented } from '../../../src/codecs/qr/merchant-presented.ts';
import { seed, whole } from '../../base/domain/random.ts';
import { hongKong, type Objects, objects, payload, withObject } from './payload.ts';

const { merchantPresented: published, crcCheck } = JSON.parse(
  readFileSync(new URL('../../../fixtures/qr/codes.json', import.meta.url), 'utf8'),
) as { merchantPresented: { payload: string; crc: string }[]; crcCheck: { text: string; crc: string } };

const faultOf = (text: string) => {
  const read = parseMerchantPresented(text);
  return read.kind === 'fault' ? read.fault : 'none';
};

function codeOf(parts: Objects) {
  const read = parseMerchantPresented(payload(parts));
  assert.equal(read.kind, 'code', JSON.stringify(read));
  assert.ok(read.kind === 'code');
  return read;
}

test('the published check value', () => {
  assert.equal(crc16(crcCheck.text), crcCheck.crc);
});

test('the published codes', () => {
  const [emvco = '', fps = ''] = published.map((each) => each.payload);
  assert.deepEqual(parseMerchantPresented(emvco), {
    kind: 'code',
    initiation: 'dynamic',
    amount: '23.72',
    currency: '156',
    surcharged: true,
    country: 'CN',
    merchantName: 'BEST TRANSPORT',
    merchantCity: 'BEIJING',
  });
  assert.deepEqual(parseMerchantPresented(fps), {
    kind: 'code',
    initiation: 'static',
    amount: undefined,
    currency: '344',
    surcharged: false,
    country: 'HK',
    merchantName: 'NA',
    merchantCity: 'HK',
  });
});

test('the codes of these tests are like the published', () => {
  const fps = withObject(withObject(hongKong, '01', '11'), '54', undefined);
  assert.equal(payload(fps), published[1]?.payload);
});

test('any one character changed, dropped or doubled is noticed', () => {
  for (const { payload: text } of published) {
    const characters = Array.from(text);
    for (const at of characters.keys()) {
      const other = characters[at] === '0' ? '1' : '0';
      assert.notEqual(faultOf(characters.with(at, other).join('')), 'none', `changed at ${at}`);
      assert.notEqual(faultOf(characters.toSpliced(at, 1).join('')), 'none', `dropped at ${at}`);
      assert.notEqual(faultOf(characters.toSpliced(at, 0, '0').join('')), 'none', `added at ${at}`);
    }
    for (const end of characters.keys()) assert.notEqual(faultOf(characters.slice(0, end).join('')), 'none');
    assert.notEqual(faultOf(`${text} `), 'none');
    assert.notEqual(faultOf(text + text), 'none');
  }
});

test('a length counts characters, the checksum bytes', () => {
  for (const name of ['最佳运输', 'é', '𠮷野家', '😀'.repeat(25)]) {
    assert.equal(codeOf(withObject(hongKong, '59', name)).merchantName, name);
  }
  assert.equal(faultOf(payload(withObject(hongKong, '59', '😀'.repeat(26)))), 'bad-value');
});

for (const [what, text, fault] of [
  ['nothing', '', 'bad-format-indicator'],
  ['another text', 'https://qr.alipay.com/bax03190uxd47wbekffy6033', 'bad-format-indicator'],
  ['another version', payload(withObject(hongKong, '00', '02')), 'bad-format-indicator'],
  ['a control character', payload(withObject(hongKong, '59', 'N\nA')), 'not-text'],
  ['half a character', payload(hongKong).replace('NA', '\ud83d'), 'not-text'],
  ['more than 512 characters', payload([...hongKong, ...long(['65', '66', '67', '68', '69'])]), 'too-long'],
  ['no checksum', objects(hongKong), 'crc-not-last'],
  ['an object behind the checksum', `${payload(hongKong)}6402AB`, 'crc-not-last'],
  ['a checksum of lower-case digits', lowerCaseChecksum(), 'bad-crc'],
  ['an id that is no number', `000201${objects([['0A', 'x']])}`, 'bad-id'],
  ['a length that is no number', '000201260A', 'bad-length'],
  ['a length with a sign', '00020126+1x', 'bad-length'],
  ['an object of nothing', '0002012600', 'bad-length'],
  ['a value that ends early', '0002012605abcd', 'truncated'],
  ['an id that comes twice', payload([...hongKong, ['54', '30.00']]), 'duplicate'],
  ['a template that is none', payload(withObject(hongKong, '26', '0012hk.com')), 'bad-template'],
  ['an account without its identifier', payload(withObject(hongKong, '26', '02071660123')), 'bad-template'],
  ['additional data that are none', payload([...hongKong, ['62', 'invoice']]), 'bad-template'],
] as const) {
  test(`refused: ${what}`, () => assert.equal(faultOf(text), fault));
}

function long(ids: readonly string[]): Objects {
  return ids.map((id) => [id, 'x'.repeat(99)]);
}

function lowerCaseChecksum(): string {
  for (let name = 0; ; name++) {
    const text = payload(withObject(hongKong, '59', `shop ${name}`));
    const lower = text.slice(0, -4) + text.slice(-4).toLowerCase();
    if (lower !== text) return lower;
  }
}

for (const id of ['26', '52', '53', '58', '59', '60']) {
  test(`refused: no object ${id}`, () =>
    assert.equal(faultOf(payload(withObject(hongKong, id, undefined))), 'missing-object'));
}

for (const [id, value] of [
  ['01', '13'],
  ['52', '000'],
  ['53', 'HKD'],
  ['54', '30,00'],
  ['54', '.50'],
  ['54', '3e1'],
  ['54', '-1'],
  ['54', ' 1'],
  ['54', '1.0.0'],
  ['54', '12345678901234'],
  ['55', '04'],
  ['58', 'hk'],
  ['59', 'x'.repeat(26)],
  ['60', 'x'.repeat(16)],
  ['61', 'x'.repeat(11)],
] as const) {
  test(`refused: object ${id} of ${value}`, () =>
    assert.equal(faultOf(payload(withObject(hongKong, id, value))), 'bad-value'));
}

test('the amount and the currency of an order', () => {
  const order: Amount = { minor: 3000n, currency: 'HKD' };
  for (const text of ['30.00', '30.0', '30', '30.', '030.00']) {
    assert.ok(asksFor(codeOf(withObject(hongKong, '54', text)), order), text);
  }
  for (const text of ['30.01', '3', '300', '3000', '30.001', '29.99', '0']) {
    assert.ok(!asksFor(codeOf(withObject(hongKong, '54', text)), order), text);
  }
  assert.ok(asksFor(codeOf(withObject(hongKong, '54', undefined)), order));
  assert.ok(!asksFor(codeOf(withObject(hongKong, '53', '156')), order));
  assert.ok(!asksFor(codeOf(withObject(hongKong, '54', '3000')), { minor: 3000n, currency: 'JPY' }));
  const yen = withObject(withObject(hongKong, '53', '392'), '54', '3000');
  assert.ok(asksFor(codeOf(yen), { minor: 3000n, currency: 'JPY' }));
  for (const [id, value] of [
    ['55', '01'],
    ['56', '5.00'],
    ['57', '10'],
  ] as const) {
    assert.ok(!asksFor(codeOf(withObject(hongKong, id, value)), order), `object ${id}`);
  }
});

test(`whatever is drawn is read as it was written, seed ${seed}`, () => {
  const below = whole(seed);
  const pick = (from: string, least: number, most: number) => {
    const characters = Array.from(from);
    return Array.from({ length: least + below(most - least + 1) }, () => characters[below(characters.length)]).join('');
  };
  const text = (most: number) => pick('ABCxyz 019.-最佳运输é😀', 1, most);
  for (let round = 0; round < 500; round++) {
    const shuffled = [
      ['01', below(2) ? '11' : '12'],
      [
        String(26 + below(26)),
        objects([
          ['00', text(32)],
          [`0${1 + below(9)}`, text(30)],
        ]),
      ],
      ['52', pick('0123456789', 4, 4)],
      ['53', pick('0123456789', 3, 3)],
      ['58', pick('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 2, 2)],
      ['59', text(25)],
      ['60', text(15)],
      ['62', objects([[`0${1 + below(9)}`, text(25)]])],
    ] satisfies [string, string][];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const other = below(i + 1);
      const [a, b] = [shuffled[i], shuffled[other]];
      if (a && b) [shuffled[i], shuffled[other]] = [b, a];
    }
    const code = codeOf([['00', '01'], ...shuffled]);
    const value = (id: string) => shuffled.find(([other]) => other === id)?.[1];
    assert.deepEqual(
      [code.currency, code.country, code.merchantName, code.merchantCity],
      [value('53'), value('58'), value('59'), value('60')],
    );
    assert.equal(code.initiation, value('01') === '11' ? 'static' : 'dynamic');
  }
});

test(`no text is read that has no right checksum, and none throws, seed ${seed}`, () => {
  const below = whole(seed);
  const characters = Array.from('0123456789ABCDEF63040002最😀\n\ud800');
  for (let round = 0; round < 5_000; round++) {
    const junk = Array.from({ length: below(60) }, () => characters[below(characters.length)]).join('');
    const text = below(2) ? `000201${junk}` : junk;
    const read = parseMerchantPresented(text);
    if (read.kind === 'code') assert.equal(text.slice(-4), crc16(text.slice(0, -4)));
    else assert.ok(read.offset >= 0 && read.offset <= text.length);
  }
});
