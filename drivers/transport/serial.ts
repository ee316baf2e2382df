import { systemClock, type Clock } from '../../src/ports/clock.ts';
import { DeviceError, type DeviceState } from '../../src/ports/device.ts';
import { Descriptor, type PolledPort } from './descriptor.ts';
import { PendingWrites } from './pending-writes.ts';
import { Reconnection, type ReconnectionOptions } from './reconnection.ts';
import type { Transport } from './transport.ts';

export interface SerialOptions extends Partial<ReconnectionOptions> {
  /** As configured: /dev/ttyACM0, or a stable link to it. The driver never searches for other devices. */
  readonly path: string;
  readonly baudRate: number;
  /** For one write, in addition to the time that its bytes and those queued before it take on the wire. */
  readonly writeTimeoutMs?: number;
}

const defaults: { readonly clock: Clock; readonly reconnectMs: number; readonly writeTimeoutMs: number } = {
  clock: systemClock,
  reconnectMs: 1_000,
  writeTimeoutMs: 5_000,
};

/** About ten receipts as pictures. A longer queue means that the device takes no bytes. */
const queuedBytesMax = 1024 * 1024;

/** 8N1: start bit, eight data bits, stop bit. */
const bitsPerByte = 10;

/**
 * A serial line, raw, 8 data bits, no parity, 1 stop bit, no flow control. It opens the path, and tries again whenever
 * the device is absent or has vanished, until it is closed. Never throws and never has an unhandled rejection.
 */
export function openSerial(options: SerialOptions): Transport {
  return new SerialLine(options);
}

/** An opened port of the binding. */
interface Port extends PolledPort {
  /** Discards received and unsent bytes. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

interface OpenLine {
  readonly port: Port;
  readonly descriptor: Descriptor;
}

class SerialLine implements Transport {
  readonly path: string;
  readonly #options: SerialOptions & typeof defaults;
  readonly #reconnection: Reconnection;
  readonly #dataListeners = new Set<(chunk: Uint8Array) => void>();
  readonly #writes: PendingWrites;
  #line: OpenLine | undefined;
  /** Settles when the port that was used last is closed. */
  #closing: Promise<void> = Promise.resolve();

  constructor(options: SerialOptions) {
    this.path = options.path;
    this.#options = { ...defaults, ...options };
    this.#writes = new PendingWrites(this.path, this.#options.clock);
    this.#reconnection = new Reconnection(this.path, this.#options, () => this.#connect());
    this.#reconnection.start();
  }

  get state(): DeviceState {
    return this.#reconnection.state;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    return this.#reconnection.onState(listener);
  }

  onData(listener: (chunk: Uint8Array) => void): () => void {
    this.#dataListeners.add(listener);
    return () => this.#dataListeners.delete(listener);
  }

  /** Rejects with DeviceError 'absent', 'vanished', or 'refused' when the queue is full. */
  async write(bytes: Uint8Array): Promise<void> {
    const line = this.#line;
    if (!line) throw new DeviceError('absent', `nothing at ${this.path}`);
    const queuedBytes = this.#writes.bytes + bytes.length;
    if (queuedBytes > queuedBytesMax) throw new DeviceError('refused', `the queue for ${this.path} is full`);
    let taken = () => {};
    if (line.descriptor.write(bytes, () => taken())) return;
    if (this.#line !== line) throw this.#writes.vanishedError();
    const wireMs = (queuedBytes * bitsPerByte * 1_000) / this.#options.baudRate;
    await this.#writes.add(
      bytes.length,
      this.#options.writeTimeoutMs + Math.ceil(wireMs),
      () => this.#drop(line, 'the device takes no more bytes', true),
      (finish) => {
        taken = finish;
      },
    );
  }

  async close(): Promise<void> {
    await this.#reconnection.close(async () => {
      if (this.#line) this.#drop(this.#line, 'closed', false);
      await this.#closing;
    });
    this.#dataListeners.clear();
  }

  async #connect(): Promise<void> {
    let port: Port;
    try {
      port = await openPort(this.#options);
    } catch (error) {
      this.#reconnection.handleLoss(error instanceof Error ? error.message : 'it can’t be opened');
      return;
    }
    const descriptor = new Descriptor(port, {
      onData: (chunk) => {
        for (const listener of this.#dataListeners) listener(chunk);
      },
      onEnd: () => this.#drop(line, 'the device vanished', false),
    });
    const line: OpenLine = { port, descriptor };
    this.#line = line;
    this.#reconnection.handleOpening();
  }

  /** Closes the port and stops using it at once. Only `close` waits until its driver has finished. */
  #drop(line: OpenLine, reason: string, flush: boolean): void {
    if (this.#line !== line) return;
    this.#line = undefined;
    line.descriptor.end();
    this.#closing = closePort(line.port, flush);
    this.#writes.fail();
    this.#reconnection.handleLoss(reason);
  }
}

/**
 * Rejects with the binding's error. Discards bytes that arrived earlier: they belong to an earlier user of the line.
 */
async function openPort({ path, baudRate }: SerialOptions): Promise<Port> {
  // Loaded when first used: a terminal without a serial device never loads the native addon.
  const { SerialPort } = await import('serialport');
  const port = await SerialPort.binding.open({
    path,
    baudRate,
    dataBits: 8,
    parity: 'none',
    stopBits: 1,
    // Closing must not drop DTR: readers and printers take that for a reset, even in the middle of their work.
    hupcl: false,
  });
  try {
    if (!('poller' in port)) throw new Error('serial devices need Linux');
    await port.flush();
    return port;
  } catch (error) {
    await port.close();
    throw error;
  }
}

/** Never rejects: a port that can't be closed was closed already. */
async function closePort(port: Port, flush: boolean): Promise<void> {
  // Bytes that the device does not take would delay close(2) (the kernel's closing_wait, 30 s).
  if (flush) await port.flush().catch(() => {});
  await port.close().catch(() => {});
}
