import { hash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { LineCertificate, LineTls } from '../../base/domain/line-security.ts';
import { tlsRules } from '../../base/domain/tls-suites.ts';
import { RefusedHost } from './line-fault.ts';

/** The present content of the files that a handshake needs. */
export interface LineMaterial {
  readonly context: SecureContext;
  /** Changes when any of the files changes. */
  readonly digest: string;
  /** This terminal's certificate. */
  readonly client: X509Certificate | undefined;
}

/** Far more than a chain of certificates, which has some kilobytes. */
const charactersMax = 262_144;

/** Reads the files of a line. Rejects with RefusedHost. */
export async function readMaterial(tls: LineTls): Promise<LineMaterial> {
  const ca = tls.ca === undefined ? undefined : await readAuthority(tls.ca);
  const own = await readOwn(tls);
  const parts = [ca, own?.key, own?.cert, JSON.stringify([tls.pins, tls.serverName])];
  const digest = hash('sha256', parts.join('\0'));
  try {
    const context = createSecureContext({ ...tlsRules, ca, key: own?.key, cert: own?.cert });
    return { context, digest, client: own && new X509Certificate(own.cert) };
  } catch {
    throw new RefusedHost('clientCertificateUnusable');
  }
}

async function readAuthority(file: string): Promise<string> {
  try {
    const text = await readText(file);
    const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    for (const block of blocks) void new X509Certificate(block);
    if (blocks.length > 0) return text;
  } catch {
    // An unreadable file has the same fault as one without a certificate.
  }
  throw new RefusedHost('trustUnusable');
}

/** The text of the key may also contain the certificate. */
async function readOwn({ clientCertificate, clientKey, clientKeyFile }: LineTls) {
  if (clientKey === undefined && clientKeyFile === undefined) return undefined;
  try {
    const key = clientKey ?? (await readText(clientKeyFile ?? ''));
    const cert = clientCertificate === undefined ? key : await readText(clientCertificate);
    return { key, cert };
  } catch {
    throw new RefusedHost('clientCertificateUnusable');
  }
}

async function readText(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  if (text.length > charactersMax) throw new RangeError('longer than any chain of certificates');
  return text;
}

export function describeCertificate(certificate: X509Certificate): LineCertificate {
  const { validFromDate, validToDate, fingerprint256: fingerprint } = certificate;
  return { notBefore: validFromDate.toISOString(), notAfter: validToDate.toISOString(), fingerprint };
}
