import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { PairedKey } from '../../src/pairing/paired-keys.ts';

/** A key as pairing leaves it behind, and what a POS signs with it (docs/pairing.md). */
export class SigningPos {
  readonly paired: PairedKey;
  readonly #key = randomBytes(32);

  constructor(posId: string) {
    const keyId = randomBytes(8).toString('hex');
    this.paired = { posId, keyId, key: this.#key.toString('hex'), pairedAt: '2026-01-01T00:00:00.000Z' };
  }

  headers(method: string, target: string, body: string, at: Date): Record<string, string> {
    const time = String(Math.floor(at.getTime() / 1000));
    const nonce = randomBytes(16).toString('hex');
    const hash = createHash('sha256').update(body).digest('hex');
    const text = ['poid call 1', method, target, time, nonce, hash].join('\n');
    const signature = createHmac('sha256', this.#key).update(text).digest('hex');
    return { 'poid-key': this.paired.keyId, 'poid-time': time, 'poid-nonce': nonce, 'poid-signature': signature };
  }
}
