import type { PrinterFile } from '../../../drivers/transport/usb-printer-file.ts';

/** What the system calls each error (strerror(3) as libuv words it). */
const words = {
  EAGAIN: 'resource temporarily unavailable',
  EBADF: 'bad file descriptor',
  EBUSY: 'resource busy or locked',
  EACCES: 'permission denied',
  EINVAL: 'invalid argument',
  EIO: 'i/o error',
  ENODEV: 'no such device',
  ENOENT: 'no such file or directory',
  EPERM: 'operation not permitted',
} as const;
type Code = keyof typeof words;

/** An error of a system call, as Node words it. */
function systemError(code: Code, call: string): Error {
  return Object.assign(new Error(`${code}: ${words[code]}, ${call}`), { code });
}

/**
 * A descriptor of /dev/usb/lp0 that behaves as the kernel's drivers/usb/class/usblp.c is written (Linux 6.1), opened
 * with O_NONBLOCK: it takes one transfer of at most 8 KiB whether the printer takes it or not, and says EAGAIN until
 * that has ended. A read without bytes says EAGAIN, and an empty packet of the printer is a read of 0 bytes. Without a
 * way back each read says EINVAL. After the plug is pulled reads and writes say ENODEV, EINVAL being the earlier check.
 */
export class ScriptedPrinterFile implements PrinterFile {
  /** Codes of the next openings; undefined opens. */
  openings: (Code | undefined)[] = [];
  oneWay = false;
  present = true;
  /** Whether the printer takes what is sent. */
  takes = true;
  /** Packets that the printer has sent. */
  readonly packets: Uint8Array[] = [];
  /** An error of the next read. */
  readFault: Code | undefined;
  /** All bytes that the printer has taken. */
  taken: number[] = [];
  readonly opened: string[] = [];
  readonly closed: number[] = [];
  reads = 0;
  #transfer: Uint8Array | undefined;

  async open(path: string): Promise<number> {
    this.opened.push(path);
    const code = this.openings.shift();
    if (code !== undefined) throw systemError(code, `open '${path}'`);
    this.#transfer = undefined;
    return 100 + this.opened.length;
  }

  read(fd: number, into: Uint8Array): number {
    this.#assertOpen(fd);
    this.reads++;
    if (this.oneWay) throw systemError('EINVAL', 'read');
    if (!this.present) throw systemError('ENODEV', 'read');
    if (this.readFault !== undefined) throw systemError(this.readFault, 'read');
    const packet = this.packets.shift();
    if (!packet) throw systemError('EAGAIN', 'read');
    into.set(packet);
    return packet.length;
  }

  write(fd: number, bytes: Uint8Array): number {
    this.#assertOpen(fd);
    if (!this.present) throw systemError('ENODEV', 'write');
    this.#endTransfer();
    if (this.#transfer) throw systemError('EAGAIN', 'write');
    if (bytes.length === 0) return 0;
    this.#transfer = bytes.slice(0, 8192);
    return this.#transfer.length;
  }

  async close(fd: number): Promise<void> {
    this.#assertOpen(fd);
    this.closed.push(fd);
    this.#transfer = undefined;
  }

  #endTransfer(): void {
    if (!this.takes || !this.#transfer) return;
    this.taken.push(...this.#transfer);
    this.#transfer = undefined;
  }

  #assertOpen(fd: number): void {
    if (fd !== 100 + this.opened.length || this.closed.includes(fd)) throw systemError('EBADF', 'read');
  }
}
