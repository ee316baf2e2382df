import { constants, open, realpath } from 'node:fs/promises';
import { type Configuration, configurationSchema } from './configuration.ts';
import { devicePaths } from './contradictions.ts';
import { duplicateKey } from './duplicate-key.ts';

/** A configuration that can't be used. The message is one sentence for whoever started the daemon. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

type Json = Record<string, unknown>;

/**
 * Reads configuration files and merges them, later ones over earlier, object by object (arrays are replaced whole);
 * `overrides` (command line flags) come last.
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

/** Links have many names for one device. What is not plugged in yet is none of two. */
async function refuseSharedNodes(configuration: Configuration, paths: readonly string[]): Promise<void> {
  const names = new Map<string, string>();
  for (const [name, path] of devicePaths(configuration)) {
    const node = await realpath(path).catch(() => path);
    const first = names.get(node);
    if (first !== undefined) throw wrong(paths, name, `leads to the device of ${first}: each has one of its own`);
    names.set(node, name);
  }
}

async function readJson(path: string): Promise<Json> {
  const text = await readText(path);
  let value: unknown;
  try {
    value = JSON.parse(text, ownField);
  } catch {
    // The parser's own message would quote the file.
  }
  if (!isObject(value)) throw new ConfigurationError(`the configuration ${path} is no JSON object`);
  const twice = duplicateKey(text);
  if (twice !== undefined) throw wrong([path], twice, 'stands there twice: each key once');
  return value;
}

/** A configuration has some kilobytes. */
const bytesMax = 1_048_576;

async function readText(path: string): Promise<string> {
  const no = (why: string) => new ConfigurationError(`the configuration ${path} ${why}`);
  const unreadable = (error: unknown) => no(`can't be read (${(error as NodeJS.ErrnoException).code})`);
  // Opening a FIFO would wait for somebody who writes to it.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw unreadable(error);
  });
  try {
    const known = await handle.stat();
    if (!known.isFile()) throw no('is no regular file');
    if (known.size > bytesMax) throw no(`has more than ${bytesMax} bytes`);
    return await handle.readFile('utf8').catch((error: unknown) => {
      throw unreadable(error);
    });
  } finally {
    await handle.close();
  }
}

/** Throws for what the schema would not see: a name that an assignment takes for the prototype, or a length that breaks it. */
function ownField(name: string, value: unknown): unknown {
  if (name === '__proto__') throw new SyntaxError('__proto__ is no field');
  // zod compares the length of what stands for a text or a list.
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
