import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './installed.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What `npm test` built once for all its files (test/run/build.ts). A file that is run alone takes the sources. */
const built = process.env['POID_TEST_PROGRAMS'];

/** The command `poid`. */
export const command = path.join(built ?? root, 'bin/poid');

/** The command on the sources. */
export const sourcesCommand = path.join(root, 'bin/poid');

/** The command as it is installed, built in `dir` where nothing is built yet. */
export async function installedCommand(dir: string): Promise<string> {
  return built === undefined ? install(path.join(dir, 'installed')) : command;
}

/** Modules for a process of their own. */
export const daemonModule = built === undefined ? path.join(root, 'src/cli.ts') : path.join(built, 'dist/cli.js');
export const simulatorModule =
  built === undefined ? path.join(root, 'hw-sim/main.ts') : path.join(built, 'simulator/bundle/main.js');
