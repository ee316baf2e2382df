import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import net from 'node:net';

/**
 * At most one simulator works in a directory. The lock is a socket in Linux's abstract namespace, named after the
 * directory: the kernel releases it with the process, however that ends, so there is no stale lock to judge, as a file
 * with a process id in it would be. It reaches as far as the network namespace: two containers don't see each other.
 */
export async function lockDirectory(dir: string): Promise<{ release(): Promise<void> } | undefined> {
  const name = createHash('sha256')
    .update(await realpath(dir))
    .digest('hex');
  const server = net.createServer((socket) => socket.destroy());
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  server.once('error', (error: NodeJS.ErrnoException) =>
    error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
  );
  server.listen(`\0poid-sim-${name}`, () => resolve(true));
  if (!(await promise)) return undefined;
  return {
    release: () => new Promise((done) => server.close(() => done())),
  };
}
