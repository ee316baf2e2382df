import { createHash } from 'node:crypto';
import type { Form } from './form.ts';

export type SignType = 'MD5' | 'SHA256';

/** QFPay, request format: MD5 where the header X-QF-SIGNTYPE is missing. */
export function signTypeOf(header: string | undefined): SignType | undefined {
  switch (header) {
    case undefined:
    case 'MD5':
      return 'MD5';
    case 'SHA256':
      return 'SHA256';
    default:
      return undefined;
  }
}

/** The signed text of a request (QFPay, signature generation): its fields by name, unescaped, then the key. */
export function signedText(form: Form, key: string): string {
  return canonical(form) + key;
}

/** The fields, sorted by the characters of their names and joined unescaped. */
export function canonical(form: Form): string {
  return [...form]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/**
 * The signed text of an answer (QFPay, response format, "Signature Verification"): "the `data` fields in the same
 * sorted order", and the key. The published answers of payment, refund and reversal have no `data`; assumed: their own
 * fields are signed. The page says nothing about the enquiry, whose `data` is a list; assumed: it has no such text
 * (fixtures/README.md).
 */
export function answerText(answer: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const { data = answer } = answer;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  return canonical(new Map(Object.entries(data).map(([name, value]) => [name, String(value)]))) + key;
}

/** Upper-case hexadecimal digits. */
export function signature(text: string, type: SignType): string {
  return createHash(type).update(text, 'utf8').digest('hex').toUpperCase();
}

/** Compares in any case: published requests have signatures in capitals and in small letters. */
export function isSignature(given: string | undefined, form: Form, key: string, type: SignType): boolean {
  return given?.toUpperCase() === signature(signedText(form, key), type);
}
