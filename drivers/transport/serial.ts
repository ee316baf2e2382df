import type { Clock } from '../../src/ports/clock.ts';
import { DeviceError, type DeviceState } from '../../src/ports/device.ts';
import { Descriptor, type PolledPort } from './descriptor.ts';
import type { Transport } from './transport.ts';

export interface SerialOptions {
  /** Configured, never searched for: /dev/ttyACM0, or a stable link to it. */
  readonly path: string;
  readonly baudRate: number;
  /** Between two attempts to open the path. */
  readonly reconnectMs?: number;
  /** For one write, on top of the time that its bytes and those before it take on the wire. */
  readonly writeTimeoutMs?: number;
  readonly clock?: Clock;
  /** Why the path can't be opened, or went: for the log. Not called again while the reason stays the same. */
  readonly onFault?: (error: DeviceError) => void;
}

const defaults = { reconnectMs: 1_000, writeTimeoutMs: 5_000 } as const;

/** Some ten receipts as pictures. More than that waiting means that nobody takes it. */
const queuedBytesMax = 1024 * 1024;

/** 8N1: start bit, eight data bits, stop bit. */
const bitsPerByte = 10;

const wallClock: Clock = {
  now: () => new Date(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout | undefined),
};

/**
 * A serial line, raw, 8 data bits, no parity, 1 stop bit, no flow control. It opens the path, and again whenever the
 * device has gone or was not there yet, until it is closed. Never throws and never has an unhandled rejection.
 */
export function openSerial(options: SerialOptions): Transport {
  return new SerialLine(options);
}

interface PendingWrite {
  readonly bytes: number;
  readonly fail: (error: DeviceError) => void;
}

/** An opened port, as the binding has it. */
interface Port extends PolledPort {
  /** Throws away what came and what is still to go. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

interface OpenLine {
  readonly port: Port;
  readonly descriptor: Descriptor;
}

class SerialLine implements Transport {
  readonly path: string;
  readonly #options: SerialOptions & Record<keyof typeof defaults, number>;
  readonly #clock: Clock;
  readonly #stateListeners = new Set<(state: DeviceState) => void>();
  readonly #dataListeners = new Set<(chunk: Uint8Array) => void>();
  readonly #writes = new Set<PendingWrite>();
  #state: DeviceState = 'connecting';
  #line: OpenLine | undefined;
  #connecting: Promise<void>;
  /** Settles when the port that was used last is closed. */
  #closing: Promise<void> = Promise.resolve();
  #timer: unknown;
  #fault = '';
  #closed = false;

  constructor(options: SerialOptions) {
    this.path = options.path;
    this.#options = { ...defaults, ...options };
    this.#clock = options.clock ?? wallClock;
    this.#connecting = this.#connect();
  }

  get state(): DeviceState {
    return this.#state;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  onData(listener: (chunk: Uint8Array) => void): () => void {
    this.#dataListeners.add(listener);
    return () => this.#dataListeners.delete(listener);
  }

  /** Besides 'absent' and 'vanished': 'refused' when more is waiting than a line can be behind with. */
  async write(bytes: Uint8Array): Promise<void> {
    const line = this.#line;
    if (!line) throw new DeviceError('absent', `nothing at ${this.path}`);
    let queuedBytes = bytes.length;
    for (const write of this.#writes) queuedBytes += write.bytes;
    if (queuedBytes > queuedBytesMax) throw new DeviceError('refused', `too much is waiting for ${this.path}`);
    let taken = () => {};
    if (line.descriptor.write(bytes, () => taken())) return;
    if (this.#line !== line) throw this.#vanished();
    const wireMs = (queuedBytes * bitsPerByte * 1_000) / this.#options.baudRate;
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: DeviceError) => {
        if (!this.#writes.delete(write)) return;
        this.#clock.clearTimeout(timer);
        if (error) reject(error);
        else resolve();
      };
      const write: PendingWrite = { bytes: bytes.length, fail: settle };
      const timer = this.#clock.setTimeout(
        () => this.#drop(line, 'the device takes no more bytes', true),
        this.#options.writeTimeoutMs + Math.ceil(wireMs),
      );
      this.#writes.add(write);
      taken = settle;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#clock.clearTimeout(this.#timer);
    await this.#connecting;
    if (this.#line) this.#drop(this.#line, 'closed', false);
    await this.#closing;
    this.#become('absent');
    this.#stateListeners.clear();
    this.#dataListeners.clear();
  }

  async #connect(): Promise<void> {
    let port: Port;
    try {
      port = await openPort(this.#options);
    } catch (error) {
      this.#retry(error instanceof Error ? error.message : 'it can not be opened');
      return;
    }
    const descriptor = new Descriptor(port, {
      onData: (chunk) => {
        for (const listener of this.#dataListeners) listener(chunk);
      },
      onEnd: () => this.#drop(line, 'the device went', false),
    });
    const line: OpenLine = { port, descriptor };
    this.#line = line;
    if (this.#closed) return;
    this.#fault = '';
    this.#become('ready');
  }

  /** Closes the port, and is done with it at once: whatever its driver still does, nobody but `close` waits for it. */
  #drop(line: OpenLine, reason: string, flush: boolean): void {
    if (this.#line !== line) return;
    this.#line = undefined;
    line.descriptor.end();
    this.#closing = closedPort(line.port, flush);
    for (const write of this.#writes) write.fail(this.#vanished());
    this.#retry(reason);
  }

  #retry(reason: string): void {
    this.#become('absent');
    if (this.#closed) return;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#clock.setTimeout(() => {
      this.#connecting = this.#connect();
    }, this.#options.reconnectMs);
    if (reason === this.#fault) return;
    this.#fault = reason;
    this.#options.onFault?.(new DeviceError('absent', `${this.path}: ${reason}`));
  }

  #vanished(): DeviceError {
    return new DeviceError('vanished', `${this.path} went during a write`);
  }

  #become(state: DeviceState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#stateListeners) listener(state);
  }
}

/** Rejects with the binding's error. What had arrived before is thrown away: it was meant for somebody else. */
async function openPort({ path, baudRate }: SerialOptions): Promise<Port> {
  // Loaded when first used: a terminal without a serial device never loads the native addon.
  const { SerialPort } = await import('serialport');
  const port = await SerialPort.binding.open({
    path,
    baudRate,
    dataBits: 8,
    parity: 'none',
    stopBits: 1,
    // Closing must not drop DTR: readers and printers take that for a reset, also in the middle of their work.
    hupcl: false,
  });
  try {
    if (!('poller' in port)) throw new Error('serial devices are for Linux');
    await port.flush();
    return port;
  } catch (error) {
    await port.close();
    throw error;
  }
}

/** Never rejects: what can't be closed was closed already, and that was the point. */
async function closedPort(port: Port, flush: boolean): Promise<void> {
  // Bytes that nobody takes would keep close(2) waiting (the kernel's closing_wait, 30 s).
  if (flush) await port.flush().catch(() => {});
  await port.close().catch(() => {});
}
