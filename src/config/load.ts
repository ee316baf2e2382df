import { realpath } from 'node:fs/promises';
import { withAcquirerFiles } from './acquirer-files.ts';
import { type Configuration, configurationSchema } from './configuration.ts';
import { devicePaths } from './contradictions.ts';
import { type Json, readJson, wrong } from './json-file.ts';
import { type KeyOptions, resolveKeys } from './keys.ts';
import { mergeOver } from './merge.ts';
import { sentenceOf } from './sentence.ts';
import { withOwnSecurity } from './undecided-lines.ts';

export { ConfigurationError } from './json-file.ts';

export const defaultConfiguration = '/etc/poid/poid.json';

/**
 * Reads configuration files and merges them, later ones over earlier ones, object by object; arrays are replaced as a
 * whole. `overrides` (settings of a fleet, command line flags) come last. Keys that are named only come from
 * `options.keys`.
 */
export async function loadConfiguration(
  paths: readonly string[],
  overrides: Json = {},
  options: KeyOptions = {},
): Promise<Configuration> {
  let merged: Json = {};
  for (const path of paths) merged = mergeOver(merged, await readJson(path));
  const resolved = resolveKeys(mergeOver(merged, withOwnSecurity(merged, overrides, paths)), paths, options);
  // Read once: zod's compiled checks take longer to make than they save.
  const result = configurationSchema.safeParse(resolved, { jitless: true, error: sentenceOf });
  if (result.success) {
    await refuseSharedNodes(result.data, paths);
    return withAcquirerFiles(result.data, paths);
  }
  const [issue] = result.error.issues;
  const place = issue?.path.length ? issue.path.join('.') : 'the top level';
  throw wrong(paths, place, issue?.message ?? 'is not acceptable');
}

/**
 * Refuses two settings that lead to the same device by different links. A device that is not plugged in is not
 * compared.
 */
export async function refuseSharedNodes(configuration: Configuration, paths: readonly string[]): Promise<void> {
  const names = new Map<string, string>();
  for (const [name, path] of devicePaths(configuration)) {
    const node = await realpath(path).catch(() => path);
    const first = names.get(node);
    if (first !== undefined) throw wrong(paths, name, `leads to the device of ${first}: each needs its own`);
    names.set(node, name);
  }
}
