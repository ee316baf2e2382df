import { aesBlockBytes, aesEncrypt } from './aes.ts';
import { blockBytes, tdesEncrypt } from './des.ts';
import { cmac, type HostMac } from './message-mac.ts';

/** A working key, encrypted in ECB under a key-encrypting key. */
export function wrapKey(algorithm: HostMac, keyEncryptingKey: Buffer, key: Buffer): Buffer {
  return algorithm === 'aesCmac' ? aesEncrypt(keyEncryptingKey, key) : tdesEncrypt(keyEncryptingKey, key);
}

/**
 * TDES: the encryption of zeros. AES: the CMAC of a block of zeros (ANSI X9.24-1:2017, 7.7.2). The host sends its first
 * bytes.
 */
export function keyCheckValue(algorithm: HostMac, key: Buffer): Buffer {
  return algorithm === 'aesCmac' ? cmac(key, Buffer.alloc(aesBlockBytes)) : tdesEncrypt(key, Buffer.alloc(blockBytes));
}
