import type { Clock } from '../../src/ports/clock.ts';
import { DeviceError, type DeviceState } from '../../src/ports/device.ts';
import { reportBytes, type ReportTransport } from './reports.ts';

/** Configured, never searched for: a hidraw node or a stable link to it, or the numbers of the one such device. */
export type HidAddress = { readonly path: string } | { readonly vendorId: number; readonly productId: number };

export interface HidOptions {
  readonly address: HidAddress;
  /**
   * 'none': the device numbers no reports, and 00 goes before each in the place of the number (hidapi, hid_write). 'first': the
   * first of the 64 bytes is the number.
   */
  readonly reportId: 'none' | 'first';
  /** Between two attempts to open the device. */
  readonly reconnectMs?: number;
  readonly writeTimeoutMs?: number;
  readonly clock?: Clock;
  /** Why the device can't be opened, or went: for the log. Not called again while the reason stays the same. */
  readonly onFault?: (error: DeviceError) => void;
  /** The binding, or what stands in for it. */
  readonly load?: () => Promise<HidBinding>;
}

/** What of node-hid 3 is used: the asynchronous half alone, the other one blocks the loop. */
export interface HidBinding {
  readonly HIDAsync: {
    open(path: string): Promise<HidHandle>;
    open(vendorId: number, productId: number): Promise<HidHandle>;
  };
}

export interface HidHandle {
  on(event: 'data', listener: (report: Uint8Array) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  write(bytes: Buffer): Promise<number>;
  close(): Promise<void>;
}

const defaults = { reconnectMs: 1_000, writeTimeoutMs: 5_000 } as const;

/** The longest message of any driver, several times. More than that waiting means that nobody takes it. */
const queuedReportsMax = 256;

const wallClock: Clock = {
  now: () => new Date(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout | undefined),
};

/**
 * A HID device with reports of 64 bytes. It opens the device, and again whenever that has gone or was not there yet, until it is
 * closed. Never throws and never has an unhandled rejection. Unverified on hardware.
 */
export function openHid(options: HidOptions): ReportTransport {
  return new HidLine(options);
}

interface PendingWrite {
  readonly fail: (error: DeviceError) => void;
}

class HidLine implements ReportTransport {
  readonly path: string;
  readonly #options: HidOptions & Record<keyof typeof defaults, number>;
  readonly #clock: Clock;
  readonly #stateListeners = new Set<(state: DeviceState) => void>();
  readonly #reportListeners = new Set<(report: Uint8Array) => void>();
  readonly #writes = new Set<PendingWrite>();
  #state: DeviceState = 'connecting';
  #device: HidHandle | undefined;
  #connecting: Promise<void>;
  #timer: unknown;
  #fault = '';
  #closed = false;

  constructor(options: HidOptions) {
    const { address } = options;
    this.path = 'path' in address ? address.path : `${hex(address.vendorId)}:${hex(address.productId)}`;
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

  onReport(listener: (report: Uint8Array) => void): () => void {
    this.#reportListeners.add(listener);
    return () => this.#reportListeners.delete(listener);
  }

  /** Besides 'absent' and 'vanished': 'refused' when more is waiting than a device can be behind with. */
  async write(report: Uint8Array): Promise<void> {
    if (report.length !== reportBytes) throw new RangeError(`a report of ${report.length} bytes`);
    const device = this.#device;
    if (!device || this.#state !== 'ready') throw new DeviceError('absent', `nothing at ${this.path}`);
    if (this.#writes.size >= queuedReportsMax) {
      throw new DeviceError('refused', `too much is waiting for ${this.path}`);
    }
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: DeviceError) => {
        if (!this.#writes.delete(write)) return;
        this.#clock.clearTimeout(timer);
        if (error) reject(error);
        else resolve();
      };
      const write: PendingWrite = { fail: settle };
      const timer = this.#clock.setTimeout(
        () => void this.#drop(device, 'the device takes no more reports'),
        this.#options.writeTimeoutMs,
      );
      this.#writes.add(write);
      const numbered = this.#options.reportId === 'none' ? [Uint8Array.of(0x00), report] : [report];
      // A copy: the caller may use its bytes again before they are gone.
      device.write(Buffer.concat(numbered)).then(
        () => settle(),
        () => this.#drop(device, 'the device went'),
      );
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#clock.clearTimeout(this.#timer);
    await this.#connecting;
    const device = this.#device;
    if (device) await this.#drop(device, 'closed');
    this.#become('absent');
    this.#stateListeners.clear();
    this.#reportListeners.clear();
  }

  async #connect(): Promise<void> {
    let device: HidHandle;
    try {
      device = await this.#open();
    } catch (error) {
      this.#retry(error instanceof Error ? error.message : 'it can not be opened');
      return;
    }
    this.#device = device;
    let failed = false;
    device.on('error', () => {
      failed = true;
      void this.#drop(device, 'the device went');
    });
    device.on('data', (report) => this.#received(device, report));
    // The binding begins to read in the next tick, and throws where nobody catches it when it is closed by then.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#closed || failed) return;
    this.#fault = '';
    this.#become('ready');
  }

  async #open(): Promise<HidHandle> {
    const { address, load = loadBinding } = this.#options;
    const { HIDAsync } = await load();
    return 'path' in address ? HIDAsync.open(address.path) : HIDAsync.open(address.vendorId, address.productId);
  }

  #received(device: HidHandle, bytes: Uint8Array): void {
    // Another length is a report of another kind than the drivers know.
    if (this.#device !== device || this.#state !== 'ready' || bytes.length !== reportBytes) return;
    const report = Uint8Array.from(bytes);
    bytes.fill(0);
    for (const listener of this.#reportListeners) listener(report);
  }

  /** Is done with the device at once: whatever its closing takes, only `close` waits for it, and not for ever. */
  async #drop(device: HidHandle, reason: string): Promise<void> {
    if (this.#device !== device) return;
    this.#device = undefined;
    for (const write of this.#writes) write.fail(new DeviceError('vanished', `${this.path} went during a write`));
    const closed = device.close().catch(() => {}); // Gone already: then that was the point.
    this.#retry(reason);
    let timer: unknown;
    const deadline = new Promise<void>((resolve) => {
      timer = this.#clock.setTimeout(resolve, this.#options.writeTimeoutMs);
    });
    await Promise.race([closed, deadline]);
    this.#clock.clearTimeout(timer);
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

  #become(state: DeviceState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#stateListeners) listener(state);
  }
}

/** Loaded when first used: a terminal without a HID device never loads the native addon. */
function loadBinding(): Promise<HidBinding> {
  return import('node-hid');
}

/** Four hex digits, as a vendor or product id is written. */
function hex(id: number): string {
  return id.toString(16).padStart(4, '0');
}
