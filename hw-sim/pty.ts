import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { lstat, mkdir, readlink, rename, symlink, unlink } from 'node:fs/promises';
import path from 'node:path';
import { once } from 'node:events';
import tty from 'node:tty';

/** The device's end of a serial wire: a pseudo-terminal whose other end can be opened at `link`, like /dev/ttyACM0. */
export interface Pty {
  /** Absolute path of a symbolic link that stays the same across `unplug` and `plug`. */
  readonly link: string;
  /**
   * Never waits. If nothing reads the other end, the kernel keeps up to about 64 KiB for the next process that opens
   * it, like a USB adapter's buffer. Further bytes are lost.
   */
  write(bytes: Uint8Array): void;
  onData(listener: (chunk: Buffer) => void): void;
  readonly plugged: boolean;
  /** The device vanishes: a process that has the other end open sees a hangup, and the link is removed. */
  unplug(): Promise<void>;
  /** The device comes back under the same link. */
  plug(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a pseudo-terminal and publishes it under `link`, replacing a link that an earlier process left behind. */
export async function openPty(link: string): Promise<Pty> {
  const pty = new PtyDevice(path.resolve(link));
  await pty.plug();
  return pty;
}

class PtyDevice implements Pty {
  readonly link: string;
  readonly #listeners: ((chunk: Buffer) => void)[] = [];
  #wire: Wire | undefined;
  #closed = false;
  /** Calls of plug and unplug run one after the other, in order. */
  #last: Promise<void> = Promise.resolve();

  constructor(link: string) {
    this.link = link;
  }

  get plugged(): boolean {
    return this.#wire !== undefined;
  }

  write(bytes: Uint8Array): void {
    this.#wire?.write(bytes);
  }

  onData(listener: (chunk: Buffer) => void): void {
    this.#listeners.push(listener);
  }

  plug(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#closed) throw new Error(`${this.link} is closed`);
      if (this.#wire !== undefined) return;
      const wire = await openWire((chunk) => {
        for (const listener of this.#listeners) listener(chunk);
      });
      try {
        await publish(wire.slavePath, this.link);
      } catch (error) {
        await wire.close();
        throw error;
      }
      this.#wire = wire;
    });
  }

  unplug(): Promise<void> {
    return this.#inTurn(() => this.#remove());
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      this.#closed = true;
      await this.#remove();
    });
  }

  async #remove(): Promise<void> {
    const wire = this.#wire;
    if (wire === undefined) return;
    this.#wire = undefined;
    await withdraw(wire.slavePath, this.link);
    await wire.close();
  }

  #inTurn(action: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(action);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/** One pair of master and slave; a pseudo-terminal can't be plugged in again, so each `plug` has its own. */
interface Wire {
  readonly slavePath: string;
  write(bytes: Uint8Array): void;
  close(): Promise<void>;
}

async function openWire(onData: (chunk: Buffer) => void): Promise<Wire> {
  const { O_RDWR, O_NOCTTY, O_NONBLOCK } = fs.constants;
  const master = fs.openSync('/dev/ptmx', O_RDWR | O_NOCTTY | O_NONBLOCK);
  let slave: number | undefined;
  try {
    await unlock(master);
    const slavePath = `/dev/pts/${ptyNumber(master)}`;
    // Kept open: without any slave open, reads of the master fail with EIO, and between two clients there is none.
    slave = fs.openSync(slavePath, O_RDWR | O_NOCTTY);
    return wireOf(master, slave, slavePath, onData);
  } catch (error) {
    if (slave !== undefined) fs.closeSync(slave);
    fs.closeSync(master);
    throw error;
  }
}

function wireOf(master: number, slave: number, slavePath: string, onData: (chunk: Buffer) => void): Wire {
  const input = new tty.ReadStream(master);
  let open = true;
  input.on('data', onData);
  // EIO when the pair is closed; no action is needed.
  input.on('error', () => undefined);
  return {
    slavePath,
    write(bytes) {
      if (open) writeAsMuchAsFits(master, bytes);
    },
    async close() {
      open = false;
      if (!input.closed) {
        const closed = once(input, 'close');
        input.destroy();
        await closed;
      }
      fs.closeSync(slave);
    },
  };
}

function writeAsMuchAsFits(master: number, bytes: Uint8Array): void {
  let written = 0;
  try {
    while (written < bytes.length) written += fs.writeSync(master, bytes, written);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EAGAIN' && code !== 'EIO') throw error;
  }
}

/** Reads the number from /proc(5) fdinfo, which replaces the ioctl TIOCGPTN. */
function ptyNumber(master: number): string {
  const number = /^tty-index:\s*(\d+)$/m.exec(fs.readFileSync(`/proc/self/fdinfo/${master}`, 'utf8'))?.[1];
  if (number === undefined) throw new Error('/dev/ptmx gave a file that is no pseudo-terminal');
  return number;
}

/**
 * Unlocks a new slave (TIOCSPTLCK with 0, as unlockpt(3) does) and makes it raw without echo (TCSETS of the master sets
 * the slave): bytes that nothing reads must not come back to the device as input. Node has no ioctl; perl has, and is
 * on every Debian. The numbers are those of <asm-generic/ioctls.h> and <asm-generic/termbits.h>.
 */
const unlockRaw = `
  open(my $master, "+<&=", 3) or die $!;
  my $off = pack("i", 0);
  ioctl($master, 0x40045431, $off) or die $!;
  my $termios = "\\0" x 64;
  ioctl($master, 0x5401, $termios) or die $!;
  my (undef, $output, $control) = unpack("L3", $termios);
  substr($termios, 0, 16) = pack("L4", 0, $output & ~1, $control & ~0x130 | 0x30, 0);
  substr($termios, 22, 2) = pack("C2", 0, 1);
  ioctl($master, 0x5402, $termios) or die $!;
`;

function unlock(master: number): Promise<void> {
  return run('perl', ['-e', unlockRaw], ['ignore', 'ignore', 'pipe', master]);
}

async function run(command: string, parameters: string[], stdio: ('ignore' | 'pipe' | number)[]): Promise<void> {
  const child = spawn(command, parameters, { stdio });
  const complaint: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => complaint.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} failed: ${Buffer.concat(complaint).toString().trim()}`);
}

/** Replaces only a symbolic link, in one step: a client always sees the old or the new device. */
async function publish(slavePath: string, link: string): Promise<void> {
  await mkdir(path.dirname(link), { recursive: true });
  const old = await lstat(link).catch(() => undefined);
  if (old !== undefined && !old.isSymbolicLink()) throw new Error(`${link} is in the way and no link`);
  const fresh = `${link}.${randomUUID()}`;
  await symlink(slavePath, fresh);
  await rename(fresh, link);
}

/** Removes the link, unless another simulator has replaced it meanwhile. */
async function withdraw(slavePath: string, link: string): Promise<void> {
  const target = await readlink(link).catch(() => undefined);
  if (target === slavePath) await unlink(link);
}
