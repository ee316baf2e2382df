import { keyFault } from '../../../base/domain/json-keys.ts';
import { parseJson } from '../../api/input.ts';
import { exceedsValues } from '../../api/json-request.ts';
import { canonicalText, contentOf, type EcrContent, parseCanonical } from './content.ts';
import { decrypt, encryptedBytes, fitsDigest } from './cipher.ts';

/** A request whose digest fits the key of this caller. */
export interface ReadRequest<Caller> {
  readonly caller: Caller;
  readonly content: EcrContent;
}

/**
 * Why a body is no request. unreadable: it can't have been encrypted. otherKey: it was not made with any of the keys.
 * One answer for a wrong padding and for a wrong digest: a difference would let others decrypt what they have recorded.
 * malformed: its digest fits a key, and its content can't be read, or could be read in two ways.
 */
export type EnvelopeFault = 'unreadable' | 'otherKey' | 'malformed';

/** What one key makes of a body; undefined if it does not fit. */
type Read = EcrContent | 'malformed' | undefined;

export interface EnvelopeOptions<Caller> {
  readonly callers: readonly Caller[];
  /** Requests that are signed and not encrypted are accepted, too. */
  readonly takesClear: boolean;
}

/** An envelope in clear: `content` as it is written, and its digest. */
interface Envelope {
  readonly content: unknown;
  readonly digest: string;
}

/** Values of an envelope: more than any request has. */
const valuesMax = 32;

/**
 * Reads a body. Three forms are known: the encrypted envelope as a JSON string or as it is (Odoo; QFPay/docs, ecr.md,
 * 7), a JSON envelope whose content is encrypted ("Generate signature"), and one in clear ("The default encryption is
 * ON").
 */
export function readEnvelope<Caller extends { readonly key: string }>(
  body: string,
  { callers, takesClear }: EnvelopeOptions<Caller>,
): ReadRequest<Caller> | EnvelopeFault {
  const written = body.trim();
  if (!written.startsWith('{')) return readWhole(textOf(written), callers);
  const envelope = envelopeOf(written);
  if (!envelope) return 'unreadable';
  const { content, digest } = envelope;
  const bytes = typeof content === 'string' ? encryptedBytes(content) : undefined;
  if (bytes) {
    return firstOf(callers, ({ key }) => {
      if (!fitsDigest(digest, content as string, key)) return undefined;
      const clear = decrypt(bytes, key);
      return clear === undefined ? 'malformed' : clearContent(clear);
    });
  }
  if (!takesClear) return 'unreadable';
  return firstOf(callers, ({ key }) => signedContent(envelope, key));
}

/** The whole envelope is encrypted. */
function readWhole<Caller extends { readonly key: string }>(
  encrypted: string | undefined,
  callers: readonly Caller[],
): ReadRequest<Caller> | EnvelopeFault {
  const bytes = encrypted === undefined ? undefined : encryptedBytes(encrypted);
  if (!bytes) return 'unreadable';
  return firstOf(callers, ({ key }) => {
    const clear = decrypt(bytes, key);
    if (clear === undefined) return undefined;
    return canonicalContent(clear, key) ?? jsonContent(clear, key);
  });
}

/** All keys are tried, whichever fits: how long it takes tells nothing of them. */
function firstOf<Caller>(
  callers: readonly Caller[],
  read: (caller: Caller) => Read,
): ReadRequest<Caller> | EnvelopeFault {
  const [found] = callers.flatMap((caller) => {
    const content = read(caller);
    return content ? [{ caller, content }] : [];
  });
  if (!found) return 'otherKey';
  const { caller, content } = found;
  return content === 'malformed' ? content : { caller, content };
}

/** Greedy: the digest is the last one, whatever the values contain. */
const canonicalEnvelope = /^\{content:(\{.*\}), ?digest:'([0-9A-Fa-f]{32})'\}$/s;

/** Odoo's form: {content:{amt=88.5,…}, digest:'…'}. */
function canonicalContent(clear: string, key: string): Read {
  const [, content = '', digest = ''] = canonicalEnvelope.exec(clear) ?? [];
  if (content === '' || !fitsDigest(digest, content, key)) return undefined;
  return parseCanonical(content) ?? 'malformed';
}

function jsonContent(clear: string, key: string): Read {
  const envelope = envelopeOf(clear);
  return envelope && signedContent(envelope, key);
}

function signedContent({ content, digest }: Envelope, key: string): Read {
  // The page's sample of a serial line has the content as a text of JSON.
  const fields = contentOf(typeof content === 'string' ? jsonOf(content) : content);
  return fields && fitsDigest(digest, canonicalText(fields), key) ? fields : undefined;
}

/** A content that was encrypted by itself. */
function clearContent(clear: string): Read {
  return parseCanonical(clear) ?? contentOf(jsonOf(clear)) ?? 'malformed';
}

function envelopeOf(text: string): Envelope | undefined {
  const json = jsonOf(text);
  if (typeof json !== 'object' || json === null) return undefined;
  const { content, digest, ...others } = json as Record<string, unknown>;
  return typeof digest === 'string' && Object.keys(others).length === 0 ? { content, digest } : undefined;
}

/** Undefined for what is not JSON, or has a key twice. */
function jsonOf(text: string): unknown {
  if (exceedsValues(text, valuesMax)) return undefined;
  try {
    const json = parseJson(text);
    return keyFault(text) ? undefined : json;
  } catch {
    return undefined;
  }
}

/** The text of a JSON string; any other text as it is. */
function textOf(written: string): string | undefined {
  if (!written.startsWith('"')) return written;
  const json = jsonOf(written);
  return typeof json === 'string' ? json : undefined;
}
