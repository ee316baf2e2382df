import { statSync } from 'node:fs';
import path from 'node:path';
import type { Configuration } from '../../config/configuration.ts';
import { devicePaths } from '../../config/contradictions.ts';
import { AcquirersInUse } from '../../payment/holds/acquirers-in-use.ts';
import { findHolds, type Names } from '../../payment/holds/find-holds.ts';
import { holdText } from '../../payment/holds/held-acquirers.ts';
import { holdersOf } from '../../journal/holders.ts';
import type { JournalReading } from '../../journal/journal-reading.ts';
import { JournalError } from '../../payment/contracts/journal.ts';
import { deviceKinds } from '../../main/composition/devices.ts';
import { absenceFinding, checkDevice, openCounter } from '../checks/devices.ts';
import { fail, type Finding, pass, skip, warn } from '../finding.ts';
import { holdFinding } from './running.ts';
import { withIdleJournal } from '../idle-journal.ts';

/** The service's user and groups, by their numbers. */
export interface ServiceRights {
  readonly uid: number;
  readonly groups: ReadonlySet<number>;
}

export interface StoppedOptions {
  readonly stateDir: string;
  /** Undefined if this machine does not know the service's user. */
  readonly rights: ServiceRights | undefined;
  readonly deviceMs: number;
}

/** Journal and devices of a terminal that does not run. It can't start meanwhile. */
export async function checkStopped(configuration: Configuration, options: StoppedOptions): Promise<Finding[]> {
  try {
    return await withIdleJournal(options.stateDir, async (lines, reading) => {
      const devices = await checkDevices(configuration, options);
      const damage = reading?.damage();
      const held = checkHolders(options.stateDir);
      if (held) return [held, ...devices];
      const keep = `cp -a ${options.stateDir} elsewhere; then /usr/share/doc/poid/operations.md`;
      if (damage !== undefined) return [fail('journal', damage, keep), ...devices];
      if (reading?.putBack !== undefined) {
        return [warn('journal', lines.join('; '), 'compare with the hosts’ books'), ...devices];
      }
      const holds = await checkHolds(configuration, options.stateDir, reading);
      const text = lines.length === 0 ? 'nothing is unsettled' : lines.join('; ');
      return [pass('journal', reading ? text : 'there is none yet'), holds, ...devices];
    });
  } catch (error) {
    const isClosed = (error as NodeJS.ErrnoException).code === 'EACCES';
    if (!(error instanceof JournalError) && !isClosed) throw error;
    const remedy = 'systemctl status poid; journalctl -u poid -p warning -n 50; /usr/share/doc/poid/operations.md';
    return [
      fail('journal', (error as Error).message, remedy),
      skip('devices', 'not opened while the journal is in doubt'),
    ];
  }
}

/** Acquirers that would be held at the next start. */
async function checkHolds(
  { acquirers = [], ...others }: Partial<Names>,
  stateDir: string,
  reading: JournalReading | undefined,
): Promise<Finding> {
  if (!reading) return holdFinding([]);
  const { holds } = await findHolds({ acquirers, ...others }, await AcquirersInUse.open(stateDir), reading);
  return holdFinding(holds.map(holdText));
}

/** Reading needs no lock, but the terminal could not start. */
export function checkHolders(stateDir: string): Finding | undefined {
  const holders = holdersOf(path.join(stateDir, 'journal.db'));
  if (holders.length === 0) return undefined;
  const detail = `another program holds the file of the journal: ${holders.join(', ')}`;
  return fail('journal', detail, 'end that program; then systemctl restart poid');
}

/** Root may open everything, so the rights of the service are checked separately. */
async function checkDevices(configuration: Configuration, { rights, deviceMs }: StoppedOptions): Promise<Finding[]> {
  const counter = await openCounter(configuration);
  try {
    const found = await Promise.all(deviceKinds.map((kind) => checkDevice(kind, counter, deviceMs)));
    const nodes = new Map(devicePaths(configuration).map(([name, node]) => [name.split('.')[0], node]));
    return found.map((each) => {
      const node = nodes.get(each.part);
      const isClosed = each.verdict === 'PASS' && node !== undefined && rights && !mayOpen(node, rights);
      return isClosed ? absenceFinding(each.part, node, 'noPermission') : each;
    });
  } finally {
    await counter.close();
  }
}

/** Whether that user may read and write it. */
export function mayOpen(node: string, { uid: user, groups }: ServiceRights): boolean {
  const { mode, uid, gid } = statSync(node);
  const own = uid === user ? mode >> 6 : groups.has(gid) ? mode >> 3 : mode;
  return (own & 0o6) === 0o6;
}
