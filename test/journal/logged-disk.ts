import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, existsSync, fstatSync, mkdirSync, openSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { missing, unmount, unmountAnyway } from './mount.ts';

/**
 * A disk whose writes and flushes are logged in their order: ext4 on a loop device, on a file that qemu-storage-daemon shows by FUSE
 * and logs by its driver blklogwrites (QEMU, docs/tools/qemu-storage-daemon.rst; qapi/block-core.json, BlockdevOptionsBlklogwrites).
 * All of it takes root.
 */
export class LoggedDisk {
  readonly dir: string;
  /** The disk as it was when the log began. */
  readonly base: string;
  /** As BlockLog reads it. */
  readonly log: string;
  readonly #image: string;
  readonly #shown: string;
  readonly #logFile: number;
  #daemon: ChildProcess | undefined;

  /** Why there can be none here; nothing where there can. */
  static impossible(): string | undefined {
    if (process.getuid?.() !== 0) return 'mounting takes root';
    const program = missing(['mke2fs', 'mount', 'losetup']);
    if (program !== undefined) return `there is no ${program}`;
    if (missing(['qemu-storage-daemon'])) return 'there is no qemu-storage-daemon (Debian: qemu-system-common)';
    if (!existsSync('/dev/fuse')) return 'there is no /dev/fuse';
    try {
      execFileSync('losetup', ['-f'], { stdio: 'ignore' });
    } catch {
      return 'there is no loop device';
    }
    return undefined;
  }

  /** `dir`: where it is mounted. `files`: a directory for what it consists of. */
  constructor(dir: string, files: string, mebibytes = 64) {
    this.dir = dir;
    const file = (name: string) => path.join(files, name);
    [this.base, this.log, this.#image] = [file('base.img'), file('log'), file('disk.img')];
    this.#shown = file('shown.img');
    mkdirSync(dir, { recursive: true });
    for (const empty of [this.base, this.log, this.#shown]) writeFileSync(empty, '');
    truncateSync(this.base, mebibytes * 2 ** 20);
    // Blocks as a large disk has them. Nothing is left to be zeroed later, which would only lengthen the log.
    const whole = 'lazy_itable_init=0,lazy_journal_init=0';
    execFileSync('mke2fs', ['-q', '-F', '-t', 'ext4', '-b', '4096', '-E', whole, this.base]);
    execFileSync('cp', ['--sparse=always', this.base, this.#image]);
    this.#logFile = openSync(this.log, 'r');
  }

  async on(): Promise<void> {
    // This machine's own power is not what is cut: its disk need not be synced.
    const blocks = [
      `driver=file,node-name=image,filename=${this.#image},cache.no-flush=on`,
      `driver=file,node-name=log,filename=${this.log},cache.no-flush=on`,
      'driver=blklogwrites,node-name=logged,file=image,log=log',
    ];
    const shown = `type=fuse,id=shown,node-name=logged,mountpoint=${this.#shown},writable=on`;
    // Options take effect in their order: the monitor's greeting says that the file is there.
    const monitor = ['--chardev', 'stdio,id=greeting', '--monitor', 'greeting'];
    const daemon = spawn(
      'qemu-storage-daemon',
      [...blocks.flatMap((each) => ['--blockdev', each]), '--export', shown, ...monitor],
      // Not of this terminal's group: what interrupts this process must not take the disk away before it is unmounted.
      { stdio: ['pipe', 'pipe', 'inherit'], detached: true },
    );
    this.#daemon = daemon;
    const ended = once(daemon, 'exit').then(() => Promise.reject(new Error('qemu-storage-daemon ended at its start')));
    ended.catch(() => undefined);
    await Promise.race([once(daemon.stdout, 'data'), ended]);
    execFileSync('mount', ['-t', 'ext4', '-o', 'loop', this.#shown, this.dir]);
    chmodSync(this.dir, 0o700);
  }

  /** How long the log is, bytes: whatever was on the disk before is within. */
  get position(): number {
    return fstatSync(this.#logFile).size;
  }

  async off(): Promise<void> {
    await unmount(this.dir);
    const daemon = this.#daemon;
    if (!daemon || daemon.exitCode !== null) return;
    const exited = once(daemon, 'exit');
    daemon.kill('SIGTERM');
    await exited;
  }

  /** The files are the caller's. */
  remove(): void {
    unmountAnyway(this.dir);
    this.#daemon?.kill('SIGTERM');
    unmountAnyway(this.#shown);
    closeSync(this.#logFile);
  }
}
