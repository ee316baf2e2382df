import { type MacAlgorithm, macKeyBytes, type MacPadding } from '../../base/domain/mac-algorithm.ts';
import { desBlock, encryptCbc, encryptDes, xor } from './triple-des.ts';

const aesBlock = 16;

/** Computes the whole code: 8 bytes with DES, 16 with AES. Throws RangeError for a key of another length. */
export function computeMac(
  algorithm: MacAlgorithm,
  key: Uint8Array,
  bytes: Uint8Array,
  padding: MacPadding = 1,
): Uint8Array {
  if (!macKeyBytes[algorithm].includes(key.length)) throw new RangeError(`a key of ${key.length} bytes`);
  switch (algorithm) {
    case 'iso9797-1':
      return lastOf(encryptDes(key, pad(bytes, padding)), desBlock);
    case 'iso9797-3':
      return retailMac(key, pad(bytes, padding));
    case 'aesCmac':
      return aesCmac(key, bytes);
    default:
      return algorithm satisfies never;
  }
}

function pad(bytes: Uint8Array, padding: MacPadding): Uint8Array {
  const begun = padding === 2 ? Buffer.concat([bytes, Uint8Array.of(0x80)]) : bytes;
  const length = Math.max(desBlock, Math.ceil(begun.length / desBlock) * desBlock);
  return Buffer.concat([begun, new Uint8Array(length - begun.length)]);
}

function retailMac(key: Uint8Array, padded: Uint8Array): Uint8Array {
  const left = key.subarray(0, desBlock);
  const body = padded.subarray(0, -desBlock);
  const chain = body.length === 0 ? new Uint8Array(desBlock) : lastOf(encryptDes(left, body), desBlock);
  return encryptDes(key, xor(chain, padded.subarray(-desBlock)));
}

function aesCmac(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const run = (data: Uint8Array) => encryptCbc(`aes-${key.length * 8}-cbc`, key, data, aesBlock);
  const isWhole = bytes.length > 0 && bytes.length % aesBlock === 0;
  const once = double(run(new Uint8Array(aesBlock)));
  const subkey = isWhole ? once : double(once);
  const at = isWhole ? bytes.length - aesBlock : Math.floor(bytes.length / aesBlock) * aesBlock;
  const last = new Uint8Array(aesBlock);
  last.set(bytes.subarray(at));
  if (!isWhole) last[bytes.length - at] = 0x80;
  return lastOf(run(Buffer.concat([bytes.subarray(0, at), xor(last, subkey)])), aesBlock);
}

/** Doubling in GF(2^128), with the polynomial of RFC 4493, 2.3. */
function double(block: Uint8Array): Uint8Array {
  const doubled = block.map((byte, at) => (byte << 1) | ((block[at + 1] ?? 0) >> 7));
  if ((block[0] ?? 0) >= 0x80) doubled[aesBlock - 1] = (doubled[aesBlock - 1] ?? 0) ^ 0x87;
  return doubled;
}

function lastOf(bytes: Uint8Array, count: number): Uint8Array {
  return bytes.subarray(bytes.length - count);
}
