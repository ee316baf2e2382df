import { hash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { LineCertificate, LineTls } from '../../base/domain/line-security.ts';
import { tlsRules } from '../../base/domain/tls-suites.ts';
import { RefusedHost } from './line-fault.ts';

/** What a handshake needs, as it is in its files now. */
export interface LineMaterial {
  readonly context: SecureContext;
  /** Differs once any of the files does. */
  readonly digest: string;
  /** This terminal's. */
  readonly client: X509Certificate | undefined;
}

/** A chain of certificates has some kilobytes. */
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
    // The reason is the same: nothing in it can be trusted.
  }
  throw new RefusedHost('trustUnusable');
}

/** A key may have its certificate beside it in one text. */
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
