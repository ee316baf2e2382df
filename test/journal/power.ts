import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { missing, unmount, unmountAnyway } from './mount.ts';

/**
 * EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH (Linux, fs/ext4/ext4.h): from then on nothing reaches the disk, neither what
 * the page cache holds nor the file system's own log. perl, because Node has no ioctl(2); it waits, so that a cut is at once.
 */
const plug = `
  open(my $dir, '<', $ARGV[0]) or die $!;
  $| = 1;
  print "in\\n";
  my $line = <STDIN>;
  defined $line or exit;
  my $flags = pack('L', 2);
  ioctl($dir, 0x8004587d, $flags) or die $!;
  print "out\\n";
`;

/** A disk that loses its power: ext4 on a file, by a loop device, mounted at `dir`. All of it takes root. */
export class PoweredDisk {
  readonly dir: string;
  readonly #image: string;
  readonly #device: string;
  #plug: ChildProcess | undefined;

  /** Why there can be none here; nothing where there can. */
  static impossible(): string | undefined {
    if (process.getuid?.() !== 0) return 'mounting takes root';
    const program = missing(['mke2fs', 'losetup', 'mount', 'perl', 'e2fsck']);
    if (program !== undefined) return `there is no ${program}`;
    try {
      execFileSync('losetup', ['-f'], { stdio: 'ignore' });
    } catch {
      return 'there is no loop device';
    }
    return undefined;
  }

  constructor(dir: string, image: string, mebibytes = 64) {
    this.dir = dir;
    this.#image = image;
    mkdirSync(dir, { recursive: true });
    writeFileSync(image, '');
    truncateSync(image, mebibytes * 2 ** 20);
    execFileSync('mke2fs', ['-q', '-F', '-t', 'ext4', image]);
    this.#device = execFileSync('losetup', ['-f', '--show', image], { encoding: 'utf8' }).trim();
  }

  /** Mounts it; the file system takes from its log what reached the disk. */
  async on(): Promise<void> {
    execFileSync('mount', ['-t', 'ext4', this.#device, this.dir]);
    // A state directory is its owner's alone, and one with lost+found in it is not closed by the terminal.
    chmodSync(this.dir, 0o700);
    const waiting = spawn('perl', ['-e', plug, this.dir], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#plug = waiting;
    await said(waiting);
  }

  /**
   * The cut itself, under `writer`, which is left standing: with the power its processor goes as well. Left running, it would hear
   * of success from an fsync that was under way: Linux 6.18 lets some of them succeed though nothing is written any more.
   */
  async cut(writer: Pick<ChildProcess, 'kill'>): Promise<void> {
    const waiting = this.#plug;
    if (!waiting) throw new Error('the disk has no power');
    writer.kill('SIGSTOP');
    const out = said(waiting);
    waiting.stdin?.write('\n');
    await out;
    await this.#unplugged();
  }

  async off(): Promise<void> {
    await this.#unplugged();
    await unmount(this.dir);
  }

  /** What e2fsck finds wrong with it, unmounted; empty where nothing is. */
  faults(): string {
    try {
      execFileSync('e2fsck', ['-fn', this.#device], { stdio: 'pipe' });
      return '';
    } catch (error) {
      return String((error as { stdout?: unknown }).stdout);
    }
  }

  remove(): void {
    this.#plug?.kill('SIGKILL');
    unmountAnyway(this.dir);
    execFileSync('losetup', ['-d', this.#device]);
    rmSync(this.#image);
  }

  async #unplugged(): Promise<void> {
    const waiting = this.#plug;
    this.#plug = undefined;
    if (!waiting || waiting.exitCode !== null) return;
    const exited = once(waiting, 'exit');
    waiting.stdin?.end();
    await exited;
  }
}

async function said(waiting: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const ended = () => reject(new Error('the power could not be cut'));
  waiting.stdout?.once('data', () => resolve());
  // 'exit' may come before what it said last.
  waiting.once('close', ended);
  await promise.finally(() => waiting.off('close', ended));
}
