import { generateKeyPairSync, sign } from 'node:crypto';
import type { CloudMessage } from '../../src/payment/contracts/cloud-link.ts';

/** A fleet's key. It signs by itself, so that the product's own signing is no oracle. */
export class FleetKey {
  readonly #pair = generateKeyPairSync('ed25519');

  /** As a configuration has it: the last 32 bytes of the DER (RFC 8410). */
  get publicKey(): string {
    return this.#pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
  }

  get pem(): string {
    return this.#pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  }

  message(document: object, more: Partial<CloudMessage> = {}): CloudMessage {
    const payload = Buffer.from(JSON.stringify(document));
    const signature = sign(null, payload, this.#pair.privateKey).toString('base64');
    return { payload, properties: { signature }, ...more };
  }
}
