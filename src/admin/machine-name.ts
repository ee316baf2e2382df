import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { terminalHostname } from '../base/domain/local-name.ts';
import { replaceFile } from './durable-file.ts';
import type { Places } from '../config/places.ts';

/**
 * Names the machine after its serial number, so that tills find it as NAME.local. `isRunning`: the machine that runs this,
 * not an image. Returns a line for a person: a file system that is read-only has its own way to name the machine.
 */
export async function nameMachine(serialNumber: string, places: Places, isRunning: boolean): Promise<string> {
  const name = terminalHostname(serialNumber);
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  try {
    await replaceFile(places.hostname, `${name}\n`, { ...own, mode: 0o644 });
    if (isRunning) await promisify(execFile)('hostname', [name]);
    return `its name in the network: ${name}.local`;
  } catch (error) {
    const { code = 'no program hostname' } = error as NodeJS.ErrnoException;
    return `the machine keeps the name that it has (${places.hostname}: ${code})`;
  }
}
