import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { KeyAndCertificate } from '../../src/base/tls/certificate.ts';
import { install } from '../support/installed.ts';
import { type Children, heard, root } from './children.ts';

const run = promisify(execFile);

/** What is in c/, compiled. */
export interface Native {
  readonly reader: string;
  readonly terminal: string;
  readonly slowFsync: string;
}

export interface Simulated {
  readonly url: string;
  /** The daemon's configuration that it wrote, with a log of errors only. */
  readonly configuration: string;
  readonly printerPath: string;
  /** TCP port of the host of EDC. */
  readonly hostPort: number;
}

export interface RunningDaemon {
  readonly api: string;
  readonly screen: string;
  readonly pid: number;
  /** Sends a message to what was loaded into it, and resolves to its answer. */
  ask<Answer>(question: object): Promise<Answer>;
  /** Sends a message to what was loaded into it. */
  send(message: object): void;
  stop(): Promise<void>;
}

export interface DaemonFlags {
  readonly configuration: string;
  readonly stateDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The bundle as it is installed, or the sources. */
  readonly program?: 'bundle' | 'sources';
}

/** Where everything runs: a directory of its own, and the processes in it. */
export class BenchStage {
  readonly dir: string;
  readonly children: Children;
  #native: Promise<Native | string> | undefined;
  #simulated: Promise<Simulated> | undefined;
  #installed: Promise<string> | undefined;
  #snapshot: Promise<unknown> | undefined;
  #names = 0;

  /** `installed`: a tree that others use as well. */
  constructor(dir: string, children: Children, installed?: Promise<string>) {
    this.dir = dir;
    this.children = children;
    this.#installed = installed;
  }

  /** A path that nobody uses yet. */
  fresh(name: string): string {
    return path.join(this.dir, `${name}-${++this.#names}`);
  }

  /** The C programs, or why there are none. */
  native(): Promise<Native | string> {
    this.#native ??= this.#compiled();
    return this.#native;
  }

  simulator(): Promise<Simulated> {
    this.#simulated ??= this.#simulating();
    return this.#simulated;
  }

  /** The root of a tree as systemd/README.md installs it: the bundle, without the sources. */
  installed(): Promise<string> {
    this.#installed ??= this.#installing();
    return this.#installed;
  }

  /**
   * Makes the snapshot that the package's installation makes. Resolves to the environment in which a daemon is as the
   * unit starts it: with the proof that the snapshot fits.
   */
  async asInstalled(): Promise<Readonly<Record<string, string>>> {
    const tree = await this.installed();
    this.#snapshot ??= run(path.join(tree, 'bin/poid'), ['snapshot']);
    await this.#snapshot;
    return { CACHE_DIRECTORY: this.fresh('cache') };
  }

  /** `bin/poid run`, once a payment can be taken. */
  async daemon({ configuration, stateDir, env = {}, program = 'bundle' }: DaemonFlags): Promise<RunningDaemon> {
    const tree = program === 'bundle' ? await this.installed() : root;
    const flags = ['run', '--config', configuration, '--state-dir', stateDir, '--port', '0', '--screen-port', '0'];
    const child = this.children.start(path.join(tree, 'bin/poid'), flags, { env, talks: 'by messages' });
    const { apiPort, screenPort } = await heard<{ apiPort: number; screenPort: number }>(child, 'the daemon');
    return {
      api: `http://127.0.0.1:${apiPort}/sp/v1`,
      screen: `http://127.0.0.1:${screenPort}`,
      pid: child.pid ?? Number.NaN,
      ask: (question) => {
        const reported = heard<never>(child, 'the daemon');
        child.send(question);
        return reported;
      },
      send: (message) => child.send(message),
      stop: () => this.children.end(child),
    };
  }

  async written(name: string, content: object): Promise<string> {
    const file = `${this.fresh(name)}.json`;
    await writeFile(file, JSON.stringify(content));
    return file;
  }

  /** A state directory of its own, as `from` is, which no daemon uses now. */
  async copied(from: string): Promise<string> {
    const dir = this.fresh('state');
    await cp(from, dir, { recursive: true });
    return dir;
  }

  async #installing(): Promise<string> {
    const tree = this.fresh('installed');
    await install(tree);
    return tree;
  }

  async #compiled(): Promise<Native | string> {
    const from = (name: string) => fileURLToPath(new URL(`c/${name}.c`, import.meta.url));
    const to = (name: string) => path.join(this.dir, 'native', name);
    try {
      await mkdir(path.join(this.dir, 'native'));
      for (const name of ['reader', 'terminal']) await run('cc', ['-O2', '-o', to(name), from(name)]);
      await run('cc', ['-O2', '-shared', '-fPIC', '-o', to('slow-fsync.so'), from('slow-fsync'), '-ldl']);
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      return missing ? 'there is no C compiler (cc)' : `cc failed: ${(error as Error).message}`;
    }
    return { reader: to('reader'), terminal: to('terminal'), slowFsync: to('slow-fsync.so') };
  }

  async #simulating(): Promise<Simulated> {
    const dir = path.join(this.dir, 'sim');
    const child = this.children.startNode('hw-sim/main.ts', ['--sim-port', '0', '--sim-dir', dir, '--plain-hosts']);
    const { port, configuration } = await heard<{ port: number; configuration: string }>(child, 'the simulator');
    const wired = JSON.parse(await readFile(configuration, 'utf8')) as { acquirers: { id: string; port?: number }[] };
    const { acquirers } = wired;
    const quiet = await this.written('poid', { ...wired, logLevel: 'error' });
    const hostPort = acquirers.find(({ id }) => id === 'EDC')?.port ?? Number.NaN;
    return {
      url: `http://127.0.0.1:${port}/api`,
      configuration: quiet,
      printerPath: path.join(dir, 'printer'),
      hostPort,
    };
  }
}

/** A terminal with one host for cards. Its POS prints, unless it is named 'PAPER': then the terminal does. */
export function configured(
  readerPath: string,
  hostPort: number,
  { printerPath, identity }: { readonly printerPath?: string; readonly identity?: KeyAndCertificate | undefined } = {},
): object {
  return {
    shop: { name: 'Harbour Tea House', address: '1 Pier Road, Hong Kong' },
    reader: { driver: 'neo2', path: readerPath },
    ...(printerPath === undefined ? {} : { printer: { driver: 'escpos', path: printerPath } }),
    acquirers: [
      {
        id: 'EDC',
        protocol: 'iso8583',
        host: '127.0.0.1',
        port: hostPort,
        tid: '12345678',
        mid: '123456789012345',
        nii: '003',
        tpdu: '6000030000',
        brands: ['VISA'],
        ...(identity ? { security: { tls: { pins: [new X509Certificate(identity.cert).fingerprint256] } } } : {}),
        // The queue that the slow disk is measured with.
        offline: { countMax: 1_000 },
        connectTimeoutMs: 1_000,
        replyTimeoutMs: 6_000,
      },
    ],
    receipt: { printedBy: 'pos', printedByPosId: { PAPER: 'terminal' } },
    // The reader is armed again and again within one collecting.
    timeouts: { collectMs: 3_600_000 },
    logLevel: 'error',
  };
}
