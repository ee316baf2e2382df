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

/** What a request signs (QFPay, signature generation): its fields by name, unescaped, and the key right behind. */
export function signedText(form: Form, key: string): string {
  return canonical(form) + key;
}

/** The fields in the order of their names' characters, joined as they are. */
export function canonical(form: Form): string {
  return [...form]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/**
 * What an answer signs (QFPay, response format, "Signature Verification"): "the `data` fields in the same sorted order", and the key.
 * The published answers of payment, refund and reversal have no `data`: their fields stand by themselves. Of the enquiry, whose
 * `data` is a list, the page says nothing: it has no such text. Both assumed (fixtures/README.md).
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

/** Published requests carry their signature in capitals and in small letters. */
export function isSignature(given: string | undefined, form: Form, key: string, type: SignType): boolean {
  return given?.toUpperCase() === signature(signedText(form, key), type);
}
