import { createCipheriv, createDecipheriv } from 'node:crypto';

/** AES-128 on whole blocks of 16 bytes, no padding of its own. */
export const aesBlockBytes = 16;

const zeroBlock = Buffer.alloc(aesBlockBytes);

/** One block or several, ECB. `key` is 16 bytes. */
export function aesEncrypt(key: Buffer, data: Buffer): Buffer {
  return run(createCipheriv('aes-128-ecb', sized(key), null), data);
}

/** The inverse of `aesEncrypt`. */
export function aesDecrypt(key: Buffer, data: Buffer): Buffer {
  return run(createDecipheriv('aes-128-ecb', sized(key), null), data);
}

/** CBC with a zero initial vector. */
export function aesEncryptCbc(key: Buffer, data: Buffer): Buffer {
  return run(createCipheriv('aes-128-cbc', sized(key), zeroBlock), data);
}

/** The inverse of `aesEncryptCbc`. */
export function aesDecryptCbc(key: Buffer, data: Buffer): Buffer {
  return run(createDecipheriv('aes-128-cbc', sized(key), zeroBlock), data);
}

function sized(key: Buffer): Buffer {
  if (key.length !== aesBlockBytes) throw new RangeError(`a key of ${key.length} bytes where 16 are needed`);
  return key;
}

function run(cipher: ReturnType<typeof createCipheriv | typeof createDecipheriv>, data: Buffer): Buffer {
  if (data.length % aesBlockBytes !== 0) throw new RangeError(`${data.length} bytes are not whole blocks`);
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(data), cipher.final()]);
}
