import { createPrivateKey, hash, X509Certificate } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import path from 'node:path';
import { readSecret, writeSecret } from '../secrets/secret-file.ts';
import { fingerprint, type KeyAndCertificate, selfSign, type SubjectNames } from './certificate.ts';

/** Who the terminal is to those that call it over TLS. */
export interface TlsIdentity extends KeyAndCertificate {
  /** SHA-256 of the certificate: 'AB:CD:…'. */
  readonly fingerprint: string;
  /** SHA-256 of its public key, base64, as `curl --pinnedpubkey sha256//…` wants it. */
  readonly publicKeyPin: string;
}

/**
 * The key and certificate in `stateDir`, made at the first start; `names`: beside the machine's own. Rejects with an Error that
 * says in a sentence why there is none: a file that can't be used is never replaced, because the callers trust what is in it.
 */
export async function tlsIdentity(stateDir: string, names: readonly string[]): Promise<TlsIdentity> {
  const file = path.join(stateDir, 'tls.pem');
  const stored = await readSecret(file);
  if (stored === undefined) {
    const made = selfSign(namesOfMachine(names));
    await writeSecret(file, made.key + made.cert);
    return identity(made);
  }
  try {
    return identity(parseKeyAndCertificate(stored));
  } catch {
    throw new Error(`${file} is no key with its certificate: put it back, or take it away for a new one`);
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

/** Zone and loopback aside: what others call it by. */
function namesOfMachine(more: readonly string[]): SubjectNames {
  const addresses = Object.values(networkInterfaces()).flatMap((each = []) =>
    each.filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0).map(({ address }) => address),
  );
  const named = [hostname(), ...more].filter((name) => /^[\w.-]{1,253}$/.test(name));
  return ['localhost', ...new Set([...named, '127.0.0.1', '::1', ...addresses])];
}
