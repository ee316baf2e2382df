import fs from 'node:fs';
import { Descriptor, type PolledPort } from './descriptor.ts';
import { assertMeant, type Identity } from './identity.ts';
import { type Channel, type ChannelEnds, Line, type LineOptions, type Wire } from './line.ts';
import type { Transport } from './transport.ts';

export interface SerialOptions extends LineOptions {
  readonly baudRate: number;
  /** Set if one of several equal devices is required at the path. */
  readonly identity?: Identity;
}

/** 8N1: start bit, eight data bits, stop bit. */
const bitsPerByte = 10;

/** A serial line, raw, 8 data bits, no parity, 1 stop bit, no flow control; see Line. */
export function openSerial(options: SerialOptions): Transport {
  return new Line(options, serialWire(options));
}

export function serialWire(options: SerialOptions): Wire {
  return {
    open: (ends) => openSerialChannel(options, ends),
    wireMs: (bytes) => wireMs(bytes, options.baudRate),
  };
}

export function wireMs(bytes: number, baudRate: number): number {
  return (bytes * bitsPerByte * 1_000) / baudRate;
}

/** An opened port of the binding. */
export interface Port extends PolledPort {
  /** Discards received and unsent bytes. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

async function openSerialChannel(options: SerialOptions, { onData, onEnd }: ChannelEnds): Promise<Channel> {
  const port = await openPort(options);
  const descriptor = new Descriptor(port, { onData, onEnd: () => onEnd('the device vanished') });
  return {
    oneWay: false,
    write: (bytes, taken) => descriptor.write(bytes, taken),
    close: (stuck) => {
      descriptor.end();
      return closePort(port, stuck);
    },
  };
}

/**
 * Rejects with the binding's error. Discards bytes that arrived earlier: they belong to an earlier user of the line.
 */
export async function openPort({ path, baudRate, identity }: SerialOptions): Promise<Port> {
  // Checked before it is opened, because opening another device would disturb it.
  if (identity) assertMeant(path, fs.statSync(path).rdev, identity);
  // Loaded when first used: a terminal without a serial device never loads the native addon.
  const { default: serialport } = await import('serialport');
  const port = await serialport.SerialPort.binding.open({
    path,
    baudRate,
    dataBits: 8,
    parity: 'none',
    stopBits: 1,
    // Closing must not drop DTR: readers and printers take that for a reset, even in the middle of their work.
    hupcl: false,
  });
  try {
    if (!('poller' in port) || port.fd === null) throw new Error('serial devices need Linux');
    // The link may have led to another device meanwhile.
    if (identity) assertMeant(path, fs.fstatSync(port.fd).rdev, identity);
    await port.flush();
    return port;
  } catch (error) {
    await port.close();
    throw error;
  }
}

/** Never rejects: a port that can't be closed was closed already. */
export async function closePort(port: Port, flush: boolean): Promise<void> {
  // Bytes that the device does not take would delay close(2) (the kernel's closing_wait, 30 s).
  if (flush) await port.flush().catch(() => {});
  await port.close().catch(() => {});
}
