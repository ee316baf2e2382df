import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** The package has no types of its own. */
const { Client } = createRequire(import.meta.url)('pg') as { Client: new (options: object) => Connection };

interface Connection {
  connect(): Promise<void>;
  query(sql: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>;
  end(): Promise<void>;
}

/** Numbers of 64 bits are text. */
export type Row = Readonly<Record<string, string | number | null>>;

const bin = '/usr/lib/postgresql/15/bin';

/** Debian's PostgreSQL on a unix socket in `dir`. It refuses to run as root, so it runs as the user postgres. */
export class Postgres {
  readonly dir: string;
  #process: ChildProcess | undefined;

  private constructor(dir: string) {
    this.dir = dir;
  }

  static async start(): Promise<Postgres> {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (which) => Number((await run('id', [which, 'postgres'])).stdout)),
    );
    if (uid === undefined || gid === undefined) throw new Error('there is no user postgres');
    // Not in TMPDIR: that may be a directory of root's, which the user postgres can't reach.
    const dir = await mkdtemp('/tmp/poid-postgres-');
    await chown(dir, uid, gid);
    const postgres = new Postgres(dir);
    const data = path.join(dir, 'data');
    const user = { uid, gid, cwd: dir, env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' } } as const;
    await run(path.join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync'], user);
    const child = spawn(path.join(bin, 'postgres'), ['-D', data, '-k', dir, '-h', '', '-F'], {
      ...user,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    postgres.#process = child;
    const exited = once(child, 'exit');
    const ready = new Promise<true>((resolve) => {
      createInterface({ input: child.stderr }).on('line', (line) => line.includes('ready to accept') && resolve(true));
    });
    if ((await Promise.race([ready, exited])) !== true) throw new Error('postgres has ended');
    return postgres;
  }

  /** As pg.Client takes it. */
  get connection() {
    return { host: this.dir, user: 'postgres', database: 'postgres' };
  }

  /** A connection, to be ended, with more options of pg.Client. */
  async open(more: object = {}): Promise<Connection> {
    const client = new Client({ ...this.connection, ...more });
    await client.connect();
    return client;
  }

  /** On a connection of its own. */
  async query(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = await this.open();
    try {
      return (await client.query(sql, values.length === 0 ? undefined : values)).rows;
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child && child.exitCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      await exited;
    }
    await rm(this.dir, { recursive: true });
  }
}
