import { constants, open, realpath } from 'node:fs/promises';
import { type Configuration, configurationSchema } from './configuration.ts';
import { devicePaths } from './contradictions.ts';
import { duplicateKey } from './duplicate-key.ts';

/** The configuration can't be used. The message is one sentence for the person who starts the daemon. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

export const defaultConfiguration = '/etc/poid/poid.json';

type Json = Record<string, unknown>;

/**
 * Reads configuration files and merges them, later ones over earlier ones, object by object; arrays are replaced as a
 * whole. `overrides` (command line flags) come last.
 */
export async function loadConfiguration(paths: readonly string[], overrides: Json = {}): Promise<Configuration> {
  let merged: Json = {};
  for (const path of paths) merged = mergeOver(merged, await readJson(path));
  const result = configurationSchema.safeParse(mergeOver(merged, overrides));
  if (result.success) {
    await refuseSharedNodes(result.data, paths);
    return result.data;
  }
  const [issue] = result.error.issues;
  const place = issue?.path.length ? issue.path.join('.') : 'the top level';
  throw wrong(paths, place, issue?.message ?? 'is not acceptable');
}

function wrong(paths: readonly string[], place: string, message: string): ConfigurationError {
  return new ConfigurationError(`the configuration ${paths.join(' with ')} is wrong at ${place}: ${message}`);
}

/**
 * Refuses two settings that lead to the same device by different links. A device that is not plugged in is not
 * compared.
 */
async function refuseSharedNodes(configuration: Configuration, paths: readonly string[]): Promise<void> {
  const names = new Map<string, string>();
  for (const [name, path] of devicePaths(configuration)) {
    const node = await realpath(path).catch(() => path);
    const first = names.get(node);
    if (first !== undefined) throw wrong(paths, name, `leads to the device of ${first}: each needs its own`);
    names.set(node, name);
  }
}

async function readJson(path: string): Promise<Json> {
  const text = await readText(path);
  let value: unknown;
  try {
    value = JSON.parse(text, ownField);
  } catch {
    // The parser's own message is not used, because it would quote the file.
  }
  if (!isObject(value)) throw new ConfigurationError(`the configuration ${path} is not a JSON object`);
  const twice = duplicateKey(text);
  if (twice !== undefined) throw wrong([path], twice, 'appears twice: each key may appear once');
  return value;
}

/** A configuration has some kilobytes. */
const bytesMax = 1_048_576;

async function readText(path: string): Promise<string> {
  const no = (why: string) => new ConfigurationError(`the configuration ${path} ${why}`);
  const unreadable = (error: unknown) => no(`can't be read (${(error as NodeJS.ErrnoException).code})`);
  // O_NONBLOCK: opening a FIFO would otherwise wait for a writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw unreadable(error);
  });
  try {
    const known = await handle.stat();
    if (!known.isFile()) throw no('is not a regular file');
    if (known.size > bytesMax) throw no(`has more than ${bytesMax} bytes`);
    return await handle.readFile('utf8').catch((error: unknown) => {
      throw unreadable(error);
    });
  } finally {
    await handle.close();
  }
}

/**
 * Throws for fields that the schema would not see: a name that would set the prototype, or a length that breaks zod's
 * checks.
 */
function ownField(name: string, value: unknown): unknown {
  if (name === '__proto__') throw new SyntaxError('__proto__ is no field');
  // zod compares the length of values that should be strings or arrays.
  if (name === 'length' && isObject(value)) throw new SyntaxError('a length is no object');
  return value;
}

function mergeOver(base: Json, over: Json): Json {
  const merged: Json = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    merged[key] = isObject(below) && isObject(value) ? mergeOver(below, value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
