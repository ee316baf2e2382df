import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

/** `poid/client` as one file without types, for browsers and Node. The first parameter: the file; dist/client.js without it. */
const root = fileURLToPath(new URL('..', import.meta.url));
const { positionals } = parseArgs({ allowPositionals: true });
await build({
  absWorkingDir: root,
  entryPoints: ['src/client/client.ts'],
  outfile: path.resolve(positionals[0] ?? path.join(root, 'dist/client.js')),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
});
