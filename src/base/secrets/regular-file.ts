import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Larger than any of these files. */
const bytesMax = 16 * 1024 * 1024;
/** Opening a FIFO would wait for its other end; a link may lead anywhere. */
const guarded = constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Opens a file. Refuses a link, a FIFO or a directory, which others may have put there. Rejects with the system's
 * error.
 */
export async function openRegular(file: string, flags: number, mode?: number): Promise<FileHandle> {
  const handle = await open(file, flags | guarded, mode);
  const found = await handle.stat();
  if (found.isFile()) return handle;
  await handle.close();
  throw systemError(file, found.isDirectory() ? 'EISDIR' : 'EINVAL');
}

/** The text of such a file, of 16 MiB at most. Rejects with the system's error. */
export async function readRegular(file: string): Promise<string> {
  const handle = await openRegular(file, constants.O_RDONLY);
  try {
    if ((await handle.stat()).size > bytesMax) throw systemError(file, 'EFBIG');
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** As `readRegular`, but a link is followed. Throws the system's error. */
export function readRegularSync(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw systemError(file, 'EINVAL');
    if (found.size > bytesMax) throw systemError(file, 'EFBIG');
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** In the form of Node's own. */
function systemError(file: string, code: 'EINVAL' | 'EISDIR' | 'EFBIG'): Error {
  const why = code === 'EFBIG' ? 'is too large' : 'is not a regular file';
  return Object.assign(new Error(`${file} ${why}`), { code, syscall: 'open', path: file });
}
