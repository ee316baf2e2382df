import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../config/json-file.ts';

/** The settings that name a file of the shop: certificates, keys, pictures and dialects. */
const fileSetting = /^(?:ca|certificate|key|logo|clientCertificate|clientKeyFile|dialect)$/;
/**
 * Paths that belong to the machine: a certificate authority of the system, a picture of a package, files of its
 * simulator.
 */
const ownedByMachine = /^\/(?:usr|lib\w*|etc\/(?:ssl|pki|ca-certificates)|var\/lib\/poid-sim|dev|proc|sys|run|boot)\//;

/**
 * The files that configurations name and that were installed with them, in any directory. An unreadable configuration
 * names none. `root`: where the file system is mounted.
 */
export function listNamedFiles(configurations: readonly string[], root = '/'): string[] {
  const named = configurations.flatMap((file) => namesIn(parse(file)));
  const placed = named.filter((name) => path.isAbsolute(name)).map((name) => path.normalize(name));
  const own = [...new Set(placed)].filter((name) => !ownedByMachine.test(name));
  return own.map((name) => path.join(root, name)).filter(isFileOrLink);
}

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    if (typeof each === 'string') return fileSetting.test(name) ? [each] : [];
    return namesIn(each);
  });
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** A link is removed, but not its target, which may belong to something else. */
function isFileOrLink(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found !== undefined && (found.isFile() || found.isSymbolicLink());
}
