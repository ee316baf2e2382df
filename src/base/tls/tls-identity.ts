import { createPrivateKey, hash, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { inState } from '../domain/written-files.ts';
import { readSecret, writeSecret } from '../secrets/secret-file.ts';
import { fingerprint, type KeyAndCertificate, selfSign, type SubjectNames } from './certificate.ts';

/** The terminal's identity for TLS clients. */
export interface TlsIdentity extends KeyAndCertificate {
  /** SHA-256 of the certificate: 'AB:CD:…'. */
  readonly fingerprint: string;
  /** SHA-256 of its public key, base64, in the form of `curl --pinnedpubkey sha256//…`. */
  readonly publicKeyPin: string;
}

/**
 * Key and certificate in `stateDir`, generated at the first start. `listNames`: further names and addresses of this
 * machine, called when a certificate is made. Rejects with an Error whose message gives the reason. A file that can't
 * be used is never replaced, because clients trust its certificate.
 */
export async function tlsIdentity(stateDir: string, listNames: () => readonly string[]): Promise<TlsIdentity> {
  const file = inState(stateDir, 'tls.pem');
  const stored = await readSecret(file);
  if (stored === undefined) {
    const made = selfSign(namesOfMachine(listNames()));
    await writeSecret(file, made.key + made.cert);
    return identity(made);
  }
  try {
    return identity(parseKeyAndCertificate(stored));
  } catch {
    throw new Error(`${file} is not a key with its certificate: restore it, or delete it to generate a new one`);
  }
}

function parseKeyAndCertificate(text: string): KeyAndCertificate {
  const [, key = '', cert = ''] =
    /^(-----BEGIN PRIVATE KEY-----.*-----END PRIVATE KEY-----\n)(-----BEGIN CERTIFICATE-----.*)$/s.exec(text) ?? [];
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new Error('of two different keys');
  return { key, cert };
}

function identity(made: KeyAndCertificate): TlsIdentity {
  const certificate = new X509Certificate(made.cert);
  const spki = certificate.publicKey.export({ type: 'spki', format: 'der' });
  return {
    ...made,
    fingerprint: fingerprint(certificate.raw),
    publicKeyPin: hash('sha256', spki, 'base64'),
  };
}

/** The names and addresses by which clients may call this machine, and loopback. */
function namesOfMachine(more: readonly string[]): SubjectNames {
  const named = [hostname(), ...more].filter((name) => isIP(name) !== 0 || /^[\w.-]{1,253}$/.test(name));
  return ['localhost', ...new Set([...named, '127.0.0.1', '::1'])];
}
