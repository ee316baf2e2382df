import { readText } from './answer-text.ts';
import { encode, fromHex, hmac, type TillKey, toHex } from './signing.ts';

export interface PairingTill {
  readonly url: string;
  readonly posId: string;
  /** Asks for the six digits that the terminal shows; the user types them in. */
  readonly typedCode: () => Promise<string>;
  readonly fetch?: typeof globalThis.fetch;
}

/** Agrees on a key with a terminal whose operator has opened pairing (docs/pairing.md). Throws if there is none. */
export async function pair({
  url,
  posId,
  typedCode,
  fetch = globalThis.fetch,
}: PairingTill): Promise<TillKey & { readonly key: string }> {
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(new URL(path, url), init);
    const received = JSON.parse(await readText(answer)) as Record<string, string>;
    if (!answer.ok) throw new Error(received['message']);
    return received;
  };
  const { privateKey, posPublicKey, posNonce } = await makeHalf();
  const half = ['poid pairing 1', posId, posPublicKey, posNonce];
  const begun = await post('/sp/v1/pairing', { posId, commitment: toHex(await hashLines(half)) });
  const { pairingId, terminalPublicKey = '', terminalNonce = '' } = begun;
  const transcript = await hashLines([...half, terminalPublicKey, terminalNonce]);
  const code = String(Number(`0x${toHex(transcript).slice(0, 12)}`) % 1_000_000).padStart(6, '0');
  const revealed = post('/sp/v1/pairing/reveal', { pairingId, posPublicKey, posNonce });
  // If the operator refuses before the digits are typed, it ends here.
  const typed = await Promise.race([typedCode(), revealed.then(() => '')]);
  // Not trusted: the operator's answer is not returned.
  revealed.catch(() => undefined);
  if (typed.replaceAll(/\D/g, '') !== code) throw new Error('not the digits of this pairing: press No on the terminal');
  const key = await deriveKey(privateKey, terminalPublicKey, transcript);
  const { keyId = '', proof } = await revealed;
  return proven({ keyId, key }, proof);
}

type Post = (body: object) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Agrees on the next key. `post`: calls /sp/v1/pairing/rotate with the present key, and accepts only a signed answer.
 */
export async function rotateKey(posId: string, post: Post): Promise<TillKey & { readonly key: string }> {
  const { privateKey, posPublicKey, posNonce } = await makeHalf();
  const received = await post({ posId, posPublicKey, posNonce });
  const [theirs, nonce, keyId] = ['terminalPublicKey', 'terminalNonce', 'keyId'].map((name) => String(received[name]));
  if (theirs === undefined || nonce === undefined || keyId === undefined || received['responseResult'] !== 'SUCCESS')
    throw new Error(String(received['message']));
  const transcript = await hashLines(['poid pairing 1', posId, posPublicKey, posNonce, theirs, nonce]);
  return proven({ keyId, key: await deriveKey(privateKey, theirs, transcript) }, received['proof']);
}

async function makeHalf() {
  const pairOfKeys = await crypto.subtle.generateKey('X25519', false, ['deriveBits']);
  const { privateKey, publicKey } = pairOfKeys as Extract<typeof pairOfKeys, { privateKey: unknown }>;
  const posPublicKey = toHex(await crypto.subtle.exportKey('raw', publicKey));
  return { privateKey, posPublicKey, posNonce: toHex(crypto.getRandomValues(new Uint8Array(32))) };
}

type PrivateKey = Awaited<ReturnType<typeof makeHalf>>['privateKey'];

async function deriveKey(privateKey: PrivateKey, terminalPublicKey: string, transcript: ArrayBuffer): Promise<string> {
  const theirs = await crypto.subtle.importKey('raw', fromHex(terminalPublicKey), 'X25519', false, []);
  const secret = await crypto.subtle.deriveBits({ name: 'X25519', public: theirs }, privateKey, 256);
  const material = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: transcript, info: encode('poid pairing 1') };
  return toHex(await crypto.subtle.deriveBits(derivation, material, 256));
}

/** The terminal has the same key. */
async function proven({ keyId, key }: TillKey & { readonly key: string }, proof: unknown) {
  if (toHex(await hmac(key, `poid paired\n${keyId}`)) !== proof) throw new Error('the terminal has another key');
  return { keyId, key };
}

async function hashLines(lines: readonly string[]): Promise<ArrayBuffer> {
  return crypto.subtle.digest('SHA-256', encode(lines.join('\n')));
}
