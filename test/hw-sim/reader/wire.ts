import assert from 'node:assert/strict';
import type { Pty } from '../../../hw-sim/pty.ts';

/** A pty without a kernel: what the reader writes, and a hand to write to the reader. */
export class MemoryPty implements Pty {
  readonly link = '/nowhere';
  readonly #written: Buffer[] = [];
  readonly #listeners: ((chunk: Buffer) => void)[] = [];
  #plugged = true;

  get plugged(): boolean {
    return this.#plugged;
  }

  write(bytes: Uint8Array): void {
    if (this.#plugged) this.#written.push(Buffer.from(bytes));
  }

  onData(listener: (chunk: Buffer) => void): void {
    this.#listeners.push(listener);
  }

  unplug(): Promise<void> {
    this.#plugged = false;
    return Promise.resolve();
  }

  plug(): Promise<void> {
    this.#plugged = true;
    return Promise.resolve();
  }

  close(): Promise<void> {
    return this.unplug();
  }

  /** The driver sends bytes, given as hex with blanks. */
  send(text: string): void {
    const bytes = hex(text);
    for (const listener of this.#listeners) listener(bytes);
  }

  /** How many writes there were since the last `sent`. */
  get writes(): number {
    return this.#written.length;
  }

  /** Everything that the reader wrote since the last time, as hex. */
  sent(): string {
    const bytes = Buffer.concat(this.#written);
    this.#written.length = 0;
    return bytes.toString('hex');
  }
}

export interface Response {
  readonly command: string;
  readonly status: string;
  readonly data: Buffer;
}

/** Takes one response apart and checks that it is whole, by the layout of IDG p.28. */
export function response(text: string): Response {
  const bytes = hex(text);
  assert.equal(bytes.toString('latin1', 0, 10), 'ViVOtech2\0');
  const length = bytes.readUInt16BE(12);
  assert.equal(bytes.length, 14 + length + 2);
  assert.equal(bytes.readUInt16BE(14 + length), crc(bytes.subarray(0, 14 + length)));
  return {
    command: bytes.toString('hex', 10, 11),
    status: bytes.toString('hex', 11, 12),
    data: bytes.subarray(14, 14 + length),
  };
}

/** A command frame as hex: '02-40' and its data. */
export function command(name: string, data = ''): string {
  const payload = hex(data);
  const head = Buffer.concat([
    Buffer.from('ViVOtech2\0', 'latin1'),
    hex(name.replace('-', '')),
    Buffer.of(payload.length >> 8, payload.length & 0xff),
  ]);
  const body = Buffer.concat([head, payload]);
  const value = crc(body);
  return Buffer.concat([body, Buffer.of(value & 0xff, value >> 8)]).toString('hex');
}

/** The CRC as long division in integers: the remainder of the message, with its first 16 bits inverted, times x^16. */
export function crc(bytes: Buffer): number {
  const dividend = Buffer.concat([bytes, Buffer.alloc(2)]);
  dividend[0] = ~(dividend[0] ?? 0) & 0xff;
  dividend[1] = ~(dividend[1] ?? 0) & 0xff;
  let remainder = 0;
  for (const byte of dividend) {
    for (let bit = 7; bit >= 0; bit--) {
      remainder = (remainder << 1) | ((byte >> bit) & 1);
      if (remainder > 0xffff) remainder ^= 0x11021;
    }
  }
  return remainder;
}

export function hex(text: string): Buffer {
  const packed = text.replaceAll(' ', '');
  assert.match(packed, /^(?:[0-9a-fA-F]{2})*$/);
  return Buffer.from(packed, 'hex');
}
