import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The owner of a directory, for the purpose of trust: the first user but root who owns a part of its path, because that
 * user can replace what is below. Undefined: root alone. A directory that does not exist yet is judged by its parents.
 */
export function ownerOf(directory: string): Owner | undefined {
  const written = path.resolve(directory);
  for (const each of new Set([written, realPathOf(written)])) {
    for (const part of partsOf(each)) {
      const found = lstatSync(part, { throwIfNoEntry: false });
      if (!found) break;
      if (found.uid !== 0) return { uid: found.uid, gid: found.gid };
    }
  }
  return undefined;
}

/** Of a path that does not exist yet, the part that exists is followed. */
function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const above = path.dirname(file);
    return above === file ? file : path.join(realPathOf(above), path.basename(file));
  }
}

/** '/', '/var', '/var/lib' … */
function partsOf(file: string): string[] {
  const parts = [file];
  for (let at = file; at !== path.dirname(at); at = path.dirname(at)) parts.unshift(path.dirname(at));
  return parts;
}

/** The owner whose rights root takes on at this directory. Undefined: this process has no other rights to give up. */
function ownerToBe(directory: string): Owner | undefined {
  return process.geteuid?.() === 0 ? ownerOf(directory) : undefined;
}

/**
 * Permanently switches from root's rights to those of the directory's owner: files of that user can neither redirect
 * this process to a file of root nor make it run a program as root. `groups`: used instead of only the owner's own
 * group.
 */
export function becomeOwnerOf(directory: string, groups?: readonly number[]): void {
  const owner = ownerToBe(directory);
  if (owner) become(owner, groups);
}

let isGivenUp = false;

/** Whether this process has given up root's rights. */
export function hasGivenUpRoot(): boolean {
  return isGivenUp;
}

/** As `becomeOwnerOf`, for an owner that is known. */
export function become({ uid, gid }: Owner, groups: readonly number[] = [gid]): void {
  isGivenUp = true;
  process.setgroups?.([...groups]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

let isTaken = false;

/**
 * Calls `work` with the rights of the directory's owner, and restores root's rights afterwards. For a command that also
 * changes files of root. No other work may run meanwhile, because the rights are those of the whole process.
 */
export async function asOwnerOf<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  if (isTaken) throw new TypeError('the rights of one owner at a time');
  const owner = ownerToBe(directory);
  if (!owner) return work();
  const groups = process.getgroups?.() ?? [];
  isTaken = true;
  try {
    process.setgroups?.([owner.gid]);
    process.setegid?.(owner.gid);
    process.seteuid?.(owner.uid);
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
    process.setgroups?.(groups);
    isTaken = false;
  }
}
