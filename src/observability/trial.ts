import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The directory in which an image names its version (`version`) and the last accepted one (`accepted`). */
const imageDir = '/usr/lib/poid-image';

/**
 * Whether the machine may still return to the previous version, because this version's image was not accepted yet. An
 * unreadable file counts as not accepted. Without an image a version is never on trial.
 */
export async function isOnTrial(dir: string = process.env['POID_IMAGE_DIR'] ?? imageDir): Promise<boolean> {
  const version = await readLine(path.join(dir, 'version'));
  if (version === 'missing') return false;
  const accepted = await readLine(path.join(dir, 'accepted'));
  return typeof version === 'string' || typeof accepted === 'string' || version.line !== accepted.line;
}

/** unreadable: an empty file too. */
async function readLine(file: string): Promise<{ readonly line: string } | 'missing' | 'unreadable'> {
  try {
    const line = (await readFile(file, 'utf8')).trim();
    return line === '' ? 'unreadable' : { line };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'unreadable';
  }
}
