import { networkInterfaces } from 'node:os';
import { isClockSynchronised } from '../../supervision/time-sync.ts';
import { builtAt } from '../../supervision/version.ts';
import { checkClock } from '../checks/clock.ts';
import { checkHosts } from '../checks/hosts.ts';
import { checkNetwork } from '../checks/network.ts';
import { checkSpace, checkWear } from '../checks/storage.ts';
import { checkWatchdog } from '../checks/watchdog.ts';
import { fail, type Finding, skip } from '../finding.ts';
import { askLocalStatus } from '../local-status.ts';
import type { Machine } from '../machine.ts';
import { type Places, serviceOwner } from '../places.ts';
import { checkCloud, checkFleet, checkUpdates, configurationInUse } from './fleet.ts';
import { checkPriority } from './priority.ts';
import { devicesOf, journalOf } from './running.ts';
import { checkCertificate, checkPairing, checkSettings } from './settings.ts';
import { checkStopped, type ServiceRights } from './stopped.ts';
import { checkSlot, checkUnit } from './unit.ts';

export interface DoctorOptions {
  readonly machine: Machine;
  /** How long a device of a stopped terminal may take to answer. */
  readonly deviceMs?: number;
  readonly now?: Date;
}

/** Looks at everything that a payment needs, and changes nothing, whether the terminal runs or not. */
export async function runDoctor(
  places: Places,
  { machine, deviceMs = 5_000, now = new Date() }: DoctorOptions,
): Promise<Finding[]> {
  const { configuration: own, findings } = await checkSettings(places);
  const ofMachine = [
    checkUnit(machine),
    checkSlot(machine),
    checkClock(now, await isClockSynchronised(), builtAt),
    checkNetwork(networkInterfaces(), machine),
    checkSpace(machine, places.stateDir),
    checkWear(machine),
    checkWatchdog(machine),
  ];
  if (!own) {
    const needing = ['priority', 'journal', 'devices', 'hosts', 'certificate', 'pairing', 'cloud', 'fleet', 'updates'];
    return [...findings, ...ofMachine, ...needing.map((part) => skip(part, 'needs a configuration'))];
  }
  const configuration = await configurationInUse(own, places);
  const stopped = { stateDir: places.stateDir, rights: rightsOf(machine), deviceMs };
  const status = await askLocalStatus(configuration.screen.port);
  const ofTerminal =
    status === 'off'
      ? await checkStopped(configuration, stopped)
      : status === 'unknown'
        ? [fail('journal', 'the terminal does not answer', 'systemctl restart poid; journalctl -u poid -n 50')]
        : [journalOf(status), ...devicesOf(status)];
  return [
    ...findings,
    ...ofMachine,
    checkPriority(machine, configuration),
    ...ofTerminal,
    ...(await checkHosts(configuration, false)),
    checkCertificate(configuration, places, machine, now),
    await checkPairing(configuration, places),
    checkCloud(configuration, places, machine, { status: typeof status === 'string' ? undefined : status, now }),
    await checkFleet(configuration, places),
    checkUpdates(configuration, machine),
  ];
}

/** The service's user with its own group, and with those that its unit adds. */
function rightsOf(machine: Machine): ServiceRights | undefined {
  const { uid, gid } = serviceOwner();
  if (uid === 0) return undefined;
  const added = machine.run('systemctl', 'show', 'poid.service', '-p', 'SupplementaryGroups', '--value') ?? '';
  const names = new Set(added.trim().split(/\s+/));
  const lines = (machine.read('/etc/group') ?? '').split('\n').map((line) => line.split(':'));
  const ids = lines.flatMap(([name = '', , id]) => (names.has(name) && id !== undefined ? [Number(id)] : []));
  return { uid, groups: new Set([gid, ...ids]) };
}
