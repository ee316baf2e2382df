/**
 * iso9797-1: the last block of CBC, with DES or triple DES. iso9797-3: CBC with DES and a last step with triple DES
 * ("retail MAC", ANSI X9.19). Both ISO/IEC 9797-1. aesCmac: RFC 4493.
 */
export const macAlgorithms = ['iso9797-1', 'iso9797-3', 'aesCmac'] as const;
export type MacAlgorithm = (typeof macAlgorithms)[number];

/** Of ISO/IEC 9797-1. 1: zeros up to a whole block, if it is none. 2: 80, then zeros, always. AES-CMAC has its own. */
export type MacPadding = 1 | 2;

/** The lengths that a key of an algorithm may have, in bytes. */
export const macKeyBytes: Readonly<Record<MacAlgorithm, readonly number[]>> = {
  'iso9797-1': [8, 16, 24],
  'iso9797-3': [16],
  aesCmac: [16, 24, 32],
};

export type KeyCipher = 'tdes' | 'aes';

/** The cipher of an algorithm's keys, and of the key under which they are sent. */
export function keyCipherOf(algorithm: MacAlgorithm): KeyCipher {
  return algorithm === 'aesCmac' ? 'aes' : 'tdes';
}

/** The lengths of a key that encrypts keys, in bytes. */
export const keyEncryptingKeyBytes: Readonly<Record<KeyCipher, readonly number[]>> = {
  tdes: [16, 24],
  aes: [16, 24, 32],
};
