import type { SerialPort } from 'serialport';
import type { Clock } from '../../src/ports/clock.ts';
import { DeviceError, type DeviceState } from '../../src/ports/device.ts';
import { endAtHangUp } from './hang-up.ts';
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

class SerialLine implements Transport {
  readonly path: string;
  readonly #options: SerialOptions & Record<keyof typeof defaults, number>;
  readonly #clock: Clock;
  readonly #stateListeners = new Set<(state: DeviceState) => void>();
  readonly #dataListeners = new Set<(chunk: Uint8Array) => void>();
  readonly #writes = new Set<PendingWrite>();
  #state: DeviceState = 'connecting';
  #port: SerialPort | undefined;
  #connecting: Promise<void>;
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
    const port = this.#port;
    if (!port) throw new DeviceError('absent', `nothing at ${this.path}`);
    let queuedBytes = bytes.length;
    for (const write of this.#writes) queuedBytes += write.bytes;
    if (queuedBytes > queuedBytesMax) throw new DeviceError('refused', `too much is waiting for ${this.path}`);
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
        () => this.#drop(port, 'the device takes no more bytes', true),
        this.#options.writeTimeoutMs + Math.ceil(wireMs),
      );
      this.#writes.add(write);
      // A copy: the caller may use its bytes again before they are gone.
      port.write(Buffer.from(bytes), (error) => {
        if (error) this.#drop(port, 'the device went', false);
        else settle();
      });
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#clock.clearTimeout(this.#timer);
    await this.#connecting;
    const port = this.#port;
    if (port) {
      const closed = new Promise<void>((resolve) => port.once('close', () => resolve()).once('error', () => resolve()));
      this.#drop(port, 'closed', false);
      await closed;
    }
    this.#become('absent');
    this.#stateListeners.clear();
    this.#dataListeners.clear();
  }

  async #connect(): Promise<void> {
    let port: SerialPort;
    try {
      port = await openPort(this.#options);
    } catch (error) {
      this.#retry(error instanceof Error ? error.message : 'it can not be opened');
      return;
    }
    this.#port = port;
    port.on('close', () => this.#lost(port, 'the device went'));
    port.on('error', () => {
      if (!port.isOpen) this.#lost(port, 'the device went');
    });
    // Without a listener for data the port does not read, and then does not notice that the device has gone.
    port.on('data', (chunk: Buffer) => {
      if (this.#port === port) for (const listener of this.#dataListeners) listener(chunk);
    });
    if (this.#closed) return;
    this.#fault = '';
    this.#become('ready');
  }

  /** Closes the port, and is done with it at once: whatever its driver still does, nobody waits for it. */
  #drop(port: SerialPort, reason: string, flush: boolean): void {
    const close = () => {
      port.close(() => {}); // Closed already: then that was the point.
    };
    // Bytes that nobody takes would keep close(2) waiting (the kernel's closing_wait, 30 s).
    if (flush && port.isOpen) port.flush(close);
    else close();
    this.#lost(port, reason);
  }

  #lost(port: SerialPort, reason: string): void {
    if (this.#port !== port) return;
    this.#port = undefined;
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
async function openPort({ path, baudRate }: SerialOptions): Promise<SerialPort> {
  // Loaded when first used: a terminal without a serial device never loads the native addon.
  const { SerialPort } = await import('serialport');
  const port = new SerialPort({
    path,
    baudRate,
    dataBits: 8,
    parity: 'none',
    stopBits: 1,
    autoOpen: false,
    // Closing must not drop DTR: readers and printers take that for a reset, also in the middle of their work.
    hupcl: false,
  });
  port.on('error', () => {}); // Each failure is told to a callback as well; without a listener it would end the process.
  await new Promise<void>((resolve, reject) => port.open((error) => (error ? reject(error) : resolve())));
  endAtHangUp(port.port);
  await new Promise<void>((resolve, reject) => {
    port.flush((error) => {
      if (!error) resolve();
      else port.close(() => reject(error));
    });
  });
  return port;
}
