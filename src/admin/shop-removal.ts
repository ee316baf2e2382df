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

/** The removed files, and the files that only a technician can remove. */
export interface Removal {
  readonly removed: readonly string[];
  readonly left: readonly string[];
}

/** Name of the configuration until all files that it names are removed. The service starts only with the usual name. */
export function retiredName(configuration: string): string {
  return `${configuration}.removed`;
}

/** Belongs to the file system, if the state directory is a partition. */
const lostAndFound = 'lost+found';

/**
 * Removes all files of the table of written files, and all that the configuration names. The configuration retires
 * first: no service starts from then on, and a removal that is cut off still knows what it names. Rejects with the
 * system's error.
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
    // With the rights of the directory's owner, so that links of that user lead to no file of root.
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

/** Not a file that a developer has named on the command line, which may lie among other files. */
function isPackaged({ configuration, root }: Places): boolean {
  return configuration === path.join(root, defaultConfiguration);
}

/** The file itself, its dated copies, the retired one, and incomplete ones. */
function isCopyOf(file: string): (name: string) => boolean {
  const own = path.basename(file);
  const ending = /^(?:\d{8}T\d{6}Z|new|removed)(?:\.new)?$/;
  return (name) => name === own || (name.startsWith(`${own}.`) && ending.test(name.slice(own.length + 1)));
}

/** All files that belong to the terminal by their names: keys, and tokens that a technician has installed. */
function credentialsBeside({ plainKeys, sealedKeys }: Places): string[] {
  return [plainKeys, sealedKeys].flatMap((file) => listIn(path.dirname(file), (name) => name.startsWith('poid.')));
}

/** In the package's own directory all files belong to the terminal; elsewhere only those that the table names. */
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
 * Returns the removed ones. If one can't be removed, its error is added to `failures`, and the others are still
 * removed. A directory is removed with its contents, a link without its target.
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

/** With the rights of the user who may replace the directory, as for the state directory. */
async function removeNamed(files: readonly string[], failures: unknown[]): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const file of files) removed.push(...(await asOwnerOf(path.dirname(file), () => removeAll([file], failures))));
  return removed;
}

/** The copies of a killed `poid journal`, with the rights of their owner. */
async function removeCopies({ root, stateDir }: Places, failures: unknown[]): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const directory of listCopyDirectories(root, stateDir))
    removed.push(...(await asOwnerOf(directory, () => removeAll([directory], failures))));
  return removed;
}

/** The user of the directory could stop a process with that user's rights: it is killed then. */
const limits = { timeout: 300_000, killSignal: 'SIGKILL' } as const;

/**
 * rm(1) descends through open directories, so that no link can redirect it; Node uses paths. A directory that its owner
 * may not read is made readable first.
 */
function removeTree(directory: string): void {
  const remove = () => spawnSync('rm', ['-rf', '--one-file-system', '--', directory], { encoding: 'utf8', ...limits });
  if (remove().status === 0) return;
  spawnSync('chmod', ['-R', 'u+rwx', '--', directory], { stdio: 'ignore', ...limits });
  const { status, stderr, error } = remove();
  if (status !== 0)
    throw Object.assign(new Error(error?.message ?? stderr), { syscall: 'rm', code: 'EIO', path: directory });
}

/**
 * The log has identities, amounts and masked card numbers of the shop. Returns the remaining step for a technician;
 * undefined if the log was removed.
 */
function forgetLog(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/run/systemd/journal')) return undefined;
  const { status } = spawnSync('journalctl', ['--rotate', '--vacuum-size=1'], { stdio: 'ignore' });
  return status === 0 ? undefined : 'the log of the machine: journalctl --rotate --vacuum-size=1';
}
