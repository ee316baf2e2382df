import { createCipheriv } from 'node:crypto';

/** Bytes of a block, and of a single DES key. */
export const desBlock = 8;

/** The three keys of triple DES from one, two or three. OpenSSL 3 has no single DES: three equal keys replace it. */
export function threeKeys(key: Uint8Array): Buffer {
  const first = key.subarray(0, desBlock);
  const second = key.length > desBlock ? key.subarray(desBlock, 2 * desBlock) : first;
  const third = key.length > 2 * desBlock ? key.subarray(2 * desBlock) : first;
  return Buffer.concat([first, second, third]);
}

/** CBC with a zero vector, over whole blocks, under one, two or three keys; of one block it is plain encryption. */
export function encryptDes(key: Uint8Array, data: Uint8Array): Buffer {
  const triple = threeKeys(key);
  const encrypted = encryptCbc('des-ede3-cbc', triple, data, desBlock);
  triple.fill(0);
  return encrypted;
}

/** CBC with a zero vector, over whole blocks. `name`: of the cipher. */
export function encryptCbc(name: string, key: Uint8Array, data: Uint8Array, block: number): Buffer {
  const cipher = createCipheriv(name, key, new Uint8Array(block)).setAutoPadding(false);
  return Buffer.concat([cipher.update(data), cipher.final()]);
}

/** Of equal lengths. */
export function xor(one: Uint8Array, other: Uint8Array): Buffer {
  return Buffer.from(Uint8Array.from(one, (byte, at) => byte ^ (other[at] ?? 0)));
}
