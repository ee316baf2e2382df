import { isBuiltin } from 'node:module';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { snapshotId } from '../src/admin/snapshot-command.ts';
import { BuildError } from './addons.ts';
import { addonFile, withoutLocales } from './plugins.ts';

/**
 * Modules of Node that a snapshot may hold. Of the others, some end `node --build-snapshot` (http, tls, sqlite), and some
 * end threads that load them a second time (crypto, net, child_process, tty, v8). crypto also holds random bytes.
 */
const held =
  'assert buffer diagnostics_channel events fs fs/promises module os path stream timers/promises url util worker_threads zlib';

/** Every other module is loaded when it is first used. While the snapshot is made, that is an error. */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup(bundle) {
    bundle.onResolve({ filter: /^[a-z]|^node:/ }, ({ path: name }) =>
      isBuiltin(name) ? { path: name.replace(/^(?:node:)?/, 'node:'), namespace: 'builtin' } : undefined,
    );
    bundle.onLoad({ filter: /^/, namespace: 'builtin' }, ({ path: name }) => {
      const quoted = JSON.stringify(name);
      if (held.split(' ').includes(name.slice('node:'.length)))
        return { contents: `module.exports = process.getBuiltinModule(${quoted});` };
      const names = Object.keys(process.getBuiltinModule(name) as object);
      return { contents: `module.exports = $lazyBuiltin(${quoted}, ${JSON.stringify(names)});` };
    });
  },
};

/** pino keeps the time of its loading for its clock of nanoseconds, which nothing here uses: that clock is left out. */
const withoutKeptTime: Plugin = {
  name: 'without-kept-time',
  setup(bundle) {
    bundle.onLoad({ filter: /\/pino\/lib\/time\.js$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      const keeping = /^const start(?:WallTimeNs|HrTime) = .*$/gm;
      const contents = text.replaceAll(keeping, '').replace(', isoTimeNano }', ' }');
      if (contents.length === text.length) throw new BuildError("pino's clocks are not where they were");
      return { contents };
    });
  },
};

/**
 * Its names begin with $, which no name of the program does. Ahead of the program: chance, time and the machine's name are out of reach while the snapshot is made, so none can be
 * kept in it.
 */
const before = `
let $isMaking = true;
const $refuse = (what) => () => { throw new Error(what + ' must not be in a snapshot'); };
const $kept = { random: Math.random, now: Date.now, Date, hostname: process.getBuiltinModule('node:os').hostname };
Math.random = $refuse('a random number');
Date.now = $refuse('a time');
globalThis.Date = new Proxy($kept.Date, {
  construct: (made, parameters) => parameters.length > 0 ? new made(...parameters) : $refuse('a time')(),
});
process.getBuiltinModule('node:os').hostname = () => '';
const $bundleUrl = process.getBuiltinModule('node:url').pathToFileURL(__filename).href;
const $fromBundle = () => process.getBuiltinModule('node:module').createRequire($bundleUrl);
const $resolveFromBundle = (name) => process.getBuiltinModule('node:url').pathToFileURL($fromBundle().resolve(name)).href;
const $lazyBuiltin = (name, names) => {
  let module;
  const load = () => (module ??= $isMaking ? $refuse(name)() : process.getBuiltinModule(name));
  const face = {};
  for (const each of names) Object.defineProperty(face, each, { enumerable: true, get: () => load()[each] });
  return face;
};
require = (name) => $isMaking ? $refuse(name)() : $fromBundle()(name);
`;

const after = `
Math.random = $kept.random;
Date.now = $kept.now;
globalThis.Date = $kept.Date;
process.getBuiltinModule('node:os').hostname = $kept.hostname;
if (process.moduleLoadList.includes('Internal Binding stream_wrap')) throw new Error('a stream is in the snapshot');
$isMaking = false;
`;

/** The main program of a process that begins with the snapshot. Without it, the bundle as ever. */
const start = `'use strict';
const [command, ...words] = process.argv.slice(2);
const held = globalThis.poidHeld;
if (command === 'prove') held.prove();
else if (command !== 'run' || !held?.run(words)) void import('./cli.js');
`;

/** Writes dist/snapshot.cjs, of which Node makes the snapshot where it is installed, and dist/start.cjs. */
export async function bundleSnapshotProgram(outdir: string, common: BuildOptions): Promise<void> {
  await build({
    ...common,
    outdir,
    entryPoints: { snapshot: 'src/main/snapshot.ts' },
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    // What is imported where it is used stays so, in the same file: a snapshot can't import.
    supported: { 'dynamic-import': false },
    plugins: [lazyBuiltins, withoutKeptTime, withoutLocales, addonFile],
    define: { ...common.define, 'import.meta.url': '$bundleUrl', 'import.meta.resolve': '$resolveFromBundle' },
    banner: { js: before },
    footer: { js: after },
  });
  await writeFile(path.join(outdir, 'start.cjs'), start);
}

/** Says in dist/snapshot.id which snapshot fits this program and that runtime. */
export async function nameSnapshot(outdir: string, runtime: string): Promise<void> {
  await writeFile(
    path.join(outdir, 'snapshot.id'),
    `${await snapshotId(path.join(outdir, 'snapshot.cjs'), runtime)}\n`,
  );
}
