import type { readVersion } from '../build/version.ts';

/** Written in by packaging/simulator-tree.ts; the sources ask git. */
export function currentVersion(): string {
  return process.env['POID_VERSION'] ?? readSources();
}

/** Loaded here and not imported, so that no bundle holds it. */
function readSources(): string {
  const load = process.getBuiltinModule('node:module').createRequire(import.meta.url);
  const sources = load('../build/version.ts') as { readonly readVersion: typeof readVersion };
  return sources.readVersion().text;
}
