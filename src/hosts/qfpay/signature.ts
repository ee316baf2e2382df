import { createHash, timingSafeEqual } from 'node:crypto';
import { type Fields, isFields } from './fields.ts';

export type SignType = 'SHA256' | 'MD5';

/** Parameters of one call by name. */
export type Parameters = Readonly<Record<string, string>>;

/** Parameters sorted by name, as they are signed and sent. */
export function sortByName(parameters: Parameters): [name: string, value: string][] {
  return Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * X-QF-SIGN of a request: the digest of 'a=1&b=2', unescaped, followed by the key. Published: QFPay, "Signature
 * Generation".
 */
export function requestSignature(parameters: Parameters, clientKey: string, signType: SignType): string {
  return digest(signType, joinParameters(parameters), clientKey);
}

/**
 * Whether X-QF-SIGN fits an answer. Two signed texts are published, each followed by the key: the fields of `data`,
 * sorted as in a request (QFPay, "Response Format", Signature Verification), and the body as received ("Asynchronous
 * Notifications"). For answers without `data`, their own fields are assumed. The length determines the digest, whatever
 * X-QF-SIGNTYPE contains: MD5 is published for both.
 */
export function fitsAnswer(signature: string, body: Uint8Array, fields: Fields, clientKey: string): boolean {
  const signType = signTypeOf(signature);
  if (!signType) return false;
  const received = Buffer.from(signature.toUpperCase());
  const texts = [body, fieldsText(fields['data'] ?? fields)];
  // All are compared completely, so that the duration does not reveal which one nearly matched.
  return texts
    .map((text) => text !== undefined && timingSafeEqual(Buffer.from(digest(signType, text, clientKey)), received))
    .includes(true);
}

/**
 * Whether the signing of an answer with these fields is documented. The list of an enquiry has no such text: a
 * signature that is not of its body can't be verified.
 */
export function hasSignedText(fields: Fields): boolean {
  return fieldsText(fields['data'] ?? fields) !== undefined;
}

/** Undefined for a list, or for fields with nested values: their signing is not documented. */
function fieldsText(fields: unknown): string | undefined {
  if (!isFields(fields)) return undefined;
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'object' && value !== null) return undefined;
    texts[name] = String(value);
  }
  return joinParameters(texts);
}

function joinParameters(parameters: Parameters): string {
  return sortByName(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function signTypeOf(signature: string): SignType | undefined {
  if (!/^[\dA-Fa-f]+$/.test(signature)) return undefined;
  return signature.length === 64 ? 'SHA256' : signature.length === 32 ? 'MD5' : undefined;
}

function digest(signType: SignType, content: string | Uint8Array, clientKey: string): string {
  const hash = createHash(signType === 'SHA256' ? 'sha256' : 'md5');
  return hash.update(content).update(clientKey).digest('hex').toUpperCase();
}
