import { createCipheriv, createDecipheriv } from 'node:crypto';

/** DES and two-key triple DES on whole blocks of 8 bytes, no padding of its own. */
export const blockBytes = 8;

const zeroBlock = Buffer.alloc(blockBytes);

/** Triple DES, ECB. `key` is 16 bytes (two keys), `data` whole blocks. */
export function tdesEncrypt(key: Buffer, data: Buffer): Buffer {
  return ecb(threeKeys(key, 2 * blockBytes), data, createCipheriv);
}

/** Triple DES, CBC with a zero initial vector. `key` is 16 bytes, `data` whole blocks. */
export function tdesEncryptCbc(key: Buffer, data: Buffer): Buffer {
  return cbc(threeKeys(key, 2 * blockBytes), data, createCipheriv);
}

/** The inverse of `tdesEncryptCbc`. */
export function tdesDecryptCbc(key: Buffer, data: Buffer): Buffer {
  return cbc(threeKeys(key, 2 * blockBytes), data, createDecipheriv);
}

/**
 * Single DES of one block. OpenSSL 3 no longer offers it, but triple DES with three equal keys is the same function.
 */
export function desEncrypt(key: Buffer, block: Buffer): Buffer {
  return ecb(threeKeys(key, blockBytes), block, createCipheriv);
}

/**
 * ISO/IEC 9797-1 MAC algorithm 3 ("retail MAC"): DES-CBC with the left key, the last block then decrypted with the
 * right and encrypted with the left key. Padding (method 1 or 2) is the caller's. 8 bytes.
 */
export function retailMac(key: Buffer, padded: Buffer): Buffer {
  const left = key.subarray(0, blockBytes);
  const chained = cbc(threeKeys(left, blockBytes), padded.subarray(0, -blockBytes), createCipheriv);
  const chain = chained.length === 0 ? zeroBlock : chained.subarray(-blockBytes);
  // DES with the left key, its inverse with the right, the left again: that is triple DES of the last block.
  return tdesEncrypt(key, xor(chain, padded.subarray(-blockBytes)));
}

/**
 * ISO/IEC 9797-1 padding method 1: 00 up to the next whole block (of DES, or `block` bytes); none if already whole.
 */
export function zeroPadded(data: Buffer, block: number = blockBytes): Buffer {
  const missing = (block - (data.length % block)) % block;
  return Buffer.concat([data, Buffer.alloc(missing)]);
}

/** ISO/IEC 9797-1 padding method 2, as in EMV: 80, then 00 up to the next whole block; at least one byte. */
export function emvPadded(data: Buffer): Buffer {
  return zeroPadded(Buffer.concat([data, Buffer.of(0x80)]));
}

export function xor(a: Buffer, b: Buffer): Buffer {
  if (a.length !== b.length) throw new RangeError(`xor of ${a.length} and ${b.length} bytes`);
  return Buffer.from(a.map((byte, index) => byte ^ (b[index] ?? 0)));
}

/** Sets the lowest bit of each byte for odd parity, as DES keys require. */
export function oddParity(key: Buffer): Buffer {
  return Buffer.from(key.map((byte) => (byte & 0xfe) | (ones(byte & 0xfe) % 2 === 0 ? 1 : 0)));
}

function ones(value: number): number {
  let count = 0;
  for (let rest = value; rest !== 0; rest >>>= 1) count += rest & 1;
  return count;
}

function threeKeys(key: Buffer, length: number): Buffer {
  if (key.length !== length) throw new RangeError(`a key of ${key.length} bytes where ${length} are needed`);
  const left = key.subarray(0, blockBytes);
  return Buffer.concat([left, key.subarray(-blockBytes), left]);
}

type Direction = typeof createCipheriv | typeof createDecipheriv;

function ecb(key: Buffer, data: Buffer, direction: Direction): Buffer {
  return run(direction('des-ede3-ecb', key, null), data);
}

function cbc(key: Buffer, data: Buffer, direction: Direction): Buffer {
  return run(direction('des-ede3-cbc', key, zeroBlock), data);
}

function run(cipher: ReturnType<Direction>, data: Buffer): Buffer {
  if (data.length % blockBytes !== 0) throw new RangeError(`${data.length} bytes are not whole blocks`);
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(data), cipher.final()]);
}
