import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface BrokerOptions {
  /** Everybody needs a certificate of the broker's own authority; its common name is the user's name. */
  readonly tls?: boolean;
  /** Who may read and write what, as mosquitto's acl_file says it. */
  readonly acl?: string;
  /** It logs no message and stores no change: for what measures others. */
  readonly isBrief?: boolean;
  /** Further lines of mosquitto.conf. */
  readonly settings?: readonly string[];
}

/** Paths of PEM files. */
export interface Credentials {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * Debian's mosquitto, on a free port of the loopback interface, with its files in `dir`. What it retains and keeps for
 * absent subscribers survives `kill` and `restart`: it writes its store after each change.
 */
export class Broker {
  readonly dir: string;
  readonly port: number;
  readonly #options: BrokerOptions;
  #process: ChildProcess | undefined;
  /** What it has logged since it was last started, for a test that fails. */
  log: string[] = [];

  private constructor(dir: string, port: number, options: BrokerOptions) {
    this.dir = dir;
    this.port = port;
    this.#options = options;
  }

  /** Resolves once it takes connections. */
  static async start(dir: string, options: BrokerOptions = {}): Promise<Broker> {
    await mkdir(dir, { recursive: true });
    if (options.tls) await makeAuthority(dir);
    // Between this look and mosquitto's own listening another process may take the port.
    for (let tries = 1; ; tries++) {
      const broker = new Broker(dir, await freePort(), options);
      await broker.#configure();
      try {
        await broker.restart();
        return broker;
      } catch (error) {
        if (tries === 5) throw error;
      }
    }
  }

  get url(): string {
    return `${this.#options.tls ? 'mqtts' : 'mqtt'}://127.0.0.1:${this.port}`;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** A key and a certificate of this name, by the broker's authority. */
  credentials(name: string): Promise<Credentials> {
    return makeCredentials(this.dir, name);
  }

  /** As a power cut ends it. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** In order: it tells its clients. */
  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  /** Starts it again, with what it has stored, on the same port. */
  async restart(): Promise<void> {
    await this.kill();
    const child = spawn('mosquitto', ['-c', path.join(this.dir, 'mosquitto.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    this.log = [];
    const exited = once(child, 'exit');
    const running = new Promise<true>((resolve) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        this.log.push(line);
        if (/mosquitto version .* running/.test(line)) resolve(true);
      });
    });
    if ((await Promise.race([running, exited])) !== true) throw new Error(`mosquitto: ${this.log.join('\n')}`);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  async #configure(): Promise<void> {
    const { tls, acl, isBrief, settings = [] } = this.#options;
    const file = (name: string) => path.join(this.dir, name);
    if (acl !== undefined) await writeFile(file('acl'), acl);
    const lines = [
      `listener ${this.port} 127.0.0.1`,
      `allow_anonymous ${!tls}`,
      // It drops root's rights otherwise, and then can't read the test's directory.
      'user root',
      'log_dest stderr',
      ...(isBrief
        ? ['log_type information', 'log_type error']
        : [
            'log_type all',
            'persistence true',
            `persistence_location ${this.dir}/`,
            'autosave_on_changes true',
            'autosave_interval 1',
          ]),
      ...(tls
        ? [
            `cafile ${file('ca.pem')}`,
            `certfile ${file('broker.pem')}`,
            `keyfile ${file('broker.key')}`,
            'require_certificate true',
            'use_identity_as_username true',
          ]
        : []),
      ...(acl === undefined ? [] : [`acl_file ${file('acl')}`]),
      ...settings,
    ];
    await writeFile(file('mosquitto.conf'), `${lines.join('\n')}\n`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const keyOptions = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'];

async function makeAuthority(dir: string): Promise<void> {
  const [key, certificate] = [path.join(dir, 'ca.key'), path.join(dir, 'ca.pem')];
  await run('openssl', ['req', '-x509', ...keyOptions, '-keyout', key, '-out', certificate, '-subj', '/CN=test CA']);
  await makeCredentials(dir, 'broker', 'subjectAltName=IP:127.0.0.1,DNS:localhost');
}

async function makeCredentials(dir: string, name: string, extension?: string): Promise<Credentials> {
  const [ca, certificate, key] = ['ca.pem', `${name}.pem`, `${name}.key`].map((file) => path.join(dir, file));
  if (ca === undefined || certificate === undefined || key === undefined) throw new Error('three names, three files');
  const isThere = await readFile(certificate).catch(() => undefined);
  if (isThere === undefined)
    await run('openssl', [
      'req',
      '-x509',
      '-CA',
      ca,
      '-CAkey',
      path.join(dir, 'ca.key'),
      ...keyOptions,
      '-keyout',
      key,
      '-out',
      certificate,
      '-subj',
      `/CN=${name}`,
      '-addext',
      'basicConstraints=critical,CA:FALSE',
      ...(extension === undefined ? [] : ['-addext', extension]),
    ]);
  return { ca, certificate, key };
}
