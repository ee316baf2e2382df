import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { parseSignature } from '../../../src/pos/pairing/message-signature.ts';
import { readCallSignature } from '../../../src/pos/pairing/signed-call.ts';
import { text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, canary, type Target } from '../target.ts';

const inputs = [
  'sig=("@method" "@target-uri" "content-digest");created=1767225600;nonce="nonce-0000000000";keyid="k1";tag="poid"',
  'till=("@method" "@authority" "@path" "@query" "content-digest");created=1;expires=2;keyid="k";alg="hmac-sha256"',
  'sig=("@status" "content-digest" "signature";req;key="sig");created=1767225600;keyid="k1";tag="poid"',
  'a=(), b=(a 1 1.5 ?1 :AAAA: @5 %"x");x;y=a/b',
];
const signatures = [`sig=:${'A'.repeat(43)}=:`, `till=:${'A'.repeat(43)}=:`, 'sig=:AAA:', 'sig="AAAA"'];
const words = [
  '"@method"',
  '"@target-uri"',
  '"content-digest"',
  'created=',
  ';nonce="',
  'keyid=',
  'tag="poid"',
  ';req',
  ';key="sig"',
  '()',
  '(',
  ')',
  ', ',
  '\\"',
  '?1',
  ':',
  '%"%ff"',
  '@-1',
  '999999999999999',
  '1.0',
  '__proto__',
  canary,
].map(text);
const fields = fc
  .tuple(hostile({ seeds: inputs.map(text), tokens: words }), hostile({ seeds: signatures.map(text), tokens: words }))
  .map(([input, signature]) => Buffer.concat([input, Buffer.from('\n'), signature]));

/** Whatever the two fields hold: one signature that reads in one way, or a sentence that repeats nothing of it. */
export const signatureFields: Target = {
  name: 'signature-fields',
  share: 6,
  inputs: fields,
  check(input) {
    const [inputField = '', signature = ''] = Buffer.from(input).toString('latin1').split('\n');
    const body = '{}';
    const headers = { host: '127.0.0.1', 'content-digest': 'sha-256=:AA:', 'signature-input': inputField, signature };
    const call = { scheme: 'http', method: 'POST', target: '/sp/v1/payment', headers, body } as const;
    const read = readCallSignature(call);
    if (typeof read === 'string') return assertSilent(read);
    const { label, components, input: reported, base, nonce } = read;
    assert.equal(`${label}=${reported}`, inputField, 'another reading than was sent');
    assert.equal(new Set(components).size, components.length);
    assert.ok(components.includes('"@method"') && components.includes('"content-digest"'));
    assert.equal(base.split('\n').length, components.length + 1, 'a line of the base is forged');
    assert.match(nonce, /^\S{16,64}$/);
    const again = parseSignature(inputField, signature);
    assert.deepEqual(again?.components, components);
  },
};
