import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BuildError, type Machine, machines } from '../build/addons.ts';
import { buildPackage, type Compression, compressions, debianNames } from './deb.ts';
import { announceRelease } from './release.ts';
import { makeSimulatorTree } from './simulator-tree.ts';
import { makeTerminalTree } from './terminal-tree.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  options: { arch: { type: 'string', multiple: true }, compression: { type: 'string', default: 'xz' } },
  allowPositionals: true,
});

/**
 * `npm run package [DIR] [--arch amd64|arm64]… [--compression xz|zstd|none]`: Debian packages of the daemon, for this
 * machine or for those named, and of the simulator. The same commit gives the same bytes, wherever it is checked out.
 */
try {
  const targets = targetMachines();
  const compression = compressions.find((each): each is Compression => each === values.compression);
  if (!compression) throw new BuildError(`--compression is one of ${compressions.join(', ')}`);
  const release = announceRelease('package');
  const outdir = path.resolve(positionals[0] ?? path.join(root, 'packages'));
  await mkdir(outdir, { recursive: true });
  const work = await mkdtemp(path.join(tmpdir(), 'poid-package-'));
  try {
    const common = { ...release, compression, outdir };
    for (const machine of targets) {
      const terminal = await makeTerminalTree(path.join(work, machine), machine, release);
      console.log(buildPackage({ ...common, ...terminal }));
    }
    const simulator = await makeSimulatorTree(path.join(work, 'poid-sim'), release);
    console.log(buildPackage({ ...common, ...simulator }));
  } finally {
    await rm(work, { recursive: true });
  }
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(`package: ${error.message}`);
  process.exitCode = 1;
}

function targetMachines(): Machine[] {
  const asked = values.arch ?? machines.filter((each) => each === process.arch).map((each) => debianNames[each]);
  return asked.map((name) => {
    const machine = machines.find((each) => debianNames[each] === name);
    if (!machine) throw new BuildError(`--arch is one of ${machines.map((each) => debianNames[each]).join(', ')}`);
    return machine;
  });
}
