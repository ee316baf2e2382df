import { execFile } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Makes `tree` as systemd/README.md installs the terminal: the bundle on this checkout's packages, without the
 * sources. Its start takes a fraction of what the sources take. `version`: another than this checkout's. Returns the command.
 */
export async function install(tree: string, version?: string): Promise<string> {
  await mkdir(tree, { recursive: true });
  // A machine that runs the tests may have a clock that is behind the last commit: such a terminal doubts its clock.
  const env = { ...process.env, SOURCE_DATE_EPOCH: '0' };
  const named = version === undefined ? [] : ['--version', version];
  const build = [path.join(root, 'build/bundle.ts'), path.join(tree, 'dist'), ...named];
  await promisify(execFile)(process.execPath, build, { env });
  await cp(path.join(root, 'bin'), path.join(tree, 'bin'), { recursive: true });
  await cp(path.join(root, 'package.json'), path.join(tree, 'package.json'));
  await symlink(path.join(root, 'node_modules'), path.join(tree, 'node_modules'));
  return path.join(tree, 'bin/poid');
}
