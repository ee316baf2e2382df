import { tlsRules } from '../base/domain/tls-suites.ts';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { connect } from 'node:tls';
import type { Configuration } from '../config/configuration.ts';
import { isLoopback } from '../base/domain/loopback.ts';
import { currentVersion } from '../observability/version.ts';
import { CommissioningError } from './commissioning-error.ts';
import { replaceFile, syncDirectory } from './durable-file.ts';
import type { Places } from '../config/places.ts';

const answerMs = 10_000;

/** The announcement for tills that look for terminals: DNS-SD, RFC 6763. */
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
    `version=${currentVersion()}`,
    'path=/sp/v1',
    ...(fingerprint === undefined ? [] : [`tls=${port}`, `fp=${fingerprint}`]),
    `pairing=${isPairingRequired ? 'required' : 'none'}`,
  ];
  return `<?xml version="1.0" standalone='no'?>
<!DOCTYPE service-group SYSTEM "avahi-service.dtd">
<!-- Written by 'poid announce' after each start of poid.service. -->
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
 * The announcement of this terminal; undefined if no till can reach it. Rejects with CommissioningError if the
 * terminal's certificate can't be read: it must never be announced without the fingerprint.
 */
export async function announced({ http, pairing }: Configuration): Promise<Announced | undefined> {
  const { host, port, tls } = http;
  if (port === 0 || isLoopback(host) || host === '::1') return undefined;
  const fingerprint = tls ? await askFingerprint(host, port) : undefined;
  return { port, fingerprint, isPairingRequired: pairing.required };
}

/**
 * The fingerprint of the certificate that the terminal presents. It is read over TLS, as a till does, because the file
 * is in a directory of the service, which no other user needs to open.
 */
function askFingerprint(host: string, port: number): Promise<string> {
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(
        new CommissioningError(`the terminal shows no certificate at ${address}:${port} (${why}): start it first`),
      );
    // The certificate is self-signed, and only its fingerprint is read.
    const socket = connect({ host: address, port, rejectUnauthorized: false, ...tlsRules });
    socket.setTimeout(answerMs, () => socket.destroy(new Error('no answer')));
    socket.on('error', ({ message }) => fail(message));
    socket.on('secureConnect', () => {
      const fingerprint = socket.getPeerX509Certificate()?.fingerprint256;
      socket.destroy();
      if (fingerprint === undefined) fail('no certificate');
      else resolve(fingerprint);
    });
  });
}

/** 'unchanged' if the file already has this content, so that Avahi does not announce again at each start. */
export type AnnouncementChange = 'written' | 'removed' | 'unchanged' | 'noAvahi';

export function hasAvahi({ announcement }: Pick<Places, 'announcement'>): boolean {
  return existsSync(path.dirname(announcement));
}

/** Writes Avahi's service file, or removes it if there is nothing to announce. Rejects with the system's error. */
export async function announce(
  what: Announced | undefined,
  { announcement }: Pick<Places, 'announcement'>,
): Promise<AnnouncementChange> {
  if (!hasAvahi({ announcement })) return 'noAvahi';
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
