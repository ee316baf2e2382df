import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { X509Certificate } from 'node:crypto';
import type { Configuration } from '../config/configuration.ts';
import { isLoopback } from '../domain/loopback.ts';
import { version } from '../supervision/version.ts';
import { replaceFile, syncDirectory } from './durable-file.ts';
import type { Places } from './places.ts';

/** What a till that looks for terminals is told: DNS-SD, RFC 6763. */
interface Announced {
  readonly port: number;
  /** SHA-256 of the certificate; undefined without TLS. */
  readonly fingerprint: string | undefined;
  readonly isPairingRequired: boolean;
}

/** A service file for Avahi (avahi.service(5)). Avahi puts the machine's host name in the place of %h. */
export function announcementText({ port, fingerprint, isPairingRequired }: Announced): string {
  const records = [
    'txtvers=1',
    `version=${version}`,
    'path=/sp/v1',
    ...(fingerprint === undefined ? [] : [`tls=${port}`, `fp=${fingerprint}`]),
    `pairing=${isPairingRequired ? 'required' : 'none'}`,
  ];
  return `<?xml version="1.0" standalone='no'?>
<!DOCTYPE service-group SYSTEM "avahi-service.dtd">
<!-- Written by 'poid announce' at each start of poid.service. -->
<service-group>
  <name replace-wildcards="yes">Payment terminal %h</name>
  <service>
    <type>_poid._tcp</type>
    <port>${port}</port>
${records.map((record) => `    <txt-record>${escaped(record)}</txt-record>\n`).join('')}  </service>
</service-group>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * What there is to announce. Undefined for a terminal that no till can reach, or whose certificate is not made yet: a till
 * must never learn of it without the fingerprint.
 */
export function announced({ http, pairing }: Configuration, places: Places): Announced | undefined {
  const { host, port, tls } = http;
  if (port === 0 || isLoopback(host) || host === '::1') return undefined;
  const fingerprint = tls ? storedFingerprint(places.certificate) : undefined;
  if (tls && fingerprint === undefined) return undefined;
  return { port, fingerprint, isPairingRequired: pairing.required };
}

/** Of the certificate that the daemon has made. */
function storedFingerprint(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const [certificate] =
    /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/s.exec(readFileSync(file, 'utf8')) ?? [];
  return certificate === undefined ? undefined : new X509Certificate(certificate).fingerprint256;
}

/** 'unchanged' where the file says it already, so that Avahi does not announce anew at each start. */
export type AnnouncementChange = 'written' | 'removed' | 'unchanged' | 'noAvahi';

/** Writes Avahi's service file, or removes it if there is nothing to announce. Rejects with the system's error. */
export async function announce(what: Announced | undefined, { announcement }: Places): Promise<AnnouncementChange> {
  if (!existsSync(path.dirname(announcement))) return 'noAvahi';
  const before = existsSync(announcement) ? readFileSync(announcement, 'utf8') : undefined;
  if (what === undefined) {
    if (before === undefined) return 'unchanged';
    await rm(announcement);
    await syncDirectory(path.dirname(announcement));
    return 'removed';
  }
  const text = announcementText(what);
  if (text === before) return 'unchanged';
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  await replaceFile(announcement, text, { ...own, mode: 0o644 });
  return 'written';
}
