import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { describe, test } from 'node:test';
import { component, createSignature, type ResponseDescriptor, verifySignature } from 'http-message-sig';
import { createSigner, createVerifier, httpbis } from 'http-message-signatures';
import type { Caller } from '../../../src/pos/pairing/request-authenticator.ts';
import type { SignedCall } from '../../../src/pos/pairing/signed-call.ts';
import { authority, keyBytes, nonce, paired, staged } from './signed-calls.ts';
import { signedHeaders } from './signing.ts';

/** Libraries that POS developers find: what they sign is let in, and they accept what the terminal signs. */

const body = '{"posId":"POS-1","messageId":"M-1"}';
const target = '/sp/v1/enquiry?now=1';
const url = `http://${authority}${target}`;
const covered = ['@method', '@authority', '@path', '@query', 'content-digest'];
const { 'content-digest': digest = '' } = signedHeaders({
  key: keyBytes,
  keyId: 'k1',
  method: 'POST',
  target,
  authority,
  body,
  createdS: 0,
});
const plain = { host: authority, 'content-type': 'application/json', 'content-digest': digest };

type Headers = Readonly<Record<string, string>>;

interface Library {
  readonly name: string;
  readonly sign: (createdS: number) => Promise<Headers>;
  /** Whether it accepts an answer to the call with those headers. */
  readonly accepts: (call: Headers, status: number, answer: Headers) => Promise<boolean>;
}

const httpMessageSignatures: Library = {
  name: 'http-message-signatures',
  async sign(createdS) {
    const created = new Date(createdS * 1_000);
    const signed = await httpbis.signMessage(
      {
        key: createSigner(keyBytes, 'hmac-sha256', paired.keyId),
        fields: covered,
        params: ['created', 'keyid', 'alg', 'nonce', 'tag'],
        paramValues: { created, nonce, tag: 'poid' },
      },
      { method: 'POST', url, headers: plain },
    );
    // As the terminal receives them.
    const received = Object.entries(signed.headers as Headers).map(([name, value]) => [name.toLowerCase(), value]);
    return Object.fromEntries(received) as Headers;
  },
  async accepts(call, status, headers) {
    const verify = createVerifier(keyBytes, 'hmac-sha256');
    const config = {
      keyLookup: async () => ({ id: paired.keyId, algs: ['hmac-sha256'], verify }),
      requiredFields: ['@status', 'content-digest', 'signature'],
    };
    const request = { method: 'POST', url, headers: call };
    return (await httpbis.verifyMessage(config, { status, headers }, request).catch(() => false)) === true;
  },
};

const hmac = (data: Uint8Array) => createHmac('sha256', keyBytes).update(data).digest();

const httpMessageSig: Library = {
  name: 'http-message-sig',
  async sign(created) {
    const parameters = { created, keyid: paired.keyId, nonce, tag: 'poid' };
    const { signature, signatureInput } = await createSignature(described(plain), {
      components: covered,
      parameters,
      signer: { algorithm: 'hmac-sha256', sign: hmac },
    });
    return { ...plain, signature, 'signature-input': signatureInput };
  },
  async accepts(call, status, headers) {
    const answer: ResponseDescriptor = { kind: 'response', status, fields: fields(headers), request: described(call) };
    const [, label = ''] = /^(\w+)=/.exec(call['signature'] ?? '') ?? [];
    const policy = {
      algorithms: ['hmac-sha256'],
      requiredComponents: ['@status', 'content-digest', component('signature', { req: true, key: label })],
      requiredParameters: ['keyid', 'tag'],
      now: 1767225600,
    };
    const verify = (data: Uint8Array, signature: Uint8Array) => timingSafeEqual(hmac(data), signature);
    const resolveVerifier = () => ({ algorithm: 'hmac-sha256', verify });
    const verified = await verifySignature(answer, { policy, resolveVerifier }).catch(() => undefined);
    return verified !== undefined;
  },
};

function fields(headers: Headers) {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

function described(headers: Headers) {
  return { kind: 'request', method: 'POST', targetUri: url, fields: fields(headers) } as const;
}

for (const library of [httpMessageSignatures, httpMessageSig]) {
  describe(library.name, () => {
    test('signs calls that are let in', async (t) => {
      const { refused, nowS } = await staged(t);
      const headers = await library.sign(nowS());
      const call: SignedCall = { scheme: 'http', method: 'POST', target, body, headers };
      assert.equal(await refused(call), undefined);
    });

    test('accepts the answer to a call, and no other', async (t) => {
      const { authenticator, nowS } = await staged(t);
      const headers = await library.sign(nowS());
      const call: SignedCall = { scheme: 'http', method: 'POST', target, body, headers };
      const caller = (await authenticator.authenticate(call)) as Caller;
      const answer = caller.sign(200, '{}');
      assert.equal(await library.accepts(headers, 200, answer), true);
      assert.equal(await library.accepts(headers, 201, answer), false);
      const { 'content-digest': other = '' } = caller.sign(200, '{ }');
      assert.notEqual(other, answer['content-digest']);
      assert.equal(await library.accepts(headers, 200, { ...answer, 'content-digest': other }), false);
      const another = await library.sign(nowS() - 1);
      assert.equal(await library.accepts(another, 200, answer), false);
    });
  });
}
