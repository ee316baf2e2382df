import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Writes `poid/client` as one module without types, for browsers and Node. */
export async function bundleClient(file: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: ['src/pos/client/client.ts'],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'warning',
  });
}
