import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../../src/base/ports/clock.ts';
import { parseJson } from '../../../src/pos/api/input.ts';
import { deriveKey, unseal, sealText, securedBody } from '../../../src/pos/nexo/security-trailer.ts';
import { unsealAnswer, secure } from './till.ts';

/** A test key. */
const settings = { identifier: 'test-key', version: 1, passphrase: 'poid test passphrase' };
const key = deriveKey(settings);

/**
 * Computed with OpenSSL 3: `openssl kdf … PBKDF2` for the key material, `openssl enc -aes-256-cbc` for the blob with
 * the IV that results from the nonce, and `openssl dgst -sha256 -mac HMAC`.
 */
const vector = {
  mac: '41a2b41afa047ac82c3b0f38d88f7ecf68766c9309aabdc69413b500ccd00dd6',
  cipher: 'ad12ef3c7dd51997f24200023f0c0ca6239cc4ee027861a6be7e4ce78c352aab',
  iv: 'eebe518cf47f7a2cb1369c1bee285ef8',
  text:
    '{"SaleToPOIRequest":{"MessageHeader":{"ProtocolVersion":"3.0","MessageClass":"Service",' +
    '"MessageCategory":"Diagnosis","MessageType":"Request","ServiceID":"0000000001","SaleID":"Till 1",' +
    '"POIID":"POID-1"},"DiagnosisRequest":{}}}',
  nonce: '000102030405060708090a0b0c0d0e0f',
  blob:
    'sKX0TpK8uBcjT22LjpbEHAqzB3mGho1Hdf0AUGco7AzRrgjdiftv7auqyVfFgCf7yqxck9GFI6UaFQ3hU33DeB18BAYFAs4DW4t97fEvcVMY' +
    '2IKGMCiKgcjva/sdPFUc4kmejeMP8VWmloa6CnIsRElJOMtH6kzq0YyWsPG53RuZbNoT4rlnc0dZwFAmtNZEMqcl2lB5AVIXRaOELGuycHW9' +
    'Lr1j+RJ8gnySZGTzkl4+j/2KxtDQohDM404VxTnA59qjqJDEoG+9ZRxzBkIdjWqi/Mvn03GBLkw8rJX7ZsOVVtlgPfvIrnekWqQRbIcY',
  hmac: '3kxWn6h+c8GCFhGqOwCndn7FBZuRSQxp4Ft5zLy9vHg=',
};
const body = securedBody.parse(
  parseJson(
    JSON.stringify({
      NexoBlob: vector.blob,
      SecurityTrailer: {
        AdyenCryptoVersion: 1,
        KeyIdentifier: 'test-key',
        KeyVersion: 1,
        Nonce: Buffer.from(vector.nonce, 'hex').toString('base64'),
        Hmac: vector.hmac,
      },
    }),
  ),
);
const withTrailer = (fields: object) => ({ ...body, SecurityTrailer: { ...body.SecurityTrailer, ...fields } });

test('key material, blob and HMAC are those that OpenSSL computes', () => {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  assert.deepEqual([hex(key.macKey), hex(key.cipherKey), hex(key.iv)], [vector.mac, vector.cipher, vector.iv]);
  assert.equal(unseal(body, [key])?.text, vector.text);
  const random = { bytes: () => Buffer.from(vector.nonce, 'hex') };
  const sealed = sealText(vector.text, key, random);
  assert.deepEqual([sealed.NexoBlob, sealed.SecurityTrailer.Hmac], [vector.blob, vector.hmac]);
});

test('what it seals a till opens, and what a till secures it opens', () => {
  const text = '{"a":"凍檸茶"}';
  assert.equal(unsealAnswer(sealText(text, key, systemRandom), settings), text);
  const secured = securedBody.parse(parseJson(JSON.stringify(secure({}, text, settings))));
  assert.equal(unseal(secured, [deriveKey({ ...settings, version: 2 }), key])?.text, text);
});

test('a changed blob, nonce, HMAC, key or version opens nothing', () => {
  const other = deriveKey({ ...settings, passphrase: 'another test passphrase' });
  const flipped = Buffer.from(vector.blob, 'base64');
  flipped[20] = (flipped[20] ?? 0) ^ 1;
  const end = Buffer.from(vector.blob, 'base64');
  end[end.length - 1] = (end.at(-1) ?? 0) ^ 1;
  const wrong = [
    { ...body, NexoBlob: flipped.toString('base64') },
    { ...body, NexoBlob: end.toString('base64') },
    { ...body, NexoBlob: 'AAAA' },
    withTrailer({ Nonce: Buffer.alloc(16).toString('base64') }),
    withTrailer({ Nonce: 'AAAA' }),
    withTrailer({ Hmac: Buffer.alloc(32).toString('base64') }),
    withTrailer({ Hmac: 'AAAA' }),
    withTrailer({ KeyVersion: 2 }),
    withTrailer({ KeyIdentifier: 'other' }),
    withTrailer({ AdyenCryptoVersion: 2 }),
  ];
  assert.deepEqual(
    wrong.map((each) => unseal(each, [key])),
    wrong.map(() => undefined),
  );
  assert.equal(unseal(body, [other]), undefined);
  assert.equal(unseal(body, []), undefined);
});
