import path from 'node:path';
import { DirectoryLock } from '../../journal/directory-lock.ts';
import { listOwnAddresses } from '../../base/own-addresses.ts';
import { isClockSynchronised } from '../../observability/time-sync.ts';
import { builtAt } from '../../observability/version.ts';
import { checkClock } from '../checks/clock.ts';
import { checkHosts } from '../checks/hosts.ts';
import { checkNetwork } from '../checks/network.ts';
import { checkSpace, checkWear } from '../checks/storage.ts';
import { checkWatchdog } from '../checks/watchdog.ts';
import { fail, type Finding, skip, pass, warn } from '../finding.ts';
import { askLocalStatus, type LocalStatus } from '../local-status.ts';
import { askBefore, type Machine } from '../machine.ts';
import { serviceRights } from '../owner-rights.ts';
import type { Places } from '../../config/places.ts';
import { checkCloud, checkFleet, checkUpdates, configurationInUse, updatesQuestion } from './fleet.ts';
import { checkRights } from './rights.ts';
import { checkLines } from './lines.ts';
import { booksOf, devicesOf, holdsOf, journalOf, recognitionOf } from './running.ts';
import { checkCertificate, checkNexo, checkPairing, checkSettings } from './settings.ts';
import { checkStopped } from './stopped.ts';
import { checkSlot, checkUnit } from './unit.ts';
import type { Configuration } from '../../config/configuration.ts';
import { localTime } from '../../observability/readable-line.ts';
import { readTimeZone, adoptTimeZone } from '../../observability/time-zone.ts';

const remedy = 'timeZone in the configuration, such as Asia/Hong_Kong; then systemctl restart poid';

/** The shop's time: that of receipts, the daily settlement and the hosts' dates. `status`: of a terminal that runs. */
export function checkZone(
  { timeZone }: Pick<Configuration, 'timeZone'>,
  status: Pick<LocalStatus, 'clock'> | undefined,
  now: Date,
): Finding {
  const running = status?.clock;
  const ownFault = adoptTimeZone(timeZone ?? running?.timeZone);
  const fault = timeZone === undefined && running ? running.timeZoneFault : ownFault;
  const shown = `${localTime(now)} ${readTimeZone().zone}`;
  if (fault !== undefined) return warn('time zone', `${shown}: ${fault}`, remedy);
  if (timeZone !== undefined) return pass('time zone', `${shown}, by the configuration`);
  return pass('time zone', `${shown}, by ${running ? 'the environment of the service' : 'this machine'}`);
}

const part = 'priority';

/** The process of the service. */
const priorityQuestion = ['systemctl', 'show', 'poid.service', '-p', 'MainPID', '--value'] as const;

/** Whether a thread of the service has a raised priority, as that of a serial reader has (setpriority(2)). */
export function checkPriority(machine: Machine, { reader }: Pick<Configuration, 'reader'>): Finding {
  const isOnLine = reader.path !== undefined || reader.hid?.stream !== undefined;
  if (!isOnLine) return skip(part, 'a reader on HID has no thread of the service');
  const pid = Number(machine.run(...priorityQuestion) ?? 0);
  if (!(pid > 0)) return skip(part, 'the service does not run');
  const values = machine.list(`/proc/${pid}/task`).map((thread) => niceOf(machine, `/proc/${pid}/task/${thread}/stat`));
  const least = Math.min(0, ...values);
  if (least < 0) return pass(part, `the reader’s thread is before others (${least})`);
  const remedy = 'LimitNICE=-10 is missing: systemctl revert poid; systemctl restart poid';
  return warn(part, 'the reader’s thread waits as long as any other: where the machine is busy, a tap does', remedy);
}

/** The nineteenth field, counted after the name, which may contain spaces (proc(5), stat). */
function niceOf(machine: Machine, file: string): number {
  const stat = machine.read(file) ?? '';
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16] ?? 0);
}

export interface DoctorOptions {
  readonly machine: Machine;
  /** How long a device of a stopped terminal may take to answer. */
  readonly deviceMs?: number;
  readonly now?: Date;
  /**
   * Called once root's own is read: from then on the state directory and devices are used with the service's rights.
   */
  readonly dropRights?: (groups: ReadonlySet<number> | undefined) => Promise<void>;
}

/** Checks that need a configuration. */
const needing = [
  'rights',
  'time zone',
  'priority',
  'journal',
  'devices',
  'hosts',
  'lines',
  'certificate',
  'pairing',
  'nexo',
  'cloud',
  'fleet',
  'updates',
] as const;

/** Checks everything that a payment needs, whether the terminal runs or not. Changes nothing. */
export async function runDoctor(
  places: Places,
  { machine, deviceMs = 5_000, now = new Date(), dropRights }: DoctorOptions,
): Promise<Finding[]> {
  const { configuration: own, findings } = await checkSettings(places);
  const ofMachine = [
    checkUnit(machine),
    checkSlot(machine),
    checkClock(now, await isClockSynchronised(), builtAt),
    checkNetwork(listOwnAddresses(), machine),
    checkSpace(machine, places.stateDir),
    checkWear(machine),
    checkWatchdog(machine),
  ];
  const rights = serviceRights(machine);
  const asked = askBefore(machine, [priorityQuestion, updatesQuestion]);
  await dropRights?.(rights?.groups);
  if (!own) {
    return [...findings, ...ofMachine, ...needing.map((part) => skip(part, 'needs a configuration'))];
  }
  const configuration = await configurationInUse(own, places);
  const stopped = { stateDir: places.stateDir, rights, deviceMs };
  const status = await askLocalStatus(configuration.screen.port);
  // A terminal that runs has the lock, and one that starts needs it.
  if (status !== 'off') DirectoryLock.dismiss(path.join(places.stateDir, 'journal.db'));
  const ofTerminal =
    status === 'off'
      ? await checkStopped(configuration, stopped)
      : status === 'unknown'
        ? [fail('journal', 'the terminal does not answer', 'systemctl restart poid; journalctl -u poid -n 50')]
        : [journalOf(status), ...devicesOf(status), holdsOf(status), recognitionOf(status), booksOf(status)];
  return [
    ...findings,
    ...ofMachine,
    checkRights(configuration, places, rights),
    checkZone(configuration, typeof status === 'string' ? undefined : status, now),
    checkPriority(asked, configuration),
    ...ofTerminal,
    ...(await checkHosts(configuration, false)),
    checkLines(configuration, typeof status === 'string' ? undefined : status, now),
    checkCertificate(configuration, places, machine, now),
    await checkPairing(configuration, places),
    checkNexo(configuration, machine, now),
    checkCloud(configuration, places, machine, { status: typeof status === 'string' ? undefined : status, now }),
    await checkFleet(own, places),
    checkUpdates(configuration, asked),
  ];
}
