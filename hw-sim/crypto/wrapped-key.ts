import { aesBlockBytes, aesEncrypt } from './aes.ts';
import { blockBytes, tdesEncrypt } from './des.ts';
import { cmac, type HostMac } from './message-mac.ts';

/** A working key under a key-encrypting key: each block on its own. */
export function wrapKey(algorithm: HostMac, keyEncryptingKey: Buffer, key: Buffer): Buffer {
  return algorithm === 'aesCmac' ? aesEncrypt(keyEncryptingKey, key) : tdesEncrypt(keyEncryptingKey, key);
}

/** TDES: zeros encrypted. AES: the CMAC of a block of zeros (ANSI X9.24-1:2017, 7.7.2). Its first bytes are sent. */
export function keyCheckValue(algorithm: HostMac, key: Buffer): Buffer {
  return algorithm === 'aesCmac' ? cmac(key, Buffer.alloc(aesBlockBytes)) : tdesEncrypt(key, Buffer.alloc(blockBytes));
}
