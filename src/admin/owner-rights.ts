import { existsSync } from 'node:fs';
import path from 'node:path';
import { DirectoryLock } from '../journal/directory-lock.ts';
import { become, becomeOwnerOf, ownerOf } from '../base/secrets/state-owner.ts';
import type { ServiceRights } from './doctor/stopped.ts';
import type { CommissioningFlags } from './flags.ts';
import type { Machine } from './machine.ts';
import { serviceOwner, stateDirOf } from '../config/places.ts';

type StateFlags = Pick<CommissioningFlags, 'config' | 'root' | 'state-dir'>;

/**
 * Gives root's rights up for those of the state directory's owner, and returns the directory: the configuration that
 * names it may be root's alone. Rejects with ConfigurationError.
 */
export async function becomeStateOwner(flags: StateFlags, locksJournal: boolean): Promise<string> {
  const stateDir = await stateDirOf(flags);
  if (locksJournal) await prepareLock(stateDir);
  becomeOwnerOf(stateDir);
  return stateDir;
}

/**
 * As `becomeStateOwner`, for a command that opens devices as well: the service's user with all groups that the service
 * has. Before the first start there is no directory yet. If the directory belongs to root, the rights stay root's.
 */
export async function becomeService(stateDir: string, groups: ReadonlySet<number> | undefined): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const owner = ownerOf(stateDir);
  if (!owner && existsSync(stateDir)) return;
  await prepareLock(stateDir);
  const service = serviceOwner();
  if (service.uid !== 0) become(service, [...new Set([service.gid, ...(groups ?? [])])]);
  else if (owner) become(owner);
}

/** No program is started once root's rights are given up, and the lock needs one. */
async function prepareLock(stateDir: string): Promise<void> {
  if (process.geteuid?.() === 0 && existsSync(stateDir)) await DirectoryLock.prepare(path.join(stateDir, 'journal.db'));
}

/** The service's user with its own group, with those that its unit adds, and those that have it as a member. */
export function serviceRights(machine: Machine): ServiceRights | undefined {
  const { uid, gid } = serviceOwner();
  if (uid === 0) return undefined;
  const added = machine.run('systemctl', 'show', 'poid.service', '-p', 'SupplementaryGroups', '--value') ?? '';
  const names = new Set(added.trim().split(/\s+/));
  const lines = (machine.read('/etc/group') ?? '').split('\n').map((line) => line.split(':'));
  const isMember = (members: string | undefined) => members?.trim().split(',').includes('poid') === true;
  const ids = lines.flatMap(([name = '', , id, members]) =>
    id !== undefined && (names.has(name) || isMember(members)) ? [Number(id)] : [],
  );
  return { uid, groups: new Set([gid, ...ids]) };
}
