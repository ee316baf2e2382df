import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, type BuildOptions } from 'esbuild';
import { BuildError, checkPackagedAddons, compileAddon, machines, ownAddons } from './addons.ts';
import { bundleClient } from './client-module.ts';
import { commitSeconds } from './commit-time.ts';
import { isPageFile } from './page-files.ts';
import { bundleSnapshotProgram, nameSnapshot } from './snapshot-program.ts';
import { addonFile, builtins, withoutLocales } from './plugins.ts';
import { readVersion } from './version.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Where the bundle goes: the first parameter, or dist/ of the project. --machine: what it is for, this one without it.
 * --version: of the package that it is for, which is read once for all parts of a build.
 */
const { values, positionals } = parseArgs({
  options: { machine: { type: 'string' }, version: { type: 'string' }, 'without-maps': { type: 'boolean' } },
  allowPositionals: true,
});
const outdir = path.resolve(positionals[0] ?? path.join(root, 'dist'));
const machine = machines.find((each) => each === (values.machine ?? process.arch));

const common = {
  absWorkingDir: root,
  // Flat: a worker and the page are found beside whatever file asks for them.
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node24',
  // It loads its native addon from a file of its own, and stays a package.
  external: ['node-hid'],
  // Names stay as they are: a stack trace can be read without the map.
  minifyWhitespace: true,
  minifySyntax: true,
  // The names of the files depend on their maps, and a map names where it lies: without them the same sources give the same names.
  sourcemap: values['without-maps'] ? false : 'linked',
  sourcesContent: false,
  define: {
    'process.env.POID_VERSION': JSON.stringify(values.version ?? readVersion().text),
    'process.env.POID_BUILT_AT': JSON.stringify(builtAt()) ?? 'undefined',
  },
  logLevel: 'warning',
} satisfies BuildOptions;

/** The daemon as few files, which start faster and need less memory than the sources and their packages. */
await rm(outdir, { recursive: true, force: true });
await build({
  ...common,
  entryPoints: { cli: 'src/main/cli.ts' },
  splitting: true,
  format: 'esm',
  plugins: [builtins, withoutLocales, addonFile],
  // Packages that are CommonJS call it for Node's own modules.
  banner: { js: `const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);` },
});
// One file each, and no ES module: a thread begins a third sooner without Node's loader of those.
await build({
  ...common,
  entryPoints: { worker: 'src/journal/worker.ts', 'reader-worker': 'drivers/card-reader/thread/reader-worker.ts' },
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  plugins: [withoutLocales, addonFile],
  define: { ...common.define, 'import.meta.url': '__filename' },
});
await bundleSnapshotProgram(outdir, common);
// A package has a runtime of its own, and names it then.
await nameSnapshot(outdir, process.execPath);
await cp(path.join(root, 'src/screen/page'), path.join(outdir, 'page'), { recursive: true, filter: isPageFile });
await bundleClient(path.join(outdir, 'client.js'));
await addAddons().catch(async (error: unknown) => {
  if (!(error instanceof BuildError)) throw error;
  // Half a build must not be installed.
  await rm(outdir, { recursive: true, force: true });
  console.error(`build: ${error.message}`);
  process.exitCode = 1;
});

async function addAddons(): Promise<void> {
  if (!machine) throw new BuildError(`a terminal is ${machines.join(' or ')}, not ${values.machine ?? process.arch}`);
  for (const name of ownAddons) await compileAddon(name, path.join(outdir, `${name}.node`), machine);
  await checkPackagedAddons(path.join(root, 'node_modules'), machine);
}

function builtAt(): string | undefined {
  const seconds = commitSeconds();
  return seconds === undefined ? undefined : new Date(1_000 * seconds).toISOString();
}
