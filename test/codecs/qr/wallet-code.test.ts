import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { walletOfCode as walletIn } from '../../../src/codecs/qr/wallet-code.ts';
import { wallets as builtIn } from '../../support/wallets.ts';
import { seed, whole } from '../../base/domain/random.ts';

const { wallets, customerPresented, merchantPresented } = JSON.parse(
  readFileSync(new URL('../../../fixtures/qr/codes.json', import.meta.url), 'utf8'),
) as {
  wallets: { codes: { code: string; scheme?: string }[] };
  customerPresented: { payload: string }[];
  merchantPresented: { payload: string }[];
};

const scanned = builtIn.filter((wallet) => wallet.scanned).map(({ codes }) => codes);
const walletOfCode = (text: string) => walletIn(text, scanned);

const base64 = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex').toString('base64');
const cpv01 = '85 05 43 50 56 30 31';
const application = '61 09 4F 07 A0 00 00 03 33 01 01';
const common = '62 03 5F 20 00';

test('the published codes', () => {
  for (const { code, scheme } of wallets.codes) assert.equal(walletOfCode(code), scheme, code);
  for (const { payload } of customerPresented) assert.equal(walletOfCode(payload), 'UPI_QR');
  for (const { payload } of merchantPresented) assert.equal(walletOfCode(payload), undefined);
});

test('each wallet by its first two digits and its length', () => {
  for (let prefix = 0; prefix < 100; prefix++) {
    for (let length = 2; length <= 30; length++) {
      const code = String(prefix).padStart(2, '0').padEnd(length, '0');
      const wechat = prefix >= 10 && prefix <= 15 && length === 18;
      const alipay = prefix >= 25 && prefix <= 30 && length >= 16 && length <= 24;
      const unionPay = prefix === 62 && length === 19;
      assert.equal(walletOfCode(code), wechat ? 'WECHAT' : alipay ? 'ALIPAY' : unionPay ? 'UPI_QR' : undefined, code);
    }
  }
});

test('nothing around a code, and no other digits', () => {
  for (const text of [' 134567890123456789', '134567890123456789\n', '13456789012345678９', '1345678901234567.9', '']) {
    assert.equal(walletOfCode(text), undefined, JSON.stringify(text));
  }
});

for (const [what, hex] of [
  ['one application', `${cpv01} ${application}`],
  ['two applications and common data', `${cpv01} ${application} ${application} ${common}`],
  ['a long length', `${cpv01} 61 81 88 4F 07 A0 00 00 03 33 01 01 50 7D ${'41'.repeat(125)}`],
] as const) {
  test(`customer-presented: ${what}`, () => assert.equal(walletOfCode(base64(hex)), 'UPI_QR'));
}

for (const [what, hex] of [
  ['no application', cpv01],
  ['common data only', `${cpv01} ${common}`],
  ['common data first', `${cpv01} ${common} ${application}`],
  ['common data twice', `${cpv01} ${application} ${common} ${common}`],
  ['common data that are none', `${cpv01} ${application} 62 02 5F 20`],
  ['another version', `85 05 43 50 56 30 32 ${application}`],
  ['the indicator behind', `${application} ${cpv01}`],
  ['an application without its identifier', `${cpv01} 61 03 50 01 41`],
  ['an identifier of four bytes', `${cpv01} 61 06 4F 04 A0 00 00 03`],
  ['an object that ends early', `${cpv01} ${application.replace('61 09', '61 0A')}`],
  ['a byte behind', `${cpv01} ${application} 61`],
  ['an indefinite length', `${cpv01} 61 80 4F 07 A0 00 00 03 33 01 01 00 00`],
  ['an object of another kind', `${cpv01} ${application} 9F 01 00`],
] as const) {
  test(`not customer-presented: ${what}`, () => assert.equal(walletOfCode(base64(hex)), undefined));
}

test('base64 as it is written, and not too long', () => {
  const good = base64(`${cpv01} ${application}`);
  assert.equal(walletOfCode(good), 'UPI_QR');
  for (const text of [good.slice(0, -1), `${good}=`, `${good}\n`, good.replace('h', '-'), ` ${good}`]) {
    assert.equal(walletOfCode(text), undefined, JSON.stringify(text));
  }
  // 20 bytes: four spare bits in the last digit, which must be zero.
  const padded = base64(`${cpv01} 61 0B 4F 07 A0 00 00 03 33 01 01 50 00`);
  assert.match(padded, /[^=]=$/);
  assert.equal(walletOfCode(padded), 'UPI_QR');
  assert.equal(walletOfCode(padded.replace('A=', 'B=')), undefined);
  const long = `${cpv01} ${`${application} `.repeat(40)}`;
  assert.equal(walletOfCode(base64(long)), undefined);
});

test(`any text is a code or none, and none throws, seed ${seed}`, () => {
  const below = whole(seed);
  const good = Buffer.from(customerPresented[0]?.payload ?? '', 'base64');
  for (let round = 0; round < 5_000; round++) {
    const bytes = Buffer.from(good.subarray(0, 1 + below(good.length)));
    bytes[below(bytes.length)] = below(256);
    walletOfCode(bytes.toString('base64'));
    walletOfCode(bytes.toString('latin1'));
  }
});

const shop = (prefix: string, scheme: string, length: readonly [number, number] = [18, 18]) => ({
  scheme,
  forms: [{ prefixes: [prefix], length, characters: 'digits' as const }],
  hasEmvcoCodes: false,
});

test('the longest prefix decides, whatever the order of the wallets', () => {
  const wide = shop('28', 'WIDE', [16, 24]);
  const narrow = shop('2894', 'NARROW');
  for (const order of [
    [wide, narrow],
    [narrow, wide],
  ]) {
    assert.equal(walletIn('289431869362714645', order), 'NARROW');
    assert.equal(walletIn('289531869362714645', order), 'WIDE');
    assert.equal(walletIn('2894318693627146', order), 'WIDE', 'of another length than the narrow one’s');
  }
});

test('letters only where a wallet has them', () => {
  const letters = {
    ...shop('PM', 'LETTERS', [6, 8]),
    forms: [{ ...shop('PM', 'x', [6, 8]).forms[0]!, characters: 'alphanumeric' as const }],
  };
  for (const [code, scheme] of [
    ['PM12ab', 'LETTERS'],
    ['PM12-b', undefined],
    ['PM12abcde', undefined],
    ['pm12ab', undefined],
  ] as const) {
    assert.equal(walletIn(code, [letters]), scheme, code);
  }
  assert.equal(walletIn('PM12ab', [shop('PM', 'DIGITS', [6, 8])]), undefined);
});
