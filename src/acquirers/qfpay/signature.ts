import { createHash, timingSafeEqual } from 'node:crypto';

export type SignType = 'SHA256' | 'MD5';

/** Parameters of one call by name. */
export type Parameters = Readonly<Record<string, string>>;

/** Sorted by name, as they are signed and sent. */
export function sorted(parameters: Parameters): [name: string, value: string][] {
  return Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** X-QF-SIGN of a request: 'a=1&b=2', nothing escaped, and the key. Published: QFPay, "Signature Generation". */
export function requestSignature(parameters: Parameters, clientKey: string, signType: SignType): string {
  const signed = sorted(parameters).map(([name, value]) => `${name}=${value}`);
  return digest(signType, signed.join('&'), clientKey);
}

/**
 * Whether X-QF-SIGN fits an answer: its bytes, and the key (published for notifications, assumed for answers). The length
 * says which of the two digests it is: notifications are signed with MD5, whatever the request was signed with.
 */
export function fitsAnswer(signature: string, body: Uint8Array, clientKey: string): boolean {
  const signType = signTypeOf(signature);
  if (!signType) return false;
  return timingSafeEqual(Buffer.from(digest(signType, body, clientKey)), Buffer.from(signature.toUpperCase()));
}

function signTypeOf(signature: string): SignType | undefined {
  if (!/^[\dA-Fa-f]+$/.test(signature)) return undefined;
  return signature.length === 64 ? 'SHA256' : signature.length === 32 ? 'MD5' : undefined;
}

function digest(signType: SignType, content: string | Uint8Array, clientKey: string): string {
  const hash = createHash(signType === 'SHA256' ? 'sha256' : 'md5');
  return hash.update(content).update(clientKey).digest('hex').toUpperCase();
}
