import { createCipheriv, createDecipheriv, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { Random } from '../../base/ports/clock.ts';
import { JsonNumber } from '../contracts/pos-calls.ts';

/**
 * Messages that are encrypted and authenticated with a key that till and terminal share. The algorithm is published as
 * source: Adyen/adyen-node-api-library, commit 3b84a18, src/security/nexoCrypto.ts and nexoDerivedKeyGenerator.ts.
 */

const [macBytes, cipherBytes, ivBytes] = [32, 32, 16];
const rounds = 4_000;
/** Of the published algorithm: both sides derive with the same salt. */
const salt = 'AdyenNexoV1Salt';
const algorithmVersion = 1;

export interface KeySettings {
  readonly identifier: string;
  readonly version: number;
  readonly passphrase: string;
  readonly posId?: string | undefined;
}

/** A key of one POS, or of several. */
export interface NexoKey extends Omit<KeySettings, 'passphrase'> {
  readonly macKey: Uint8Array;
  readonly cipherKey: Uint8Array;
  readonly iv: Uint8Array;
}

/** Takes some milliseconds of the processor: done once, when the terminal starts. */
export function deriveKey({ passphrase, ...named }: KeySettings): NexoKey {
  const bytes = pbkdf2Sync(Buffer.from(passphrase, 'latin1'), salt, rounds, macBytes + cipherBytes + ivBytes, 'sha1');
  return {
    ...named,
    macKey: bytes.subarray(0, macBytes),
    cipherKey: bytes.subarray(macBytes, macBytes + cipherBytes),
    iv: bytes.subarray(macBytes + cipherBytes),
  };
}

const wholeNumber = z.instanceof(JsonNumber).transform(({ source }) => Number(source));

/** Base64, also without its padding. */
const base64 = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/);

export const securedBody = z.looseObject({
  NexoBlob: base64(262_144),
  SecurityTrailer: z.looseObject({
    AdyenCryptoVersion: wholeNumber,
    KeyIdentifier: z.string().max(64),
    KeyVersion: wholeNumber,
    Nonce: base64(24),
    Hmac: base64(44),
  }),
});

export type SecuredBody = z.infer<typeof securedBody>;

/** The text of a secured message with its key; undefined for whatever reason it can't be trusted. */
export function unseal(
  { NexoBlob: blob, SecurityTrailer: trailer }: SecuredBody,
  keys: readonly NexoKey[],
): { readonly text: string; readonly key: NexoKey } | undefined {
  const { AdyenCryptoVersion, KeyIdentifier, KeyVersion, Nonce, Hmac } = trailer;
  const key = keys.find(({ identifier, version }) => identifier === KeyIdentifier && version === KeyVersion);
  const [nonce, mac] = [Buffer.from(Nonce, 'base64'), Buffer.from(Hmac, 'base64')];
  if (!key || AdyenCryptoVersion !== algorithmVersion || nonce.length !== ivBytes || mac.length !== macBytes) {
    return undefined;
  }
  const plain = decrypt(Buffer.from(blob, 'base64'), key, nonce);
  // Without a readable text one is compared all the same, so that time tells nothing of the padding.
  const isGenuine = timingSafeEqual(macOf(plain ?? nonce, key), mac);
  if (!plain || !isGenuine) return undefined;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(plain), key };
  } catch {
    return undefined;
  }
}

/** The fields of a message that secure `text`. */
export function sealText(text: string, key: NexoKey, random: Random) {
  const nonce = random.bytes(ivBytes);
  const plain = Buffer.from(text);
  const cipher = createCipheriv('aes-256-cbc', key.cipherKey, ivOf(key, nonce));
  return {
    NexoBlob: Buffer.concat([cipher.update(plain), cipher.final()]).toString('base64'),
    SecurityTrailer: {
      AdyenCryptoVersion: algorithmVersion,
      Hmac: Buffer.from(macOf(plain, key)).toString('base64'),
      KeyIdentifier: key.identifier,
      KeyVersion: key.version,
      Nonce: Buffer.from(nonce).toString('base64'),
    },
  };
}

function decrypt(blob: Uint8Array, key: NexoKey, nonce: Uint8Array): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-cbc', key.cipherKey, ivOf(key, nonce));
    return Buffer.concat([decipher.update(blob), decipher.final()]);
  } catch {
    return undefined;
  }
}

function macOf(plain: Uint8Array, { macKey }: NexoKey): Uint8Array {
  return createHmac('sha256', macKey).update(plain).digest();
}

function ivOf({ iv }: NexoKey, nonce: Uint8Array): Uint8Array {
  return iv.map((byte, at) => byte ^ (nonce[at] ?? 0));
}
