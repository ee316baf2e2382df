import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { crc16, asksFor, parseMerchantPresented } from '../../../src/codecs/qr/merchant-presented.ts';
import { walletOfCode } from '../../../src/codecs/qr/wallet-code.ts';
import { drawCode } from '../../../src/screen/drawn-code.ts';
import { wallets } from '../../support/wallets.ts';
import { fixture, type Json, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, canary, type Target } from '../target.ts';

const codes = fixture('qr/codes');
const presented: string[] = codes.merchantPresented.map((each: Json) => each.payload);
const shown: string[] = [
  ...codes.customerPresented.map((each: Json) => each.payload),
  ...codes.wallets.codes.map((each: Json) => each.code),
];
const tokens = [
  '000201',
  '010211',
  '010212',
  '5303344',
  '540510.00',
  '5405',
  '5802HK',
  '5901A',
  '6001B',
  '6304',
  '26',
  '99',
  '00',
  '62',
  '80',
  '\u{1f4b3}',
  '漢',
  '\ud800',
  '\u0000',
  '98.',
  '=',
  'hQVDUFYwMWE',
  canary,
  `0216${canary}`,
].map(text);

/** Half of the merchant's codes get a checksum that fits: behind it everything else is read. */
const merchants = fc.tuple(hostile({ seeds: presented.map(text), tokens }), fc.boolean()).map(([bytes, fits]) => {
  const payload = Buffer.from(bytes).toString().slice(0, -4);
  return fits ? text(payload + crc16(payload)) : bytes;
});

export const qrCodes: Target = {
  name: 'qr-codes',
  share: 8,
  inputs: fc.oneof(merchants, hostile({ seeds: shown.map(text), tokens })),
  check(input) {
    const payload = Buffer.from(input).toString();
    walletOfCode(
      payload,
      wallets.map((each) => each.codes),
    );
    const code = parseMerchantPresented(payload);
    if (code.kind === 'fault') {
      assertSilent(JSON.stringify(code));
      return;
    }
    asksFor(code, { minor: 3000n, currency: 'HKD' });
    assert.ok(Array.from(payload).length <= 512);
    assert.equal(payload.slice(-4), crc16(payload.slice(0, -4)));
  },
};

export const qrDrawn: Target = {
  name: 'qr-drawn',
  share: 0.2,
  inputs: fc.oneof(merchants, hostile({ seeds: [...presented, ...shown].map(text), tokens })),
  check(input) {
    const drawn = drawCode(Buffer.from(input).toString());
    if (drawn) assert.ok(drawn.size >= 29 && drawn.path.length > 0);
  },
};
