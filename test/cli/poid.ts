import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { command } from '../support/programs.ts';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** A directory of its own, away at the end of the test. */
export async function ownDirectory(t: TestContext): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-cli-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** bin/poid as a shell starts it: leader of a process group of its own, as a job of a terminal is. */
export class Poid {
  out = '';
  err = '';
  /** Settles when the process has ended and nobody holds its output any more: no child is left that inherited it. */
  readonly ended: Promise<Ended>;
  readonly pid: number;
  readonly #child: ChildProcess;
  #onOut: (() => void)[] = [];

  constructor(t: TestContext, parameters: readonly string[], { cwd = tmpdir(), env = {}, program = command } = {}) {
    const child = spawn(program, parameters, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    this.pid = child.pid ?? Number.NaN;
    child.stdout.on('data', (chunk: Buffer) => this.#heard(() => (this.out += chunk.toString())));
    child.stderr.on('data', (chunk: Buffer) => this.#heard(() => (this.err += chunk.toString())));
    this.ended = once(child, 'close').then(([code, signal]) => {
      this.#heard(() => undefined);
      return { code, signal, out: this.out, err: this.err };
    });
    t.after(async () => {
      try {
        process.kill(-this.pid, 'SIGKILL');
      } catch {
        // The whole group has ended.
      }
      await this.ended;
    });
  }

  #heard(keep: () => void): void {
    keep();
    for (const heard of this.#onOut.splice(0)) heard();
  }

  /** The first match in what it has said on standard output. Rejects when it ends before. */
  async said(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.out);
      if (match) return match;
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
        await this.ended;
        throw new Error(`poid ended before it said ${pattern}: ${this.out}${this.err}`);
      }
      await new Promise<void>((resolve) => this.#onOut.push(resolve));
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** As Ctrl-C in a terminal does it: every process of the group. */
  killGroup(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }

  /** The process id of its simulator. */
  simulatorPid(): number | undefined {
    return processes().find((each) => each.parent === this.pid && each.command.includes('hw-sim/main.ts'))?.pid;
  }

  /** The port of the one listener that is open to the network (proc(5): /proc/net/tcp, state 0A = listening). */
  networkPort(): number | undefined {
    const sockets = new Set(
      readdirSync(`/proc/${this.pid}/fd`).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(link(this.pid, fd))?.[1] ?? []),
    );
    const lines = readFileSync(`/proc/${this.pid}/net/tcp`, 'utf8').trim().split('\n').slice(1);
    for (const line of lines) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state === '0A' && sockets.has(inode) && local.startsWith('00000000:'))
        return Number.parseInt(local.slice(9), 16);
    }
    return undefined;
  }
}

function link(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return '';
  }
}

/** Runs to its end. */
export function poid(t: TestContext, ...parameters: string[]): Promise<Ended> {
  return new Poid(t, parameters).ended;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All processes that run; those that have ended and wait for their parent don't. */
export function processes(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [state = '', parent] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), command }];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });
}
