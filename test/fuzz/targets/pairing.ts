import assert from 'node:assert/strict';
import { pairingRequest, revealRequest } from '../../../src/pos/api/pairing.ts';
import { parseJson } from '../../../src/pos/api/input.ts';
import { json, jsonNests, jsonTokens, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import type { Target } from '../target.ts';

const bytes = 'ab'.repeat(32);
const seeds = [
  { posId: 'POS-1', commitment: bytes },
  { pairingId: 'a', posPublicKey: bytes, posNonce: bytes },
];

/** The two calls that need no key. */
export const pairingBodies: Target = {
  name: 'pairing-bodies',
  share: 2,
  inputs: hostile({ seeds: seeds.map(json), tokens: [...jsonTokens, text(`"${bytes}"`)], nests: jsonNests }),
  check(input) {
    const body = read(input);
    const begun = pairingRequest.safeParse(body);
    if (begun.success) assert.match(begun.data.commitment, /^[0-9a-f]{64}$/);
    const revealed = revealRequest.safeParse(body);
    if (revealed.success) assert.match(revealed.data.posPublicKey, /^[0-9a-f]{64}$/);
  },
};

function read(input: Uint8Array): unknown {
  try {
    return parseJson(Buffer.from(input).toString());
  } catch (error) {
    assert.ok(error instanceof SyntaxError);
    return undefined;
  }
}
