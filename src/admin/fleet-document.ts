import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { isObject, type Json } from '../config/json-file.ts';
import { mergeOver } from '../config/merge.ts';
import { inState } from '../base/domain/written-files.ts';
import { ConfigurationStore, terminalOf } from '../fleet/documents/configuration-store.ts';
import {
  canonicalKey,
  type DroppedKey,
  droppedFileOf,
  FleetKeys,
  readDroppedKeys,
} from '../fleet/documents/fleet-keys.ts';
import { CommissioningError } from './commissioning-error.ts';
import { syncDirectory } from './durable-file.ts';
import { adminDroppedFileOf } from './fleet/dropped-keys.ts';
import type { Places } from '../config/places.ts';
import type { Provisioning } from './provisioning.ts';

/** Names whose values are not shown. */
const secretName = /(?:key|secret|password|token)$/i;
const hidden = '(not shown)';

/** The fleet's document on this machine, as a provisioning finds it. */
export interface FoundDocument {
  /** One sentence each, for the user. */
  readonly lines: readonly string[];
  /** It was sent to another terminal, whose state directory this was. */
  readonly isFormer: boolean;
}

/**
 * Compares a configuration with the fleet's document, which overrides it. `before`: the serial number that the machine
 * has had; a state directory without one comes from another machine (docs/operations.md). Rejects with
 * CommissioningError for a file that can't be read.
 */
export async function findFleetDocument(
  { serialNumber, text, configuration }: Provisioning,
  { stateDir }: Places,
  before: string | undefined,
): Promise<FoundDocument> {
  const file = fileIn(stateDir);
  if (!existsSync(file)) return { lines: [], isFormer: false };
  const terminal = terminalOf(serialNumber, configuration.cloud?.terminal);
  const store = await ConfigurationStore.open(file, terminal).catch((error: Error) => {
    throw new CommissioningError(`${file} can't be read (${error.message}): remove it; the fleet sends it again`);
  });
  if (store.isDamaged) return { lines: [`${file} is damaged and not used: the fleet sends it again`], isFormer: false };
  if (before === undefined || store.former !== undefined)
    return {
      lines: [`what its fleet has sent to ${store.former ?? 'the terminal before'} is removed`],
      isFormer: true,
    };
  const sent = store.kept.trial ?? store.kept.good;
  if (!configuration.fleet || !sent) return { lines: [], isFormer: false };
  const { publicKeys } = configuration.fleet;
  const { inForce } = await FleetKeys.open(stateDir, terminal, publicKeys);
  const over = mergeOver(sent.configuration, { fleet: { publicKeys: inForce } });
  const changes = overriddenBy(JSON.parse(text) as Json, over);
  const head = `version ${sent.version} of the fleet is laid over this configuration`;
  const lines = changes.length === 0 ? [`${head} and changes nothing of it`] : [`${head}:`, ...changes];
  return { lines, isFormer: false };
}

/** Removes the document of a former terminal. The list of dropped keys stays. */
export async function removeFleetDocument({ stateDir }: Places): Promise<void> {
  for (const file of [fileIn(stateDir), inState(stateDir, 'fleet-keys.json')]) await rm(file, { force: true });
  await syncDirectory(stateDir);
}

/**
 * Rejects with CommissioningError if the configuration has a key that a document of the fleet has dropped here. `seen`:
 * root's own record. It is not signed, so the message states how to remove a wrong line.
 */
export async function refuseDroppedKeys(
  { configuration }: Provisioning,
  places: Pick<Places, 'stateDir' | 'adminDir'>,
  seen: readonly DroppedKey[],
): Promise<void> {
  const lists = [
    { file: droppedFileOf(places.stateDir), dropped: await readDroppedKeys(places.stateDir) },
    { file: adminDroppedFileOf(places), dropped: seen },
  ];
  for (const [at, key] of (configuration.fleet?.publicKeys ?? []).entries()) {
    const found = lists.flatMap(({ file, dropped }) => {
      const entry = dropped.find((each) => each.key === canonicalKey(key));
      return entry ? [{ file, entry }] : [];
    });
    const [first] = found;
    if (!first) continue;
    const { version, at: time } = first.entry;
    const files = found.map(({ file }) => file).join(' and ');
    throw new CommissioningError(
      `nothing was changed: fleet.publicKeys.${at} was dropped by version ${version} on ${time}, according to ${files}: name another key. If no document of the fleet has dropped it, remove the line with this key there as root (docs/fleet.md)`,
    );
  }
}

/** A line for each setting that a document changes: its path, and its values without and with the document. */
export function overriddenBy(own: Json, over: Json): string[] {
  const [before, after] = [leavesOf(own), leavesOf(over)];
  const line = (path: string, value: string | undefined) =>
    value === undefined ? 'not set' : path.split('.').some((name) => secretName.test(name)) ? hidden : value;
  const lists = listsOf(over);
  const gone = [...before.keys()].filter((path) => !after.has(path) && lists.some((list) => path.startsWith(list)));
  return [...after.keys(), ...gone]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `  ${path}: ${line(path, before.get(path))} → ${line(path, after.get(path))}`);
}

/** Each value by its path, as JSON. */
function leavesOf(value: unknown, path = ''): Map<string, string> {
  const inner = Array.isArray(value) || isObject(value) ? Object.entries(value) : [];
  if (inner.length === 0) return new Map([[path, JSON.stringify(value)]]);
  return new Map(inner.flatMap(([name, each]) => [...leavesOf(each, path === '' ? name : `${path}.${name}`)]));
}

/** Prefixes of the paths of lists: a list is replaced as a whole. */
function listsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [`${path}.`];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => listsOf(each, path === '' ? name : `${path}.${name}`));
}

function fileIn(stateDir: string): string {
  return inState(stateDir, 'fleet.json');
}
