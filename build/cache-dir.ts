import { homedir } from 'node:os';
import path from 'node:path';

/**
 * Where builds and tests keep what takes long to make: Debian roots, guests' disks, packages for another machine. It is
 * outside node_modules, which `npm ci` deletes. POID_CACHE_DIR names another directory.
 */
export const cacheDir =
  process.env['POID_CACHE_DIR'] ??
  path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'poid-build');
