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

/** Upper-case hexadecimal digits. */
export function signature(text: string, type: SignType): string {
  return createHash(type).update(text, 'utf8').digest('hex').toUpperCase();
}

/** Published requests carry their signature in capitals and in small letters. */
export function isSignature(given: string | undefined, form: Form, key: string, type: SignType): boolean {
  return given?.toUpperCase() === signature(signedText(form, key), type);
}
