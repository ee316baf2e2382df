import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleClient } from './client-module.ts';

/** `poid/client` and its types, without the terminal. The first parameter: where they go; dist/ without it. */
const options = { 'without-types': { type: 'boolean' } } as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const folder = path.resolve(positionals[0] ?? fileURLToPath(new URL('../dist', import.meta.url)));
await mkdir(folder, { recursive: true });
await bundleClient(path.join(folder, 'client.js'));
if (!values['without-types']) {
  // The compiler takes seconds.
  const { declareClient } = await import('./client-types.ts');
  await writeFile(path.join(folder, 'client.d.ts'), declareClient());
}
