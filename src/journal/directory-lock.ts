import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { JournalError } from '../ports/journal.ts';

/**
 * Keeps a second process off a journal whose file was removed or replaced; SQLite's lock is on the file only. A name in
 * the abstract namespace (unix(7)) belongs to one process, and the kernel frees it when that process ends in any way.
 */
export class DirectoryLock {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Rejects with JournalError 'in-use'. */
  static async take(file: string): Promise<DirectoryLock> {
    const directory = statSync(path.dirname(file), { bigint: true, throwIfNoEntry: false });
    if (!directory) throw new JournalError('storage', 'the directory of the journal does not exist');
    const { dev, ino } = directory;
    const server = createServer((connection) => connection.destroy());
    server.listen(`\0poid journal ${dev}:${ino} ${path.basename(file)}`);
    await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new JournalError('in-use', 'another process uses this journal');
    });
    server.unref();
    return new DirectoryLock(server);
  }

  release(): void {
    this.#server.close();
  }
}
