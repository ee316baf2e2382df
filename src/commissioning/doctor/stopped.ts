import { statSync } from 'node:fs';
import type { Configuration } from '../../config/configuration.ts';
import { devicePaths } from '../../config/contradictions.ts';
import { JournalError } from '../../ports/journal.ts';
import { absenceFinding, checkDevice, deviceKinds, openCounter } from '../checks/devices.ts';
import { fail, type Finding, pass, skip, warn } from '../finding.ts';
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
      const keep = `cp -a ${options.stateDir} elsewhere; then docs/operations.md`;
      if (damage !== undefined) return [fail('journal', damage, keep), ...devices];
      if (reading?.putBack !== undefined) {
        return [warn('journal', lines.join('; '), 'compare with the hosts’ books'), ...devices];
      }
      const text = lines.length === 0 ? 'nothing is unsettled' : lines.join('; ');
      return [pass('journal', reading ? text : 'there is none yet'), ...devices];
    });
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    const remedy = 'systemctl status poid; journalctl -u poid -p warning -n 50; docs/operations.md';
    return [fail('journal', error.message, remedy), skip('devices', 'not opened while the journal is in doubt')];
  }
}

/** Root may open everything, so the rights of the service are looked at besides. */
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
