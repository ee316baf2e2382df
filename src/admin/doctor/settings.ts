import { statSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import path from 'node:path';
import type { Configuration } from '../../config/configuration.ts';
import { ConfigurationError, loadConfiguration } from '../../config/load.ts';
import { PairedKeys } from '../../pos/pairing/paired-keys.ts';
import { CommissioningError } from '../commissioning-error.ts';
import { fail, type Finding, pass, skip, warn } from '../finding.ts';
import { readStoredKeys } from '../key-store.ts';
import type { Machine } from '../machine.ts';
import type { Places } from '../../config/places.ts';

/** The configuration that the service would start with, and the faults of it and its keys. */
export interface ReadSettings {
  readonly configuration?: Configuration;
  readonly findings: readonly Finding[];
}

export async function checkSettings(places: Places): Promise<ReadSettings> {
  const clear: string[] = [];
  try {
    const options = { keys: 'unread', onClearKey: (place: string) => clear.push(place) } as const;
    const configuration = await loadConfiguration([places.configuration], {}, options);
    const { mode } = statSync(places.configuration);
    const isOpen = (mode & 0o007) !== 0;
    const findings = [
      isOpen
        ? warn('configuration', `${places.configuration}: everybody may read it`, `chmod 640 ${places.configuration}`)
        : pass('configuration', places.configuration),
      await checkKeys(places, clear),
    ];
    return { configuration, findings };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const remedy = 'poid provision FILE, or mend that place; then systemctl restart poid';
    return { findings: [fail('configuration', error.message, remedy)] };
  }
}

async function checkKeys(places: Places, clear: readonly string[]): Promise<Finding> {
  if (clear.length > 0) {
    return warn('keys', `in clear text in the configuration: ${clear.join(', ')}`, 'poid provision --force FILE');
  }
  try {
    const keys = readStoredKeys(places);
    await loadConfiguration([places.configuration], {}, { keys });
    const names = Object.keys(keys);
    return pass('keys', names.length === 0 ? 'none are needed' : names.join(', '));
  } catch (error) {
    if (!(error instanceof ConfigurationError) && !(error instanceof CommissioningError)) throw error;
    return fail('keys', error.message, 'poid provision --force FILE');
  }
}

/** Warns early enough to distribute a new certificate to every point of sale. */
const renewalMs = 30 * 86_400_000;

/** The certificate for points of sale, which the terminal signs itself. */
export function checkCertificate({ http, nexo }: Configuration, places: Places, machine: Machine, now: Date): Finding {
  const isUsed = http.tls || (nexo !== undefined && nexo.certificate === undefined);
  if (!isUsed) return skip('certificate', 'http.tls is off');
  const file = path.join(places.stateDir, 'tls.pem');
  const remedy = `rm ${file}; systemctl restart poid; then every POS must trust the new one`;
  const text = machine.read(file);
  if (text === undefined) return skip('certificate', `${file} is made at the first start`);
  try {
    const { validToDate } = new X509Certificate(text.slice(text.indexOf('-----BEGIN CERTIFICATE-----')));
    const detail = `valid until ${validToDate.toISOString()}`;
    if (validToDate < now) return fail('certificate', detail, remedy);
    return validToDate.getTime() - now.getTime() < renewalMs
      ? warn('certificate', detail, remedy)
      : pass('certificate', detail);
  } catch {
    return fail('certificate', `${file} has no certificate`, remedy);
  }
}

/** The port of POS that speak nexo: who may pay there, and its own certificate. */
export function checkNexo({ nexo }: Pick<Configuration, 'nexo'>, machine: Machine, now: Date): Finding {
  const part = 'nexo';
  if (!nexo) return skip(part, 'it is not configured');
  const { port, keys, clear, certificate } = nexo;
  if (certificate !== undefined) {
    const remedy = `a file with the private key and its certificate; then systemctl restart poid`;
    const fault = certificateFault(machine.read(certificate), now);
    if (fault !== undefined) return fail(part, `${certificate}: ${fault}`, remedy);
  }
  if (clear) {
    const detail = `port ${port}: messages without a key are accepted, so any device of the network can pay`;
    return warn(part, detail, 'nexo.keys, and nexo.clear false; then systemctl restart poid');
  }
  return pass(part, `port ${port}, ${keys.length} keys`);
}

function certificateFault(text: string | undefined, now: Date): string | undefined {
  if (text === undefined) return 'it can’t be read';
  try {
    const { validToDate } = new X509Certificate(text.slice(text.indexOf('-----BEGIN CERTIFICATE-----')));
    return validToDate < now ? `its certificate was valid until ${validToDate.toISOString()}` : undefined;
  } catch {
    return 'it has no certificate';
  }
}

export async function checkPairing({ pairing: { required }, cloud }: Configuration, places: Places): Promise<Finding> {
  const off = skip('pairing', 'pairing.required is off');
  if (!required && !cloud) return off;
  try {
    const keys = await new PairedKeys(places.stateDir).all();
    if (keys.length > 0) return pass('pairing', keys.map(({ posId }) => posId).join(', '));
    if (!required) return off;
    return warn(
      'pairing',
      'no point of sale may call',
      'pair one in the menu of the screen (/usr/share/doc/poid/pairing.md)',
    );
  } catch (error) {
    const file = path.join(places.stateDir, 'pairings.json');
    return fail('pairing', (error as Error).message, `rm ${file}; then pair every point of sale again`);
  }
}
