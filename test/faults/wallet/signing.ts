import { createHash } from 'node:crypto';

export type Digest = 'MD5' | 'SHA256';

/** Fields in the order of their names, joined unescaped, the key right behind (QFPay, "Signature Generation"). */
export function signedFields(fields: Iterable<readonly [name: string, value: string]>, key: string): string {
  const sorted = [...fields].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted.map(([name, value]) => `${name}=${value}`).join('&') + key;
}

export function digestOf(text: string, digest: Digest): string {
  return createHash(digest.toLowerCase()).update(text, 'utf8').digest('hex').toUpperCase();
}
