/** The key from pairing, and its name: 32 bytes as hex, or a non-extractable CryptoKey of a browser. */
export interface TillKey {
  readonly keyId: string;
  readonly key: string | InstanceType<typeof CryptoKey>;
}
export type Signed = Readonly<Record<'content-digest' | 'signature-input' | 'signature', string>>;

/** A call that was delayed for longer begins nothing. */
const lifeS = 60;
/** The till's clock may be this far ahead of the terminal's (docs/pairing.md). */
const aheadS = 5;
/** A call that was signed this long ago begins nothing. */
export const overMs = (lifeS + aheadS) * 1_000;

/** Signs a call (RFC 9421, RFC 9530). A browser has WebCrypto on pages of HTTPS or localhost only. */
export async function signCall({ keyId, key }: TillKey, method: string, url: URL, body: string): Promise<Signed> {
  const digest = `sha-256=:${await sha256(body)}:`;
  const nonce = toHex(crypto.getRandomValues(new Uint8Array(16)));
  const covered = '("@method" "@authority" "@path" "@query" "content-digest")';
  const createdS = Math.floor(Date.now() / 1_000);
  const life = `created=${createdS};expires=${createdS + lifeS}`;
  const input = `${covered};${life};nonce="${nonce}";keyid="${keyId}";tag="poid"`;
  const base = [
    `"@method": ${method}`,
    `"@authority": ${url.host}`,
    `"@path": ${url.pathname}`,
    `"@query": ${url.search || '?'}`,
    `"content-digest": ${digest}`,
    `"@signature-params": ${input}`,
  ];
  const signature = `sig=:${toBase64(await hmac(key, base.join('\n')))}:`;
  return { 'content-digest': digest, 'signature-input': `sig=${input}`, signature };
}

/** Whether this is the terminal's answer to this very call. */
export async function isAnswerTo(call: Signed, key: TillKey, { status, headers }: Response, body: string) {
  const covered = '("@status" "content-digest" "signature";req;key="sig");';
  const input = (headers.get('signature-input') ?? '').replace(/^sig=/, '');
  const base = [
    `"@status": ${status}`,
    `"content-digest": sha-256=:${await sha256(body)}:`,
    `"signature";req;key="sig": ${call.signature.replace(/^sig=/, '')}`,
    `"@signature-params": ${input}`,
  ];
  const signature = `sig=:${toBase64(await hmac(key.key, base.join('\n')))}:`;
  return input.startsWith(covered) && headers.get('signature') === signature;
}

export async function hmac(key: TillKey['key'], text: string): Promise<ArrayBuffer> {
  const load = (hex: string) =>
    crypto.subtle.importKey('raw', fromHex(hex), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return crypto.subtle.sign('HMAC', typeof key === 'string' ? await load(key) : key, encode(text));
}

const sha256 = async (text: string) => toBase64(await crypto.subtle.digest('SHA-256', encode(text)));
const toBase64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
export const encode = (text: string) => new TextEncoder().encode(text);

export function toHex(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
