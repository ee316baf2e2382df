/**
 * iso9797-1: the last block of CBC with DES or triple DES. iso9797-3: CBC with DES, and triple DES for the last block
 * ("retail MAC", ANSI X9.19). Both are of ISO/IEC 9797-1. aesCmac: RFC 4493.
 */
export const macAlgorithms = ['iso9797-1', 'iso9797-3', 'aesCmac'] as const;
export type MacAlgorithm = (typeof macAlgorithms)[number];

/**
 * Padding methods of ISO/IEC 9797-1. 1: zeros, only for an incomplete block. 2: always 80, then zeros. AES-CMAC has its
 * own padding.
 */
export type MacPadding = 1 | 2;

/** The key lengths of an algorithm, in bytes. */
export const macKeyBytes: Readonly<Record<MacAlgorithm, readonly number[]>> = {
  'iso9797-1': [8, 16, 24],
  'iso9797-3': [16],
  aesCmac: [16, 24, 32],
};

export type KeyCipher = 'tdes' | 'aes';

/** The cipher of an algorithm's keys and of their key-encrypting key. */
export function keyCipherOf(algorithm: MacAlgorithm): KeyCipher {
  return algorithm === 'aesCmac' ? 'aes' : 'tdes';
}

/** The lengths of a key-encrypting key, in bytes. */
export const keyEncryptingKeyBytes: Readonly<Record<KeyCipher, readonly number[]>> = {
  tdes: [16, 24],
  aes: [16, 24, 32],
};
