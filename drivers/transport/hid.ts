import { systemClock, type Clock } from '../../src/ports/clock.ts';
import { DeviceError, type DeviceState } from '../../src/ports/device.ts';
import { PendingWrites } from './pending-writes.ts';
import { Reconnection, type ReconnectionOptions } from './reconnection.ts';
import { reportBytes, type ReportTransport } from './reports.ts';

/** Configured, never searched for: a hidraw node or a stable link to it, or the numbers of the one such device. */
export type HidAddress = { readonly path: string } | { readonly vendorId: number; readonly productId: number };

export interface HidOptions extends Partial<ReconnectionOptions> {
  readonly address: HidAddress;
  /**
   * 'none': the device numbers no reports, and 00 goes before each in the place of the number (hidapi, hid_write). 'first': the
   * first of the 64 bytes is the number.
   */
  readonly reportId: 'none' | 'first';
  readonly writeTimeoutMs?: number;
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

const defaults: { readonly clock: Clock; readonly reconnectMs: number; readonly writeTimeoutMs: number } = {
  clock: systemClock,
  reconnectMs: 1_000,
  writeTimeoutMs: 5_000,
};

/** The longest message of any driver, several times. More than that waiting means that nobody takes it. */
const queuedReportsMax = 256;

/**
 * A HID device with reports of 64 bytes. It opens the device, and again whenever that has gone or was not there yet, until it is
 * closed. Never throws and never has an unhandled rejection. Unverified on hardware.
 */
export function openHid(options: HidOptions): ReportTransport {
  return new HidLine(options);
}

class HidLine implements ReportTransport {
  readonly path: string;
  readonly #options: HidOptions & typeof defaults;
  readonly #reconnection: Reconnection;
  readonly #reportListeners = new Set<(report: Uint8Array) => void>();
  readonly #writes: PendingWrites;
  #device: HidHandle | undefined;

  constructor(options: HidOptions) {
    const { address } = options;
    this.path = 'path' in address ? address.path : `${hex(address.vendorId)}:${hex(address.productId)}`;
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

  onReport(listener: (report: Uint8Array) => void): () => void {
    this.#reportListeners.add(listener);
    return () => this.#reportListeners.delete(listener);
  }

  /** Besides 'absent' and 'vanished': 'refused' when more is waiting than a device can be behind with. */
  async write(report: Uint8Array): Promise<void> {
    if (report.length !== reportBytes) throw new RangeError(`a report of ${report.length} bytes`);
    const device = this.#device;
    if (!device || this.state !== 'ready') throw new DeviceError('absent', `nothing at ${this.path}`);
    if (this.#writes.count >= queuedReportsMax) {
      throw new DeviceError('refused', `too much is waiting for ${this.path}`);
    }
    const numbered = this.#options.reportId === 'none' ? [Uint8Array.of(0x00), report] : [report];
    await this.#writes.add(
      report.length,
      this.#options.writeTimeoutMs,
      () => void this.#drop(device, 'the device takes no more reports'),
      (taken) => {
        // A copy: the caller may use its bytes again before they are gone.
        device.write(Buffer.concat(numbered)).then(taken, () => this.#drop(device, 'the device went'));
      },
    );
  }

  async close(): Promise<void> {
    await this.#reconnection.close(async () => {
      if (this.#device) await this.#drop(this.#device, 'closed');
    });
    this.#reportListeners.clear();
  }

  async #connect(): Promise<void> {
    let device: HidHandle;
    try {
      device = await this.#open();
    } catch (error) {
      this.#reconnection.handleLoss(error instanceof Error ? error.message : 'it can not be opened');
      return;
    }
    this.#device = device;
    let failed = false;
    device.on('error', () => {
      failed = true;
      void this.#drop(device, 'the device went');
    });
    device.on('data', (report) => this.#receive(device, report));
    // The binding begins to read in the next tick, and throws where nobody catches it when it is closed by then.
    await new Promise((resolve) => setImmediate(resolve));
    if (!failed) this.#reconnection.handleOpening();
  }

  async #open(): Promise<HidHandle> {
    const { address, load = loadBinding } = this.#options;
    const { HIDAsync } = await load();
    return 'path' in address ? HIDAsync.open(address.path) : HIDAsync.open(address.vendorId, address.productId);
  }

  #receive(device: HidHandle, bytes: Uint8Array): void {
    // Another length is a report of another kind than the drivers know.
    if (this.#device !== device || this.state !== 'ready' || bytes.length !== reportBytes) return;
    const report = Uint8Array.from(bytes);
    bytes.fill(0);
    for (const listener of this.#reportListeners) listener(report);
  }

  /** Is done with the device at once: whatever its closing takes, only `close` waits for it, and not for ever. */
  async #drop(device: HidHandle, reason: string): Promise<void> {
    if (this.#device !== device) return;
    this.#device = undefined;
    this.#writes.fail();
    const closed = device.close().catch(() => {}); // Gone already: then that was the point.
    this.#reconnection.handleLoss(reason);
    let timer: unknown;
    const deadline = new Promise<void>((resolve) => {
      timer = this.#options.clock.setTimeout(resolve, this.#options.writeTimeoutMs);
    });
    await Promise.race([closed, deadline]);
    this.#options.clock.clearTimeout(timer);
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
