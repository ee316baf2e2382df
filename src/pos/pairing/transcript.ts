import { createHash, createHmac, createPublicKey, diffieHellman, hkdfSync, type KeyObject } from 'node:crypto';

/** The data exchanged in a pairing. Keys (X25519, RFC 7748) and nonces are 32 bytes as lower-case hex. */
export interface Transcript {
  readonly posId: string;
  readonly posPublicKey: string;
  readonly posNonce: string;
  readonly terminalPublicKey: string;
  readonly terminalNonce: string;
}

/** The lines are unambiguous, because neither a posId nor hex contains a line feed. */
function lines(...parts: readonly string[]): string {
  return ['poid pairing 1', ...parts].join('\n');
}

/**
 * The commitment of the POS, sent before it receives the terminal's half. So an attacker can't choose a half that makes
 * the codes of two different pairings equal, except by guessing one in a million (Vaudenay, CRYPTO 2005, "Secure
 * communications over insecure channels based on short authenticated strings").
 */
export function commitment({ posId, posPublicKey, posNonce }: Omit<Transcript, `terminal${string}`>): string {
  return createHash('sha256')
    .update(lines(posId, posPublicKey, posNonce))
    .digest('hex');
}

function transcriptHash(said: Transcript): Buffer {
  const { posId, posPublicKey, posNonce, terminalPublicKey, terminalNonce } = said;
  return createHash('sha256')
    .update(lines(posId, posPublicKey, posNonce, terminalPublicKey, terminalNonce))
    .digest();
}

/** Six digits that differ if the two sides have received different data. */
export function comparisonCode(said: Transcript): string {
  return String(transcriptHash(said).readUIntBE(0, 6) % 1_000_000).padStart(6, '0');
}

/** Throws if the other side's key is invalid, or if the shared secret is zero (RFC 7748, 6.1). */
export function sharedKey(own: KeyObject, otherPublicKey: string, said: Transcript): Buffer {
  const publicKey = createPublicKey({
    key: Buffer.concat([spkiPrefix, Buffer.from(otherPublicKey, 'hex')]),
    format: 'der',
    type: 'spki',
  });
  const secret = diffieHellman({ privateKey: own, publicKey });
  return Buffer.from(hkdfSync('sha256', secret, transcriptHash(said), 'poid pairing 1', 32));
}

/** SubjectPublicKeyInfo of X25519 up to its 32 bytes (RFC 8410, 4). */
const spkiPrefix = Buffer.from('302a300506032b656e032100', 'hex');

export function rawPublicKey(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).subarray(spkiPrefix.length).toString('hex');
}

/** Proves to the POS that the terminal has the same key. */
export function pairedProof(key: Uint8Array, keyId: string): string {
  return createHmac('sha256', key).update(`poid paired\n${keyId}`).digest('hex');
}
