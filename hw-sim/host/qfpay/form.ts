/** Decoded fields by name. */
export type Form = ReadonlyMap<string, string>;

/** The body is not a form. The message contains no value: it could be a payment code. */
export class MalformedForm extends Error {
  override readonly name = 'MalformedForm';
}

const mediaType = 'application/x-www-form-urlencoded';
const fieldsMax = 32;

export function isFormType(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  return type.trim() === mediaType && parameters.every((parameter) => parameter.trim() === 'charset=utf-8');
}

/**
 * The fields of a body (WHATWG URL, "application/x-www-form-urlencoded"). Stricter than the standard's parser, whose
 * repairs would change the signed text. Throws MalformedForm.
 */
export function decodeForm(body: Buffer): Form {
  const text = body.toString('latin1');
  if (/[^\x21-\x7e]/.test(text)) throw new MalformedForm('a form has a character that must be escaped');
  const form = new Map<string, string>();
  if (text === '') return form;
  const pairs = text.split('&');
  if (pairs.length > fieldsMax) throw new MalformedForm(`a form has more than ${fieldsMax} fields`);
  for (const pair of pairs) {
    const [name, value, ...rest] = pair.split('=');
    if (name === undefined || name === '' || value === undefined || rest.length > 0) {
      throw new MalformedForm('a form has a part that is no name=value');
    }
    const key = unescaped(name);
    if (form.has(key)) throw new MalformedForm('a form has a field twice');
    form.set(key, unescaped(value));
  }
  return form;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new MalformedForm('a form has an escape that is none, or no UTF-8');
  }
}
