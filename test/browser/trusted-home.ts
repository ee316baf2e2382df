import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A home directory whose Chromium trusts these certificates: what docs/pos.md tells a shop to do on Linux. */
export function trustedHome(dir: string, ...certificates: readonly string[]): string {
  const home = mkdtempSync(path.join(dir, 'home-'));
  const database = path.join(home, '.pki/nssdb');
  mkdirSync(database, { recursive: true });
  const certutil = (...parameters: string[]) => execFileSync('certutil', ['-d', `sql:${database}`, ...parameters]);
  certutil('-N', '--empty-password');
  for (const [at, certificate] of certificates.entries()) {
    const file = path.join(home, `${at}.pem`);
    writeFileSync(file, certificate);
    certutil('-A', '-t', 'P,,', '-n', `terminal ${at}`, '-i', file);
  }
  return home;
}
