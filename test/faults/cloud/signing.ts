import { createHash, createHmac } from 'node:crypto';

/** A key as pairing has left it on both sides. */
export interface TillKey {
  readonly posId: string;
  readonly keyId: string;
  readonly secret: Uint8Array;
}

/** A call as a till in the cloud makes it. The times are Unix seconds. */
export interface Unsigned {
  readonly authority: string;
  readonly path: string;
  readonly body: string;
  readonly createdS: number;
  readonly expiresS: number;
  readonly nonce: string;
}

type Lines = readonly (readonly [component: string, value: string])[];
type Fields = Readonly<Record<string, string>>;

/** Base64 of the hmac-sha256 over these components (RFC 9421, 2.5 and 3.3.3). */
export function signatureOf(secret: Uint8Array, lines: Lines, parameters: string): string {
  const base = [...lines.map(([component, value]) => `${component}: ${value}`), `"@signature-params": ${parameters}`];
  return createHmac('sha256', secret).update(base.join('\n')).digest('base64');
}

/** The fields that sign a POST (docs/pairing.md, docs/cloud.md). */
export function signedFields({ keyId, secret }: TillKey, call: Unsigned): Fields {
  const { authority, path, body, createdS, expiresS, nonce } = call;
  const digest = digestOf(body);
  const lines: Lines = [
    ['"@method"', 'POST'],
    ['"@authority"', authority],
    ['"@path"', path],
    ['"@query"', '?'],
    ['"content-digest"', digest],
  ];
  const covered = lines.map(([component]) => component).join(' ');
  const times = `created=${createdS};expires=${expiresS}`;
  const parameters = `(${covered});${times};nonce="${nonce}";keyid="${keyId}";tag="poid"`;
  const signature = signatureOf(secret, lines, parameters);
  return { 'content-digest': digest, 'signature-input': `till=${parameters}`, signature: `till=:${signature}:` };
}

/** Whether this is the terminal's answer to the call with these fields. */
export function isOwnAnswer({ secret }: TillKey, call: Fields, answer: Fields, body: string): boolean {
  const [label = '', ...rest] = (answer['signature-input'] ?? '').split('=');
  const parameters = rest.join('=');
  const lines: Lines = [
    ['"@status"', answer['status'] ?? ''],
    ['"content-digest"', digestOf(body)],
    ['"signature";req;key="till"', (call['signature'] ?? '').replace(/^till=/, '')],
  ];
  if (!parameters.startsWith(`(${lines.map(([component]) => component).join(' ')});`)) return false;
  const isDigestRight = answer['content-digest'] === digestOf(body);
  return isDigestRight && answer['signature'] === `${label}=:${signatureOf(secret, lines, parameters)}:`;
}

function digestOf(body: string): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}
