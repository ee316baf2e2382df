import { constants, open } from 'node:fs/promises';
import { JsonPlaces } from './json-places.ts';

/** The configuration can't be used. The message is one sentence for the person who starts the daemon. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

export type Json = Record<string, unknown>;

/** Rejects with ConfigurationError. */
export async function readJson(path: string): Promise<Json> {
  return parseJson(await readText(path), path);
}

/** Throws ConfigurationError. `path`: how the text is called in a sentence. */
export function parseJson(text: string, path: string): Json {
  const value = parseObject(text);
  if (!value) throw new ConfigurationError(`the configuration ${path} is not a JSON object`);
  const { fault, twice: all } = new JsonPlaces(text);
  // The text is JSON, but larger than any configuration.
  if (fault) throw new ConfigurationError(`the configuration ${path} can't be used: it may have ${fault.expected}`);
  const [twice] = all;
  if (twice) throw wrong([path], twice.path.join('.'), appearsTwice);
  return value;
}

/** Undefined for a text that is no JSON, no object, or has a field that no configuration may have. */
export function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text, ownField);
    return isObject(value) ? value : undefined;
  } catch {
    // The parser's own message is not used, because it would quote the file.
    return undefined;
  }
}

export const appearsTwice = 'appears twice: each key may appear once';

/** A configuration has some kilobytes. */
const bytesMax = 1_048_576;

/** Rejects with ConfigurationError. */
export async function readText(path: string): Promise<string> {
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

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A fault at one place of a configuration. */
export function wrong(paths: readonly string[], place: string, message: string): ConfigurationError {
  return new ConfigurationError(`the configuration ${paths.join(' with ')} is wrong at ${place}: ${message}`);
}
