import assert from 'node:assert/strict';
import { cryptogramText } from '../../../src/codecs/emv/cryptogram.ts';
import { secondCryptogramText, faultsSince } from '../../../src/codecs/emv/second-generate-ac.ts';
import { encodeTlv, parseTlv, TlvError, tlvMap, walkTlv } from '../../../src/codecs/emv/tlv.ts';
import { binaryTokens, fixture, hex, type Json } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, type Documented, type Target, valueOrDocumented } from '../target.ts';

const fault: Documented = { type: TlvError, words: /^BER-TLV [a-z-]+ at byte \d+$/ };
const frames: Json[] = fixture('frames/neo2').frames;
const seeds = [
  ...frames.map((each) => hex(each.hex).subarray(14, -2)).filter((data) => data.length > 8),
  hex('9F2608 7A788EA6B8A3E733 9F270180 950500000080009B02E800 9F34031E0300'.replaceAll(' ', '')),
  hex('7081045A0211227003500141'),
];

export const emvTlv: Target = {
  name: 'emv-tlv',
  share: 8,
  inputs: hostile({
    seeds,
    tokens: binaryTokens,
    nests: [
      ['\x70\x7f', ''],
      ['\x70\x82\x20\x00', ''],
    ],
  }),
  check(input) {
    const objects = valueOrDocumented(fault, () => parseTlv(input));
    if (objects) {
      const written = encodeTlv(objects.map(({ tag, value }) => [tag, value]));
      const again = parseTlv(written);
      const plain = (each: typeof again) => each.map(({ tag, value }) => [tag, Buffer.from(value).toString('hex')]);
      assert.deepEqual(plain(again), plain(objects));
      if (written.length === input.length) assert.deepEqual(Buffer.from(written), Buffer.from(input));
    }
    valueOrDocumented(fault, () => [...walkTlv(input)]);
    const map = valueOrDocumented(fault, () => tlvMap(input));
    if (!map) return;
    assertSilent(secondCryptogramText(map, map));
    assert.deepEqual(faultsSince(map, map), []);
    assertSilent(cryptogramText(input[0] ?? 0));
  },
};
