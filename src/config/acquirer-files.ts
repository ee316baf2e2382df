import path from 'node:path';
import type { Configuration } from './configuration.ts';
import { type ConfigurationFault, findFileFaults } from './faults.ts';
import { appearsTwice, ConfigurationError, isObject, type Json, parseObject, readText, wrong } from './json-file.ts';
import { JsonPlaces } from './json-places.ts';
import { protocolHosts } from './methods.ts';
import { sentenceOf } from './sentence.ts';
import type { HostFile } from './settings-part.ts';

type Acquirer = Configuration['acquirers'][number];

/**
 * Returns the configuration with the content of the files that its acquirers name. A relative path is relative to the
 * directory of the last configuration file. Rejects with ConfigurationError.
 */
export async function withAcquirerFiles(
  configuration: Configuration,
  paths: readonly string[],
): Promise<Configuration> {
  if (!configuration.acquirers.some((each) => fileOf(each))) return configuration;
  const acquirers: Acquirer[] = [];
  for (const [at, each] of configuration.acquirers.entries()) acquirers.push(await withFile(each, at, paths));
  return { ...configuration, acquirers };
}

async function withFile(acquirer: Acquirer, at: number, paths: readonly string[]): Promise<Acquirer> {
  const named = fileOf(acquirer);
  if (!named) return acquirer;
  const { file, name } = named;
  const { content, fault } = await readContent(besides(paths.at(-1), name), file);
  if (fault !== undefined) throw wrong(paths, `acquirers.${at}.${file.key}`, fault);
  const [first] = file.contradictions(acquirer as never, content as never);
  if (first) throw wrong(paths, ['acquirers', at, ...first.path].join('.'), first.message);
  return { ...acquirer, [file.contentKey]: content };
}

/** The file that an entry names. */
function fileOf(acquirer: Acquirer): { readonly file: HostFile; readonly name: string } | undefined {
  const file = protocolHosts.get(acquirer.protocol)?.file;
  const name = file?.pathOf(acquirer as never);
  return file && name !== undefined ? { file, name } : undefined;
}

function besides(configuration = '.', name: string): string {
  return path.resolve(path.dirname(configuration), name);
}

interface ReadContent {
  readonly content?: unknown;
  /** The first fault, with its place in the file. */
  readonly fault?: string;
}

async function readContent(name: string, file: HostFile): Promise<ReadContent> {
  const text = await readText(name).catch((error: unknown) => {
    if (error instanceof ConfigurationError) return error;
    throw error;
  });
  if (text instanceof Error) return { fault: `names a file that can't be used: ${text.message}` };
  const places = new JsonPlaces(text);
  const value = places.fault ? undefined : parseObject(text);
  const read = value && file.schema.safeParse(value, { jitless: true, error: sentenceOf });
  if (read?.success && places.twice.length === 0) return { content: read.data };
  const [first] = findFileFaults(text, file);
  return { fault: `names a file that can't be used: ${faultText(name, first)}` };
}

function faultText(name: string, fault: ConfigurationFault | undefined): string {
  if (!fault) return `${name}: ${appearsTwice}`;
  return `${name}:${fault.line}:${fault.column}: ${fault.path}: ${fault.message}`;
}

/**
 * The faults of the files that acquirers name, at the places in the configuration that name them. The configuration
 * must have no other faults. `configuration`: its path.
 */
export async function findAcquirerFileFaults(text: string, configuration: string): Promise<ConfigurationFault[]> {
  const { acquirers } = parseObject(text) ?? {};
  const places = new JsonPlaces(text);
  const faults: ConfigurationFault[] = [];
  for (const [at, entry] of (Array.isArray(acquirers) ? (acquirers as unknown[]) : []).entries()) {
    if (!isObject(entry)) continue;
    for (const { place, message } of await faultsOfEntry(entry, configuration)) {
      const whole = ['acquirers', at, ...place];
      faults.push({ path: whole.join('.'), message, ...places.valueAt(whole) });
    }
  }
  return faults;
}

interface EntryFault {
  readonly place: readonly PropertyKey[];
  readonly message: string;
}

/** The faults of the files of one entry. */
export async function faultsOfEntry(entry: Json, configuration: string): Promise<readonly EntryFault[]> {
  const { file, name } = fileOf(entry as unknown as Acquirer) ?? {};
  if (!file || name === undefined) return [];
  const full = besides(configuration, name);
  const { content, fault } = await readContent(full, file);
  if (fault === undefined) {
    return file
      .contradictions(entry as never, content as never)
      .map(({ path: place, message }) => ({ place: [...place], message }));
  }
  const text = await readText(full).catch(() => undefined);
  const all = text === undefined ? [] : findFileFaults(text, file);
  const messages =
    all.length === 0 ? [fault] : all.map((each) => `names a file that can't be used: ${faultText(full, each)}`);
  return messages.map((message) => ({ place: [file.key], message }));
}
