import { createDecipheriv, timingSafeEqual } from 'node:crypto';
import { type KeyCipher, keyCipherOf, type MacAlgorithm } from '../../base/domain/mac-algorithm.ts';
import { computeMac } from './mac.ts';

const blocks: Readonly<Record<KeyCipher, number>> = { tdes: 8, aes: 16 };

/** How a key is encrypted that is more than one block: each on its own, or as CBC with a zero vector. */
export type WrapMode = 'ecb' | 'cbc';

/** A working key as it came, under a key-encrypting key of the same cipher. Throws RangeError. */
export function unwrapKey(algorithm: MacAlgorithm, keyEncryptingKey: Uint8Array, wrapped: Uint8Array, mode: WrapMode) {
  const cipher = keyCipherOf(algorithm);
  const block = blocks[cipher];
  if (wrapped.length === 0 || wrapped.length % block !== 0) throw new RangeError('a wrapped key is whole blocks');
  const [name, key] =
    cipher === 'tdes'
      ? [`des-ede3-${mode}`, threeKeys(keyEncryptingKey)]
      : [`aes-${keyEncryptingKey.length * 8}-${mode}`, keyEncryptingKey];
  const vector = mode === 'ecb' ? null : new Uint8Array(block);
  const decipher = createDecipheriv(name, key, vector).setAutoPadding(false);
  return new Uint8Array(Buffer.concat([decipher.update(wrapped), decipher.final()]));
}

/**
 * The whole check value of a key, of which 3 to 5 bytes are sent. TDES: 8 zero bytes, encrypted. AES: the CMAC of 16 zero
 * bytes (ANSI X9.24-1:2017, 7.7.2); a plain encryption of zeros is another value.
 */
function checkValueOf(algorithm: MacAlgorithm, key: Uint8Array): Uint8Array {
  const cipher = keyCipherOf(algorithm);
  // One block of zeros in CBC with a zero vector is its encryption.
  return computeMac(cipher === 'tdes' ? 'iso9797-1' : 'aesCmac', key, new Uint8Array(blocks[cipher]));
}

/** Whether a key has the check value of which these bytes were sent, from the left. */
export function hasCheckValue(algorithm: MacAlgorithm, key: Uint8Array, sent: Uint8Array): boolean {
  const own = checkValueOf(algorithm, key).subarray(0, sent.length);
  return own.length === sent.length && timingSafeEqual(own, sent);
}

function threeKeys(key: Uint8Array): Uint8Array {
  return key.length === 24 ? key : Buffer.concat([key, key.subarray(0, 8)]);
}
