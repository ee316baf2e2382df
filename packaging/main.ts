import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BuildError, machines } from '../build/addons.ts';
import { commitSeconds } from '../build/commit-time.ts';
import { buildPackage, type Compression, compressions } from './deb.ts';
import { makeSimulatorTree } from './simulator-tree.ts';
import { makeTerminalTree } from './terminal-tree.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  options: { machine: { type: 'string' }, compression: { type: 'string', default: 'xz' } },
  allowPositionals: true,
});

/**
 * `npm run package [DIR] [--machine x64|arm64] [--compression xz|zstd|none]`: Debian packages of the daemon and of the
 * simulator. The same commit gives the same bytes, wherever it is checked out.
 */
try {
  const machine = machines.find((each) => each === (values.machine ?? process.arch));
  if (!machine) throw new BuildError(`a terminal is ${machines.join(' or ')}`);
  const compression = compressions.find((each): each is Compression => each === values.compression);
  if (!compression) throw new BuildError(`--compression is one of ${compressions.join(', ')}`);
  const outdir = path.resolve(positionals[0] ?? path.join(root, 'packages'));
  await mkdir(outdir, { recursive: true });
  const work = await mkdtemp(path.join(tmpdir(), 'poid-package-'));
  try {
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
    const common = { version, machine, compression, epoch: packageEpoch(), outdir };
    const terminal = await makeTerminalTree(path.join(work, 'poid'), machine, version);
    console.log(buildPackage({ ...common, ...terminal }));
    const simulator = await makeSimulatorTree(path.join(work, 'poid-sim'), version);
    console.log(buildPackage({ ...common, ...simulator }));
  } finally {
    await rm(work, { recursive: true });
  }
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(`package: ${error.message}`);
  process.exitCode = 1;
}

/** The time of every file in the packages. */
function packageEpoch(): number {
  const seconds = commitSeconds();
  if (seconds !== undefined) return seconds;
  throw new BuildError('the time of the commit is not known: set SOURCE_DATE_EPOCH outside a git repository');
}
