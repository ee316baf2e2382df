/** What a sender says of a body. */
export interface Content {
  /** Content-Type; empty if there is none. */
  readonly type: string;
  /** Content-Encoding. */
  readonly encoding?: string | undefined;
}

/** encoded: gzip and others. not-utf8-type: its Content-Type names another charset than UTF-8. */
export type ContentRefusal = 'encoded' | 'not-json-type' | 'not-utf8-type';

/** One parameter of a media type (RFC 9110, 5.6.6). Spaces around = are not allowed there, and harmless. */
const parameter = /\s*;\s*(?:([^\s;="]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;"]*))?/y;

/** Why this is not JSON in UTF-8 as it stands; undefined if it is. */
export function contentRefusal({ type, encoding = '' }: Content): ContentRefusal | undefined {
  const codings = encoding.split(',').map((coding) => coding.trim().toLowerCase());
  if (codings.some((coding) => coding !== '' && coding !== 'identity')) return 'encoded';
  // Another page may send a form or a text without a preflight (Fetch, "CORS-safelisted request-header"), but not this
  // type.
  const [name = ''] = /^application\/json(?=\s*(?:;|$))/i.exec(type) ?? [];
  if (name === '') return 'not-json-type';
  return charsets(type.slice(name.length)).every((charset) => /^utf-?8$/i.test(charset)) ? undefined : 'not-utf8-type';
}

/** Every charset that the parameters name. What can't be read counts as one if it may name one. */
function charsets(parameters: string): string[] {
  const found: string[] = [];
  let end = 0;
  parameter.lastIndex = 0;
  for (let each = parameter.exec(parameters); each; each = parameter.exec(parameters)) {
    const [, name = '', value = ''] = each;
    end = parameter.lastIndex;
    if (name.toLowerCase() === 'charset') found.push(unquoted(value));
  }
  const unread = parameters.slice(end);
  return /charset/i.test(unread) ? [...found, unread] : found;
}

function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
}
