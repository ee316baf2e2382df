/** Pairs as AdditionalResponse, receipts and SaleToAcquirerData have them: `name=value&name=value`, percent-encoded. */

export type Pairs = Readonly<Record<string, string | undefined>>;

export function encodePairs(pairs: Pairs): string {
  return Object.entries(pairs)
    .flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`${encode(name)}=${encode(value)}`]))
    .join('&');
}

/** A half of a character can't be encoded. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const pairsMax = 64;

/**
 * The pairs of SaleToAcquirerData: form-encoded, or the Base64 of a JSON object. What can't be read has none: it is
 * meant for acquirers in general, and most of it for another one.
 */
export function readPairs(text: string): ReadonlyMap<string, string> {
  const object = /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? readObject(text) : undefined;
  if (object) return new Map(flatten('', object).slice(0, pairsMax));
  return new Map([...new URLSearchParams(text)].slice(0, pairsMax));
}

function readObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64').toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `{"metadata":{"till":"1"}}` is `metadata.till=1`. Deeper objects have no pairs. */
function flatten(prefix: string, object: object): [string, string][] {
  return Object.entries(object).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    const place = prefix + name;
    if (typeof value === 'object' && value !== null && prefix === '') return flatten(`${place}.`, value);
    return ['string', 'number', 'boolean'].includes(typeof value) ? [[place, String(value)]] : [];
  });
}
