import type { readVersion } from '../../build/version.ts';

let read: string | undefined;

/**
 * The version of this build, which a bundle has written in (build/bundle.ts). The sources ask git, when it is first
 * needed.
 */
export function currentVersion(): string {
  return process.env['POID_VERSION'] ?? (read ??= readSources());
}

/** Loaded here and not imported, so that no bundle holds it. */
function readSources(): string {
  const load = process.getBuiltinModule('node:module').createRequire(import.meta.url);
  const sources = load('../../build/version.ts') as { readonly readVersion: typeof readVersion };
  return sources.readVersion().text;
}

/** When this was built: a bundle has it written in (build/bundle.ts), the sources have none. */
export const builtAt = process.env['POID_BUILT_AT'] === undefined ? undefined : new Date(process.env['POID_BUILT_AT']);
