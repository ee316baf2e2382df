import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { defaultConfiguration } from '../config/load.ts';
import { stateDirectory, writtenFileAt, writtenFiles } from '../base/domain/written-files.ts';
import { asOwnerOf } from '../base/secrets/state-owner.ts';
import { syncDirectory } from './durable-file.ts';
import { listCopyDirectories } from './journal/copy-directory.ts';
import type { Places } from '../config/places.ts';
import { listNamedFiles } from './named-files.ts';

/** What was removed, and what only a person can remove. */
export interface Removal {
  readonly removed: readonly string[];
  readonly left: readonly string[];
}

/** Where the configuration waits until all that it names is removed. The service does not start without the other name. */
export function retiredName(configuration: string): string {
  return `${configuration}.removed`;
}

/** A file system's own; it is in the state directory where that is a partition. */
const lostAndFound = 'lost+found';

/**
 * Removes all that the table of written files says, and all that the configuration names. The configuration retires first:
 * no service starts from then on, and a removal that is cut off still knows what it names. Rejects with the system's error.
 */
export async function removeShop(places: Places): Promise<Removal> {
  const { root } = places;
  const directory = path.dirname(places.configuration);
  if (existsSync(places.configuration)) {
    await rename(places.configuration, retiredName(places.configuration));
    await syncDirectory(directory);
  }
  const copies = listIn(directory, isCopyOf(places.configuration));
  const failures: unknown[] = [];
  const remove = (files: readonly string[]) => removeAll(files, failures);
  const named = await removeNamed(
    listNamedFiles(copies, root).filter((file) => !isBelow(file, directory)),
    failures,
  );
  // They still name what could not be removed.
  const needed = new Set(failures.length > 0 ? copies : []);
  const configured = listIn(directory, (name) => name !== path.basename(places.serialNumber));
  const removed = [
    ...named,
    ...(await remove(listIn(path.dirname(places.announcement), isCopyOf(places.announcement)))),
    ...(await remove(credentialsBeside(places))),
    ...(await removeCopies(places, failures)),
    // With the rights of the directory's owner: what that user has put there leads to nothing of root's.
    ...(await asOwnerOf(places.stateDir, () => remove(stateFiles(places)))),
    ...(await remove(listIn(places.adminDir, (name) => name.startsWith('removed.')))),
    ...(await remove(elsewhere(root))),
    ...(await remove((isPackaged(places) ? configured : copies).filter((file) => !needed.has(file)))),
  ];
  if (failures.length > 0) throw failures[0];
  const forgotten = root === '/' && isPackaged(places) ? forgetLog() : undefined;
  const retired = retiredName(places.configuration);
  const left = [...listIn(places.stateDir, isRemovedFromState), ...(forgotten === undefined ? [] : [forgotten])];
  return { removed: removed.map((file) => (file === retired ? places.configuration : file)), left };
}

/** Not one that a developer has named on the command line, which may lie among files of his. */
function isPackaged({ configuration, root }: Places): boolean {
  return configuration === path.join(root, defaultConfiguration);
}

/** The file itself, its copies with a date, the retired one, and what was half written. */
function isCopyOf(file: string): (name: string) => boolean {
  const own = path.basename(file);
  const ending = /^(?:\d{8}T\d{6}Z|new|removed)(?:\.new)?$/;
  return (name) => name === own || (name.startsWith(`${own}.`) && ending.test(name.slice(own.length + 1)));
}

/** All that is the terminal's by its name: keys, and tokens that a technician has installed. */
function credentialsBeside({ plainKeys, sealedKeys }: Places): string[] {
  return [plainKeys, sealedKeys].flatMap((file) => listIn(path.dirname(file), (name) => name.startsWith('poid.')));
}

/** In the package's own directory all is the terminal's, whoever has put it there; elsewhere what the table names. */
function stateFiles(places: Places): string[] {
  const isOwn = places.stateDir === path.join(places.root, stateDirectory);
  const isMeant = (name: string) => isOwn || writtenFileAt(path.join(stateDirectory, name)) !== undefined;
  return listIn(places.stateDir, (name) => isRemovedFromState(name) && isMeant(name));
}

/** Directories of the table that belong to nothing else, and on an image those of the network. */
function elsewhere(root: string): string[] {
  const isImage = existsSync(path.join(root, '/usr/lib/poid-image/version'));
  const handled = new Set<string>([
    '/etc/poid/',
    '/tmp/poid-journal-*/',
    ...(root === '/' ? ['/var/log/journal/'] : []),
  ]);
  const directories = writtenFiles.filter(
    (each) => each.place.endsWith('/') && each.reset === 'removed' && !handled.has(each.place),
  );
  return directories
    .filter((each) => !('onImage' in each) || isImage)
    .flatMap(({ place }) => listIn(path.join(root, place), (name) => name !== 'README'));
}

/** Whether a reset removes what has this name in the state directory. */
function isRemovedFromState(name: string): boolean {
  return name !== lostAndFound && writtenFileAt(path.join(stateDirectory, name))?.reset !== 'kept';
}

function isBelow(file: string, directory: string): boolean {
  return file.startsWith(`${directory}${path.sep}`);
}

function listIn(directory: string, isMeant: (name: string) => boolean): string[] {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory).filter(isMeant).toSorted();
  return names.map((name) => path.join(directory, name));
}

/**
 * Returns those that are gone for good. One that can't be removed keeps none of the others, and its error is added to
 * `failures`. A directory goes with what is in it; a link does, and not what it leads to.
 */
async function removeAll(files: readonly string[], failures: unknown[]): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const file of files) {
    try {
      if (lstatSync(file).isDirectory()) removeTree(file);
      else await rm(file, { force: true });
      removed.push(file);
    } catch (error) {
      failures.push(error);
    }
  }
  for (const directory of new Set(removed.map((file) => path.dirname(file)))) await syncDirectory(directory);
  return removed;
}

/** With the rights of whoever may replace the directory, as for the state directory. */
async function removeNamed(files: readonly string[], failures: unknown[]): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const file of files) removed.push(...(await asOwnerOf(path.dirname(file), () => removeAll([file], failures))));
  return removed;
}

/** What a killed `poid journal` has left, with the rights of whoever it belongs to. */
async function removeCopies({ root, stateDir }: Places, failures: unknown[]): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const directory of listCopyDirectories(root, stateDir))
    removed.push(...(await asOwnerOf(directory, () => removeAll([directory], failures))));
  return removed;
}

/**
 * rm(1) goes down by open directories, so that nobody can put a link in its way; Node goes by names. A directory that its
 * owner may not read is made readable first.
 */
function removeTree(directory: string): void {
  const remove = () => spawnSync('rm', ['-rf', '--one-file-system', '--', directory], { encoding: 'utf8' });
  if (remove().status === 0) return;
  spawnSync('chmod', ['-R', 'u+rwx', '--', directory], { stdio: 'ignore' });
  const { status, stderr } = remove();
  if (status !== 0) throw Object.assign(new Error(stderr), { syscall: 'rm', code: 'EIO', path: directory });
}

/** The log has identities, amounts and masked card numbers of the shop. Returns what a person must do; undefined if it is gone. */
function forgetLog(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/run/systemd/journal')) return undefined;
  const { status } = spawnSync('journalctl', ['--rotate', '--vacuum-size=1'], { stdio: 'ignore' });
  return status === 0 ? undefined : 'the log of the machine: journalctl --rotate --vacuum-size=1';
}
