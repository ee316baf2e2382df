import type { JsonSchema } from './openapi-schema.ts';

/**
 * How a call is signed where pairing is required (docs/pairing.md): all four headers together. The empty alternative
 * comes first, because a terminal that requires no pairing asks for none of them.
 */
export const security: readonly Readonly<Record<string, readonly string[]>>[] = [
  {},
  { signingKey: [], signingTime: [], signingNonce: [], signature: [] },
];

/** Of a call that nobody needs to sign. */
export const noSecurity: typeof security = [];

export const securitySchemes = {
  signingKey: header('Poid-Key', 'the keyId that pairing gave'),
  signingTime: header(
    'Poid-Time',
    'seconds since 1970, at most 60 behind and 5 ahead of the terminal’s clock; a 401 tells the difference',
  ),
  signingNonce: header('Poid-Nonce', '16 to 64 letters, digits, _ or -, never the same twice'),
  signature: header(
    'Poid-Signature',
    'hex of HMAC-SHA256 with the key, of these lines without a final line feed: poid call 1, method, path with query, ' +
      'time, nonce, hex SHA-256 of the body',
  ),
} as const;

/** What signs an answer, by the names of its headers. */
export const answerSignature = {
  'Poid-Signature': {
    description:
      'of the answer to a signed call: hex of HMAC-SHA256 with the key, of the lines poid answer 1, nonce of the call, status, ' +
      'hex SHA-256 of the body',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
} as const satisfies JsonSchema;

function header(name: string, description: string) {
  return { type: 'apiKey', in: 'header', name, description } as const;
}
