import { type FileHandle, open } from 'node:fs/promises';
import fs from 'node:fs';
import { ReportAssembler } from './assembler.ts';
import type { HidIdentity, ReportPort } from './port.ts';
import { createEvent, destroyEvent, eventBytesMax, inputEvent, readEvent, type UhidEvent } from './uhid-event.ts';

/** An open /dev/uhid: one write or read is one event. */
export interface UhidFile {
  write(event: Buffer): void;
  /** Waits in the kernel for the next event. */
  read(): Promise<Buffer>;
  close(): Promise<void>;
}

export async function openUhid(path: string): Promise<UhidFile> {
  const handle: FileHandle = await open(path, 'r+');
  return {
    write: (event) => void fs.writeSync(handle.fd, event),
    async read() {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(eventBytesMax));
      return buffer.subarray(0, bytesRead);
    },
    close: () => handle.close(),
  };
}

interface Device {
  readonly file: UhidFile;
  readonly ended: Promise<void>;
}

/**
 * A virtual HID device of the kernel. Tried by hand under Linux 6.1 in a guest: two of them at once, reports both ways,
 * unplugged and plugged in again, and the process ended by itself. A kernel without uhid tests the events alone.
 */
export class UhidReports implements ReportPort {
  readonly carrier = 'uhid';
  readonly description = 'a HID device of the kernel (/dev/uhid)';
  readonly link = undefined;
  readonly #identity: HidIdentity;
  readonly #open: () => Promise<UhidFile>;
  readonly #assembler = new ReportAssembler();
  readonly #reportListeners: ((report: Buffer) => void)[] = [];
  readonly #unexpectedListeners: ((bytes: Buffer) => void)[] = [];
  #device: Device | undefined;
  #closed = false;
  /** Calls of plug and unplug run one after the other, in order. */
  #last: Promise<void> = Promise.resolve();

  constructor(identity: HidIdentity, openFile: () => Promise<UhidFile>) {
    this.#identity = identity;
    this.#open = openFile;
  }

  get plugged(): boolean {
    return this.#device !== undefined;
  }

  write(bytes: Uint8Array): void {
    if (this.#device === undefined) return;
    for (const report of this.#assembler.push(bytes)) this.#device.file.write(inputEvent(report));
  }

  onReport(listener: (report: Buffer) => void): void {
    this.#reportListeners.push(listener);
  }

  onUnexpected(listener: (bytes: Buffer) => void): void {
    this.#unexpectedListeners.push(listener);
  }

  plug(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#closed) throw new Error('this HID device is closed');
      if (this.#device !== undefined) return;
      const file = await this.#open();
      try {
        file.write(createEvent(this.#identity));
      } catch (error) {
        await file.close();
        throw error;
      }
      this.#device = { file, ended: this.#listen(file) };
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

  /**
   * A read waits in the kernel and would keep the process alive. Destroying the device causes the event that ends it.
   */
  async #remove(): Promise<void> {
    const device = this.#device;
    if (device === undefined) return;
    this.#device = undefined;
    this.#assembler.abandon();
    device.file.write(destroyEvent());
    await device.ended;
    await device.file.close();
  }

  /** Ends with the device, or if its file can't be read any more: then the reader is unplugged. */
  async #listen(file: UhidFile): Promise<void> {
    for (;;) {
      const bytes = await file.read().catch(() => undefined);
      const event = bytes === undefined ? undefined : readEvent(bytes);
      if (event === undefined || event.kind === 'stop') return;
      this.#hear(event, file);
    }
  }

  #hear(event: UhidEvent, file: UhidFile): void {
    if (this.#device?.file !== file) return;
    const { kind } = event;
    switch (kind) {
      case 'output':
        for (const listener of this.#reportListeners) listener(event.report);
        return;
      case 'unexpected':
        for (const listener of this.#unexpectedListeners) listener(event.bytes);
        return;
      case 'ask':
        file.write(event.reply);
        return;
      case 'stop':
      case 'other':
        return;
      default:
        kind satisfies never;
    }
  }

  #inTurn(action: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(action);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
