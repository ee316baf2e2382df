import fs from 'node:fs';
import { promisify } from 'node:util';
import { AbsenceError } from './absence.ts';

/** The system calls on the printer's device; each throws or rejects with an error that has a `code`. */
export interface PrinterFile {
  open(path: string): Promise<number>;
  read(fd: number, into: Uint8Array): number;
  write(fd: number, bytes: Uint8Array): number;
  close(fd: number): Promise<void>;
}

/** The kernel's number of USB devices that have a driver of their own (admin-guide/devices.txt, 180 char). */
const usbMajor = 180;

/** Whether the path is a printer of the USB class now. False if nothing is there. */
export function isUsbPrinter(path: string, read: StatReader = fs.statSync): boolean {
  const stat = read(path, { throwIfNoEntry: false });
  return stat?.isCharacterDevice() === true && majorOf(stat.rdev) === usbMajor;
}

type StatReader = (
  path: string,
  options: { readonly throwIfNoEntry: false },
) => Pick<fs.Stats, 'isCharacterDevice' | 'rdev'> | undefined;

/** The bits of a device number that glibc's gnu_dev_major uses. */
function majorOf(rdev: number): number {
  return (rdev >>> 8) & 0xfff;
}

const openFile = promisify(fs.open);
const closeFile = promisify(fs.close);

export const systemFile: PrinterFile = {
  async open(path) {
    // In the thread pool: the kernel may have to wake the printer.
    const fd = await openFile(path, fs.constants.O_RDWR | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY);
    if (fs.fstatSync(fd).isCharacterDevice()) return fd;
    await closeFile(fd);
    throw new AbsenceError('wrongDevice', 'not a device of the kernel');
  },
  read: (fd, into) => fs.readSync(fd, into, 0, into.length, null),
  write: (fd, bytes) => fs.writeSync(fd, bytes),
  close: (fd) => closeFile(fd),
};
