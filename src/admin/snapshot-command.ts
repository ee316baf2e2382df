import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, createReadStream } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommissioningError } from './commissioning-error.ts';
import { syncDirectory } from './durable-file.ts';
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';

/**
 * Flags of the daemon's process. A snapshot belongs to them (bin/poid). SIGUSR1 would open Node's inspector, which runs
 * code from any program of this machine.
 */
export const processFlags = ['--disable-sigusr1', '--max-semi-space-size=4', '--heap-growing-percent=50'] as const;

/** The identity of a snapshot: this program, this runtime byte for byte, and the flags. */
export async function snapshotId(program: string, runtime: string): Promise<string> {
  const sum = createHash('sha256').update(processFlags.join(' '));
  for (const file of [program, runtime]) await pipeline(createReadStream(file), sum, { end: false });
  return sum.digest('hex').slice(0, 32);
}

/** The bundle's folder; undefined for the sources. */
const bundle = path.dirname(fileURLToPath(import.meta.url));

const nameOf = (id: string) => `start-${id}.blob`;

/**
 * `poid snapshot`: makes the snapshot of the start-up with this machine's runtime, tries it, and puts it where the
 * launcher (bin/from-snapshot) looks for it. Rejects with CommissioningError; the terminal then starts without.
 */
export async function snapshotCommand(): Promise<number> {
  const program = path.join(bundle, 'snapshot.cjs');
  if (!existsSync(program)) throw new CommissioningError('these are the sources: only a bundle has a snapshot');
  const id = await snapshotId(program, process.execPath);
  const meant = (await readFile(path.join(bundle, 'snapshot.id'), 'utf8')).trim();
  if (id !== meant) throw new CommissioningError('this runtime is not the one that the bundle was made for');
  const work = await mkdtemp(path.join(bundle, 'snapshot-'));
  try {
    const made = path.join(work, nameOf(id));
    await runNode(work, ['--snapshot-blob', made, '--build-snapshot', program], 'the snapshot can’t be made');
    await runNode(
      work,
      ['--verify-snapshot-checksum', '--snapshot-blob', made, path.join(bundle, 'start.cjs'), 'prove'],
      'the snapshot does not start',
    );
    const handle = await open(made, 'r');
    await handle.chmod(0o644);
    await handle.sync();
    await handle.close();
    await rename(made, path.join(bundle, nameOf(id)));
    await removeOthers(nameOf(id));
    await syncDirectory(bundle);
  } finally {
    await rm(work, { recursive: true });
  }
  console.log(`${path.join(bundle, nameOf(id))} is made`);
  return 0;
}

async function removeOthers(kept: string): Promise<void> {
  for (const each of await readdir(bundle)) {
    if (/^start-.*\.blob$/.test(each) && each !== kept) await rm(path.join(bundle, each));
  }
}

/**
 * With an empty environment, because a snapshot must not contain one. Its output goes to a file: Node would keep the
 * stream of a pipe in the snapshot.
 */
async function runNode(work: string, parameters: readonly string[], fault: string): Promise<void> {
  const log = await open(path.join(work, 'log'), 'w+');
  try {
    const stdio = ['ignore', 'ignore', log.fd] as const;
    const child = spawn(process.execPath, [...processFlags, ...parameters], { cwd: '/', env: {}, stdio: [...stdio] });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (code === 0) return;
    const said = /^\S*Error: .*$/m.exec(await readFile(path.join(work, 'log'), 'utf8'))?.[0];
    throw new CommissioningError(`${fault}: ${said ?? signal ?? `exit code ${code}`}`);
  } finally {
    await log.close();
  }
}
