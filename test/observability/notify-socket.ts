import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A line for each datagram. Perl is essential in Debian, and binds an abstract name with its length, as systemd does. */
const receiver = `use Socket; $| = 1;
  socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die $!;
  bind($socket, pack_sockaddr_un($ARGV[0] =~ s/^@/\\0/r)) or die $!;
  print "bound\\n";
  while (defined recv($socket, my $text, 65536, 0)) { print "$text\\n" }`;

const sender = `use Socket;
  socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die $!;
  send($socket, $ARGV[1], 0, pack_sockaddr_un($ARGV[0] =~ s/^@/\\0/r)) or die $!`;

/** systemd's end of sd_notify(3): a datagram socket, in a process of its own. */
export class NotifySocket {
  /** As NOTIFY_SOCKET has it. */
  readonly address: string;
  readonly reported: string[] = [];
  readonly #child: ChildProcess;
  #marks = 0;
  #waiting: (() => void)[] = [];

  private constructor(address: string, child: ChildProcess) {
    this.address = address;
    this.#child = child;
  }

  static async open(t: TestContext): Promise<NotifySocket> {
    const dir = await mkdtemp(path.join(tmpdir(), 'poid-notify-'));
    t.after(() => rm(dir, { recursive: true }));
    return NotifySocket.at(path.join(dir, 'notify'), t);
  }

  static async at(address: string, t: TestContext): Promise<NotifySocket> {
    const child = spawn('perl', ['-e', receiver, address], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill('SIGKILL'));
    const socket = new NotifySocket(address, child);
    const lines = createInterface(child.stdout);
    await once(lines, 'line');
    lines.on('line', (line) => {
      socket.reported.push(line);
      for (const heard of socket.#waiting.splice(0)) heard();
    });
    return socket;
  }

  /** From when this settles it reads nothing until `resume`. */
  async stop(): Promise<void> {
    this.#child.kill('SIGSTOP');
    // The kernel tells nobody but the parent's wait(2), which is not ours to call (proc(5): T is stopped).
    while (!/^\d+ \(perl\) T /.test(readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8'))) await pause(1);
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Resolves once everything that was sent before is in `told`: a datagram of its own comes after it. */
  async mark(): Promise<void> {
    const mark = `X_MARK=${++this.#marks}`;
    await run('perl', ['-e', sender, this.address, mark]);
    await this.until((datagram) => datagram === mark);
  }

  /** Resolves once a datagram passes. */
  async until(pass: (datagram: string) => boolean): Promise<void> {
    while (!this.reported.some(pass)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves once `count` datagrams have come. */
  async times(count: number): Promise<readonly string[]> {
    while (this.reported.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.reported;
  }
}
