import { readFile } from 'node:fs/promises';
import { type Configuration, configurationSchema } from './configuration.ts';

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
  for (const path of paths) merged = mergedOver(merged, await readJson(path));
  const result = configurationSchema.safeParse(mergedOver(merged, overrides));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.length ? issue.path.join('.') : 'the top level';
  throw new ConfigurationError(`the configuration ${paths.join(' with ')} is wrong at ${place}: ${issue?.message}`);
}

async function readJson(path: string): Promise<Json> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigurationError(`the configuration ${path} can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    const value: unknown = JSON.parse(text, ownField);
    if (isObject(value)) return value;
  } catch {
    // Falls through: the parser's own message would quote the file.
  }
  throw new ConfigurationError(`the configuration ${path} is no JSON object`);
}

/** Throws for what the schema would not see: a name that an assignment takes for the prototype, or a length that breaks it. */
function ownField(name: string, value: unknown): unknown {
  if (name === '__proto__') throw new SyntaxError('__proto__ is no field');
  // zod compares the length of what stands for a text or a list.
  if (name === 'length' && isObject(value)) throw new SyntaxError('a length is no object');
  return value;
}

function mergedOver(base: Json, over: Json): Json {
  const merged: Json = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    merged[key] = isObject(below) && isObject(value) ? mergedOver(below, value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
