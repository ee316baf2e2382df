import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type Dictionary, isInnerList, parseDictionary, serializeDictionary } from 'structured-headers';
import { serializeInnerList, serializeItem } from 'structured-headers';

/** Longer fields are refused unread. */
const fieldCharsMax = 1_000;

/** One signature of an HTTP message, from its two fields (RFC 9421, 4). */
export interface MessageSignature {
  readonly label: string;
  /** The component identifiers as they stand in the signature base, each once: '"@method"'. */
  readonly components: readonly string[];
  readonly parameters: ReadonlyMap<string, unknown>;
  /** The value of @signature-params. */
  readonly input: string;
  readonly signature: Uint8Array;
}

/**
 * Reads a message's signature; undefined if the fields do not hold exactly one. They must be in the canonical form of
 * RFC 9651, 4.1, so duplicate or ambiguous fields are refused.
 */
export function parseSignature(inputField: string, signatureField: string): MessageSignature | undefined {
  const [inputs, signatures] = [dictionary(inputField), dictionary(signatureField)];
  if (inputs?.size !== 1 || signatures?.size !== 1) return undefined;
  const [[label, member] = []] = inputs;
  const [signature, more] = signatures.get(label ?? '') ?? [];
  if (label === undefined || !member || !isInnerList(member) || !(signature instanceof ArrayBuffer)) return undefined;
  const [items, parameters] = member;
  const components = items.map((item) => serializeItem(item));
  const areNames = items.every(([name]) => typeof name === 'string');
  if (!areNames || new Set(components).size < components.length || more?.size !== 0) return undefined;
  return { label, components, parameters, input: serializeInnerList(member), signature: new Uint8Array(signature) };
}

function dictionary(field: string): Dictionary | undefined {
  if (field.length > fieldCharsMax) return undefined;
  try {
    const parsed = parseDictionary(field);
    return serializeDictionary(parsed) === field ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The signature base (RFC 9421, 2.5). `lines`: component identifier and value. A value has no line feed. */
export function signatureBase(lines: readonly (readonly [string, string])[], input: string): string {
  return [...lines, ['"@signature-params"', input] as const].map(([name, value]) => `${name}: ${value}`).join('\n');
}

/** hmac-sha256 (RFC 9421, 3.3.3). */
export function signBase(key: Uint8Array, base: string): Buffer {
  return createHmac('sha256', key).update(base).digest();
}

/** Compares in a time that does not depend on where they differ. */
export function isSigned(key: Uint8Array, base: string, signature: Uint8Array): boolean {
  const right = signBase(key, base);
  return right.length === signature.length && timingSafeEqual(right, signature);
}

/** A Content-Digest field (RFC 9530) of the one algorithm that this terminal uses. */
export function contentDigest(body: string): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}
