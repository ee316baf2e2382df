import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { baseRoot, terminalRoot } from './base-root.ts';

const bootMs = 60_000;
const commandMs = 120_000;
const lookMs = 50;

export interface Ended {
  readonly code: number;
  /** Standard output and error, as they came. */
  readonly said: string;
}

export interface CommandOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A directory with a Debian, away at the end. */
export function freshRoot(): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-machine-'));
  execFileSync('cp', ['-a', '--reflink=auto', baseRoot(terminalRoot), path.join(dir, 'root')]);
  return path.join(dir, 'root');
}

/** Its mounts ended with the container's. */
export function removeRoot(root: string): void {
  rmSync(path.dirname(root), { recursive: true });
}

/** A Debian that was started with its own systemd, and has no network but its loopback. */
export class Container {
  readonly #process: ChildProcess;
  readonly #leader: number;
  readonly #commands = new Set<ChildProcess>();

  private constructor(process: ChildProcess, leader: number) {
    this.#process = process;
    this.#leader = leader;
  }

  static async boot(root: string, options: readonly string[] = []): Promise<Container> {
    mkdirSync(root, { recursive: true });
    // systemd-nspawn wants a /run of its own where no systemd runs outside.
    const script = 'mount -t tmpfs tmpfs /run && exec systemd-nspawn "$@"';
    const alone = ['--quiet', '--register=no', '--keep-unit', '--boot', '--private-network', '--console=read-only'];
    const parameters = [
      '--propagation',
      'private',
      '-m',
      'bash',
      '-c',
      script,
      'bash',
      ...alone,
      '-D',
      root,
      ...options,
    ];
    const child = spawn('unshare', parameters, { stdio: ['ignore', 'pipe', 'pipe'] });
    let console = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (console += text.toString()));
    const gone = once(child, 'close').then(() => assert.fail(`the container did not start:\n${console}`));
    gone.catch(() => undefined);
    const leader = await Promise.race([gone, until('systemd runs', bootMs, () => leaderOf(child.pid ?? 0))]);
    const container = new Container(child, leader);
    // The bus of systemd is there a moment after systemd.
    const isUp = async () =>
      /running|degraded/.test((await container.run('systemctl is-system-running')).said) || undefined;
    await Promise.race([gone, until('the container is up', bootMs, isUp)]);
    return container;
  }

  /** Runs a shell command in it, as root. */
  run(command: string, options: CommandOptions = {}): Promise<Ended> {
    return this.#enter(['-m', '-u', '-i', '-n', '-p', '-r', '-w'], command, options);
  }

  /** Runs a shell command of this machine in the container's network: what stands beside the terminal there. */
  async beside(command: string, options: CommandOptions = {}): Promise<string> {
    const { code, said } = await this.#enter(['-n'], command, options);
    assert.equal(code, 0, `${command}\n${said}`);
    return said.trimEnd();
  }

  #enter(namespaces: readonly string[], command: string, { input = '', env = {}, cwd = '/' }: CommandOptions) {
    const variables = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', HOME: '/root', ...env };
    const clean = ['env', '-i', ...Object.entries(variables).map((each) => each.join('='))];
    return new Promise<Ended>((resolve) => {
      const script = `exec 2>&1; cd ${cwd}; ${command}`;
      const parameters = ['-t', String(this.#leader), ...namespaces, '--', ...clean, 'sh', '-c', script];
      const child = execFile('nsenter', parameters, { timeout: commandMs, maxBuffer: 1 << 26 }, (error, said) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 99;
        this.#commands.delete(child);
        resolve({ code, said });
      });
      this.#commands.add(child);
      child.stdin?.on('error', () => undefined).end(input);
    });
  }

  /** What an HTTP server in it answers, with its status as the code: 0 where nobody answers. */
  async call(port: number, at: string, body?: string): Promise<Ended> {
    const sent = body === undefined ? '' : `-H 'Content-Type: application/json' -d '${body}'`;
    const { said } = await this.run(`curl -s -m 100 -w '\\n%{http_code}' http://127.0.0.1:${port}${at} ${sent}`);
    const [, answer = '', code] = /^(.*)\n(\d+)$/s.exec(said) ?? [];
    return { code: Number(code ?? 0), said: answer };
  }

  /** What a command that ends well says. */
  async outputOf(command: string, options: CommandOptions = {}): Promise<string> {
    const { code, said } = await this.run(command, options);
    assert.equal(code, 0, `${command}\n${said}`);
    return said.trimEnd();
  }

  /**
   * Starts the service. On cgroup v1 systemd may hear only now that the last process before it is gone: it removes the
   * cgroup under the start, which ends with 219/CGROUP (systemd.exec(5)). `Restart=` would try again 2 s later.
   */
  async start(verb: 'start' | 'restart' = 'start'): Promise<void> {
    const { code, said } = await this.run(`systemctl ${verb} poid`);
    if (code === 0) return;
    const isLateNotice = (await this.unit('ExecMainStatus')) === '219' && !(await this.#isUnified());
    if (isLateNotice) return this.start();
    const { said: log } = await this.run('journalctl --sync; journalctl -u poid -n 40 --no-pager');
    assert.fail(`${said}\n${log}`);
  }

  async #isUnified(): Promise<boolean> {
    return (await this.run('test -e /sys/fs/cgroup/cgroup.controllers')).code === 0;
  }

  /** A property of a unit, as systemd has it now. */
  unit(property: string, unit = 'poid'): Promise<string> {
    return this.outputOf(`systemctl show --value --property=${property} ${unit}`);
  }

  /** Where a path of it is for this process. */
  outside(file: string): string {
    return path.join(`/proc/${this.#leader}/root`, file);
  }

  async stop(): Promise<void> {
    const gone = once(this.#process, 'close');
    await this.run('systemctl poweroff --no-block');
    // systemd-shutdown stops whatever still runs, and nsenter stops itself with its command: it would wait for ever.
    const going = setInterval(() => {
      for (const each of this.#commands) each.kill('SIGCONT');
    }, lookMs);
    const given = setTimeout(() => this.#process.kill('SIGKILL'), bootMs);
    await gone;
    clearInterval(going);
    clearTimeout(given);
  }
}

/** Looks every `pauseMs`, because nobody tells. Rejects after `ms`. */
export async function until<T>(
  what: string,
  ms: number,
  look: () => Promise<T | undefined> | T | undefined,
  pauseMs: number = lookMs,
): Promise<T> {
  for (const end = performance.now() + ms; performance.now() < end; await pause(pauseMs)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`not within ${ms} ms: ${what}`);
}

/** The process that is PID 1 inside. */
function leaderOf(pid: number): number | undefined {
  for (const child of childrenOf(pid)) {
    const found = readOr(`/proc/${child}/comm`).trim() === 'systemd' ? child : leaderOf(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

function childrenOf(pid: number): number[] {
  return readOr(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended meanwhile.
    return '';
  }
}
