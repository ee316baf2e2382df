import { createHash, createHmac, createPublicKey, diffieHellman, hkdfSync, type KeyObject } from 'node:crypto';

/** What both sides of a pairing have said. Keys (X25519, RFC 7748) and nonces are 32 bytes as lower-case hex. */
export interface Transcript {
  readonly posId: string;
  readonly posPublicKey: string;
  readonly posNonce: string;
  readonly terminalPublicKey: string;
  readonly terminalNonce: string;
}

/** Lines can't run into each other: neither a posId nor hex has a line feed. */
function lines(...parts: readonly string[]): string {
  return ['poid pairing 1', ...parts].join('\n');
}

/**
 * What the POS is bound to before it hears the terminal's half: nobody can choose his own half so that the codes of two
 * different conversations agree, but by guessing one of a million (Vaudenay, CRYPTO 2005, "Secure communications over insecure channels
 * based on short authenticated strings").
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

/** Six digits that differ where the two sides have not heard the same. */
export function comparisonCode(said: Transcript): string {
  return String(transcriptHash(said).readUIntBE(0, 6) % 1_000_000).padStart(6, '0');
}

/** Throws where the other side's key is none, or leads to nothing (RFC 7748, 6.1). */
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

/** Shows the POS that the terminal has the same key. */
export function pairedProof(key: Uint8Array, keyId: string): string {
  return createHmac('sha256', key).update(`poid paired\n${keyId}`).digest('hex');
}
