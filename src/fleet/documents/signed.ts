import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** The user property of a signed message. */
export const signatureProperty = 'signature';

/** DER of an Ed25519 public key up to its 32 bytes (RFC 8410, 4). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * The key (base64 of 32 bytes) that has signed these bytes; undefined if none has. The payload itself is what is
 * signed.
 */
export function signerOf(
  payload: Uint8Array,
  signature: string | undefined,
  publicKeys: readonly string[],
): string | undefined {
  if (signature === undefined || !/^[A-Za-z0-9+/]{86}==$/.test(signature)) return undefined;
  const bytes = Buffer.from(signature, 'base64');
  return publicKeys.find((key) => verify(null, payload, publicKeyOf(key), bytes));
}

function publicKeyOf(text: string): KeyObject {
  const key = Buffer.concat([spkiPrefix, Buffer.from(text, 'base64')]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}

export interface Signed {
  /** Base64. */
  readonly signature: string;
  /** The form of fleet.publicKeys. */
  readonly publicKey: string;
}

/** Signs with a private key in PEM (PKCS #8). Throws if it is no Ed25519 key. */
export function signPayload(payload: Uint8Array, pem: string): Signed {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is no Ed25519 key');
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    signature: sign(null, payload, key).toString('base64'),
    publicKey: der.subarray(spkiPrefix.length).toString('base64'),
  };
}
