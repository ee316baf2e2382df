import type { JsonSchema } from './openapi-schema.ts';

/**
 * How a call is signed where pairing is required (docs/pairing.md): all three headers together. The empty alternative
 * comes first, because a terminal that requires no pairing asks for none of them.
 */
export const security: readonly Readonly<Record<string, readonly string[]>>[] = [
  {},
  { contentDigest: [], signatureInput: [], signature: [] },
];

/** For a call that needs no signature. */
export const noSecurity: typeof security = [];

export const securitySchemes = {
  contentDigest: header('Content-Digest', 'RFC 9530, sha-256 of the body'),
  signatureInput: header(
    'Signature-Input',
    'RFC 9421, covers @method, @target-uri (or @authority, @path and @query) and content-digest, with created (at most 60 ' +
      'seconds behind and 5 ahead of the terminal’s clock; a 401 tells the difference), nonce (16 to 64 letters, digits, ' +
      '_ - + / or =, never the same twice), keyid (the keyId that pairing gave) and tag="poid"',
  ),
  signature: header('Signature', 'RFC 9421, hmac-sha256 with the key that pairing gave'),
} as const;

/** The headers that sign an answer, by their names. */
export const answerSignature = {
  'Content-Digest': {
    description: 'of the answer to a signed call: RFC 9530, sha-256 of the body',
    schema: { type: 'string' },
  },
  'Signature-Input': {
    description:
      'of the answer to a signed call: RFC 9421, covers @status, content-digest, and the signature of the call, by ' +
      '"signature";req;key="its label"',
    schema: { type: 'string' },
  },
  Signature: {
    description: 'of the answer to a signed call: RFC 9421, hmac-sha256 with the same key',
    schema: { type: 'string' },
  },
} as const satisfies JsonSchema;

function header(name: string, description: string) {
  return { type: 'apiKey', in: 'header', name, description } as const;
}
