import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { PairedKey } from '../../../src/pos/pairing/paired-keys.ts';

/** What a POS signs, written by hand after RFC 9421: no code of the terminal. */
export interface ToSign {
  /** 32 bytes. */
  readonly key: Uint8Array;
  readonly keyId: string;
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  readonly body: string;
  readonly createdS: number;
  readonly nonce?: string;
  /** What is signed of it; everything that must be, where none are named. */
  readonly components?: readonly string[];
  /** The parameters after `created`. */
  readonly more?: string;
}

export function signedHeaders(call: ToSign): Record<string, string> {
  const { key, keyId, method, target, authority, body, createdS } = call;
  const { nonce = randomBytes(16).toString('hex') } = call;
  const [path = '', query = ''] = target.split('?');
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const values: Readonly<Record<string, string>> = {
    '@method': method,
    '@target-uri': `http://${authority}${target}`,
    '@authority': authority,
    '@path': path,
    '@query': `?${query}`,
    'content-digest': digest,
    'content-type': 'application/json',
  };
  const { components = ['@method', '@authority', '@path', '@query', 'content-digest'] } = call;
  const { more = `;nonce="${nonce}";keyid="${keyId}";tag="poid"` } = call;
  const input = `(${components.map((name) => `"${name}"`).join(' ')});created=${createdS}${more}`;
  const lines = [...components.map((name) => `"${name}": ${values[name]}`), `"@signature-params": ${input}`];
  const signature = createHmac('sha256', key).update(lines.join('\n')).digest('base64');
  return { 'content-digest': digest, 'signature-input': `till=${input}`, signature: `till=:${signature}:` };
}

/** A key as pairing leaves it behind, and what a POS signs with it (docs/pairing.md). */
export class SigningPos {
  readonly paired: PairedKey;
  readonly #key = randomBytes(32);

  constructor(posId: string) {
    const keyId = randomBytes(8).toString('hex');
    this.paired = { posId, keyId, key: this.#key.toString('hex'), pairedAt: '2026-01-01T00:00:00.000Z' };
  }

  /** `to`: the address and port of the terminal. */
  headers(to: string, method: string, target: string, body: string, at: Date): Record<string, string> {
    const createdS = Math.floor(at.getTime() / 1000);
    return signedHeaders({
      key: this.#key,
      keyId: this.paired.keyId,
      method,
      target,
      authority: to,
      body,
      createdS,
    });
  }
}
