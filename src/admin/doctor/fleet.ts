import { X509Certificate } from 'node:crypto';
import path from 'node:path';
import type { Configuration } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { ConfigurationStore, terminalOf } from '../../fleet/documents/configuration-store.ts';
import { FleetKeys } from '../../fleet/documents/fleet-keys.ts';
import { fail, type Finding, pass, skip, warn } from '../finding.ts';
import type { LocalStatus } from '../local-status.ts';
import type { Machine } from '../machine.ts';
import type { Places } from '../../config/places.ts';
import { readSerialNumber } from '../../config/serial-number.ts';
import { verifyDocument } from '../fleet/verify-document.ts';

/** Warns early enough to replace it without hurry. */
const renewalMs = 30 * 86_400_000;
const keysRemedy =
  'put the fleet’s present keys into /etc/poid/poid.json: until then updates ignore the fleet’s settings';
const log = 'journalctl -u poid -g cloud -n 20';
/** After a longer absence the sink is not just restarting. */
const waitsMaxS = 86_400;

/**
 * The terminal's own settings with those of its fleet over them, if their signature is valid: as the terminal uses
 * them.
 */
export async function configurationInUse(own: Configuration, places: Places): Promise<Configuration> {
  if (!own.fleet) return own;
  const { good } = await ConfigurationStore.open(fleetFile(places), terminalIn(places, own.cloud)).then(
    ({ kept }) => kept,
    () => ({ good: undefined }),
  );
  const settings = good && verifyDocument(good.signed, own, readSerialNumber(places));
  if (!settings || typeof settings === 'string') return own;
  return loadConfiguration([places.configuration], settings, { keys: 'unread' }).catch(() => own);
}

/** The link to the broker. `status`: undefined where the terminal does not run. */
export function checkCloud(
  { cloud }: Pick<Configuration, 'cloud'>,
  places: Places,
  machine: Machine,
  { status, now }: { readonly status: LocalStatus | undefined; readonly now: Date },
): Finding {
  const part = 'cloud';
  if (!cloud) return skip(part, 'no broker is configured: tills of this network only, and no books for a sink');
  const { url, terminal = readSerialNumber(places), ca, certificate, key } = cloud;
  if (terminal === undefined) {
    return fail(part, 'the terminal has no name at the broker', 'poid provision FILE, or cloud.terminal');
  }
  for (const file of [ca, certificate, key]) {
    if (file !== undefined && machine.read(file) === undefined)
      return fail(part, `${file} can't be read`, `put it there, for the service alone; then systemctl restart poid`);
  }
  const expiry = certificate === undefined ? undefined : expiryOf(machine.read(certificate) ?? '', now);
  const remedy = `put a new one at ${certificate}; no restart is needed`;
  if (expiry?.verdict === 'FAIL') return fail(part, expiry.detail, remedy);
  if (status && status.cloud?.state !== 'connected') {
    return warn(part, `${terminal} has no connection to ${url}: payments of this network go on`, log);
  }
  const { waiting = 0, oldestS = 0 } = status?.cloud?.books ?? {};
  if (oldestS > waitsMaxS) {
    const days = Math.floor(oldestS / 86_400);
    const detail = `${waiting} changes wait for the sink of the books, the oldest for ${days} ${days === 1 ? 'day' : 'days'}`;
    return warn(part, detail, 'see whether the sink runs, and what it reports (/usr/share/doc/poid/books.md)');
  }
  const detail = `${terminal} at ${url}${status ? ', connected' : ''}${expiry ? `; ${expiry.detail}` : ''}`;
  return expiry?.verdict === 'WARN' ? warn(part, detail, remedy) : pass(part, detail);
}

function expiryOf(text: string, now: Date): Pick<Finding, 'verdict' | 'detail'> {
  try {
    const { validToDate } = new X509Certificate(text);
    const detail = `its certificate is valid until ${validToDate.toISOString()}`;
    const leftMs = validToDate.getTime() - now.getTime();
    return { verdict: leftMs < 0 ? 'FAIL' : leftMs < renewalMs ? 'WARN' : 'PASS', detail };
  } catch {
    return { verdict: 'FAIL', detail: 'its certificate is none' };
  }
}

/** The settings of the fleet. */
export async function checkFleet(own: Configuration, places: Places): Promise<Finding> {
  const part = 'fleet';
  const { fleet, cloud } = own;
  if (!fleet) return skip(part, `no fleet is configured: ${places.configuration} is all that counts`);
  const file = fleetFile(places);
  const remedy = 'publish the next version (/usr/share/doc/poid/fleet.md)';
  try {
    const terminal = terminalIn(places, cloud);
    const store = await ConfigurationStore.open(file, terminal);
    if (store.isDamaged)
      return fail(part, `${file} is damaged, and not used`, `rm ${file}; systemctl restart poid; ${remedy}`);
    const { good, trial, refused } = store.kept;
    const present = good ? `version ${good.version} is in use` : 'nothing has come yet';
    const keys = await FleetKeys.open(places.stateDir, terminal, fleet.publicKeys);
    if (keys.inForce.length === 0) {
      const dropped = `each key of ${places.configuration} was dropped by a document: no document of the fleet is accepted`;
      return fail(part, dropped, 'poid provision --force FILE, with a key that is not dropped');
    }
    if (refused) return warn(part, `${present}; ${refused.version} was refused: ${refused.reason}`, remedy);
    const verified = good && verifyDocument(good.signed, own, readSerialNumber(places));
    if (typeof verified === 'string')
      return warn(part, `${present}, and can't be verified with fleet.publicKeys: ${verified}`, keysRemedy);
    if (trial) return warn(part, `${present}; ${trial.version} is on trial`, 'systemctl status poid');
    return pass(part, present);
  } catch {
    return fail(part, `${file} can't be read`, `rm ${file}; systemctl restart poid; ${remedy}`);
  }
}

export const updatesQuestion = ['systemctl', 'show', 'poid-update.service', '-p', 'ActiveState', '--value'] as const;

/** Whether an update agent polls hawkBit. */
export function checkUpdates({ updates }: Pick<Configuration, 'updates'>, machine: Machine): Finding {
  const part = 'updates';
  if (!updates) return skip(part, 'no hawkBit is configured: updates come by hand');
  const state = machine.run(...updatesQuestion)?.trim();
  if (state === undefined || state === '') return skip(part, `${updates.url}: this machine has no systemd`);
  const remedy = 'systemctl enable --now poid-update; journalctl -u poid-update -n 20';
  return state === 'active' ? pass(part, updates.url) : fail(part, `poid-update.service is ${state}`, remedy);
}

function terminalIn(places: Places, cloud: Configuration['cloud']): string {
  return terminalOf(readSerialNumber(places), cloud?.terminal);
}

function fleetFile({ stateDir }: Places): string {
  return path.join(stateDir, 'fleet.json');
}
