import { createCipheriv, createDecipheriv, createHash, timingSafeEqual } from 'node:crypto';

/** Published, and the same for every message (QFPay/docs@3943715, docs/pos/ecr.md, 2). */
const initialVector = 'qfpay202306_hjsh';
const blockBytes = 16;

/** AES-128, AES-192 or AES-256, by the length of the key. */
function algorithmOf(key: Buffer): string {
  return `aes-${key.length * 8}-cbc`;
}

/** AES-CBC with PKCS #7 padding, in Base64. */
export function encrypt(text: string, posKey: string): string {
  const key = Buffer.from(posKey);
  const cipher = createCipheriv(algorithmOf(key), key, initialVector);
  return Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]).toString('base64');
}

/** Undefined if the bytes were not encrypted with this key. */
export function decrypt(bytes: Uint8Array, posKey: string): string | undefined {
  const key = Buffer.from(posKey);
  try {
    const decipher = createDecipheriv(algorithmOf(key), key, initialVector);
    const clear = Buffer.concat([decipher.update(bytes), decipher.final()]);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(clear);
  } catch {
    return undefined;
  }
}

/** Bytes that may be encrypted: Base64, with or without line ends, of whole blocks. Undefined for anything else. */
export function encryptedBytes(text: string): Buffer | undefined {
  const written = text.replace(/[\r\n]/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(written) || written.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(written, 'base64');
  return bytes.length > 0 && bytes.length % blockBytes === 0 ? bytes : undefined;
}

/** MD5 of a text and the key behind it. */
export function digestOf(text: string | Uint8Array, key: string): Buffer {
  return createHash('md5').update(text).update(key).digest();
}

/** Whether a digest in hexadecimal, in either case, is that of this text. */
export function fitsDigest(digest: string, text: string, key: string): boolean {
  if (!/^[0-9A-Fa-f]{32}$/.test(digest)) return false;
  return timingSafeEqual(Buffer.from(digest, 'hex'), digestOf(text, key));
}
