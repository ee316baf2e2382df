import { createDecipheriv, timingSafeEqual } from 'node:crypto';
import { type KeyCipher, keyCipherOf, type MacAlgorithm } from '../../base/domain/mac-algorithm.ts';
import { computeMac } from './mac.ts';
import { desBlock, threeKeys } from './triple-des.ts';

const blocks: Readonly<Record<KeyCipher, number>> = { tdes: desBlock, aes: 16 };

/** The mode in which a key of several blocks is encrypted: ECB, or CBC with a zero vector. */
export type WrapMode = 'ecb' | 'cbc';

/** Decrypts a working key under a key-encrypting key of the same cipher. Throws RangeError. */
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
 * The whole check value of a key; hosts send 3 to 8 bytes of it. TDES: the encryption of 8 zero bytes. AES: the CMAC of
 * 16 zero bytes (ANSI X9.24-1:2017, 7.7.2), not their plain encryption.
 */
function checkValueOf(algorithm: MacAlgorithm, key: Uint8Array): Uint8Array {
  const cipher = keyCipherOf(algorithm);
  // For one block of zeros, CBC with a zero vector is plain encryption.
  return computeMac(cipher === 'tdes' ? 'iso9797-1' : 'aesCmac', key, new Uint8Array(blocks[cipher]));
}

/** Whether the check value of a key begins with the bytes that were sent. */
export function hasCheckValue(algorithm: MacAlgorithm, key: Uint8Array, sent: Uint8Array): boolean {
  const own = checkValueOf(algorithm, key).subarray(0, sent.length);
  return own.length === sent.length && timingSafeEqual(own, sent);
}
