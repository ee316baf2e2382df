import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './installed.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The bundle that `npm test` builds once for all files (test/run/build.ts). A file that runs alone uses the sources.
 */
const built = process.env['POID_TEST_PROGRAMS'];

/** The command `poid`. */
export const command = path.join(built ?? root, 'bin/poid');

/** The command that runs the sources. */
export const sourcesCommand = path.join(root, 'bin/poid');

/** The installed command; built in `dir` if there is no bundle yet. */
export async function installedCommand(dir: string): Promise<string> {
  return built === undefined ? install(path.join(dir, 'installed')) : command;
}

/** Whether the daemon starts from the snapshot of that bundle, which only its command does. */
const startsFromSnapshot = process.env['POID_TEST_SNAPSHOT'] !== undefined;

/** Modules for a process of their own. */
export const daemonModule = built === undefined ? path.join(root, 'src/main/cli.ts') : builtDaemon(built);
export const simulatorModule =
  built === undefined ? path.join(root, 'hw-sim/main.ts') : path.join(built, 'simulator/bundle/main.js');

function builtDaemon(tree: string): string {
  return startsFromSnapshot ? command : path.join(tree, 'dist/cli.js');
}
