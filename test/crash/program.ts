import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Program {
  /** What is called to start it. */
  readonly main: string;
  remove(): Promise<void>;
}

/** The daemon as it is installed: a start costs a fraction of what the sources take. */
export async function bundled(): Promise<Program> {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-bundle-'));
  await promisify(execFile)(process.execPath, [path.join(root, 'build/bundle.ts'), path.join(dir, 'dist')]);
  await cp(path.join(root, 'bin'), path.join(dir, 'bin'), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(dir, 'node_modules'));
  return { main: path.join(dir, 'bin/poid'), remove: () => rm(dir, { recursive: true }) };
}
