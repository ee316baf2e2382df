import fs from 'node:fs';
import { systemClock, type Clock } from '../../src/base/ports/clock.ts';
import { type DeviceAbsence, DeviceError, type DeviceState } from '../../src/base/ports/device.ts';
import { AbsenceError, whyAbsent, whyHidAbsent } from './absence.ts';
import { assertMeant, type Identity, wrongSerial, severalFit } from './identity.ts';
import { PendingWrites, Reconnection, type ReconnectionOptions } from './line.ts';
import { reportBytes, type ReportTransport } from './reports.ts';

/**
 * The configured device: a hidraw node, a stable link to it, or vendor and product id. The driver never searches for
 * other devices.
 */
export type HidAddress = { readonly path: string } | HidIds;

interface HidIds {
  readonly vendorId: number;
  readonly productId: number;
}

export interface HidOptions extends Partial<ReconnectionOptions> {
  readonly address: HidAddress;
  /** Which of several equal devices is meant. */
  readonly identity?: Identity;
  /**
   * 'none': the device has no report numbers, and each report is written with 00 in front (hidapi, hid_write).
   * 'first': the first of the 64 bytes is the report number.
   */
  readonly reportId: 'none' | 'first';
  readonly writeTimeoutMs?: number;
  /** Loads the binding; a test passes its own. */
  readonly load?: () => Promise<HidBinding>;
}

/** The part of node-hid 3 that is used: only the asynchronous half, because the other one blocks the event loop. */
export interface HidBinding {
  readonly HIDAsync: {
    open(path: string): Promise<HidHandle>;
  };
  devicesAsync(vendorId: number, productId: number): Promise<readonly FoundHid[]>;
}

export interface HidHandle {
  on(event: 'data', listener: (report: Uint8Array) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  write(bytes: Buffer): Promise<number>;
  getDeviceInfo(): Promise<{ readonly serialNumber?: string | undefined }>;
  close(): Promise<void>;
}

const defaults: { readonly clock: Clock; readonly reconnectMs: number; readonly writeTimeoutMs: number } = {
  clock: systemClock,
  reconnectMs: 1_000,
  writeTimeoutMs: 5_000,
};

/** Several times the longest message of any driver. A longer queue means that the device takes no reports. */
const queuedReportsMax = 256;

/**
 * More reports in a window than any reader sends: the longest answer has about thirty. Reports are processed on the
 * main thread, which must have time for payments with other devices.
 */
const receivedReportsMax = 500;
const receivedWindowMs = 1_000;

/**
 * A HID device with reports of 64 bytes. It opens the device, and tries again whenever the device is absent or has
 * vanished, until it is closed. Never throws and never has an unhandled rejection. Unverified on hardware.
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
  /** The number of reports since the beginning of the present window. */
  #received = { sinceMs: 0, count: 0 };

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

  /** Rejects with DeviceError 'absent', 'vanished', or 'refused' when the queue is full. */
  async write(report: Uint8Array): Promise<void> {
    if (report.length !== reportBytes) throw new RangeError(`a report of ${report.length} bytes`);
    const device = this.#device;
    if (!device || this.state !== 'ready') throw new DeviceError('absent', `nothing at ${this.path}`);
    if (this.#writes.count >= queuedReportsMax) {
      throw new DeviceError('refused', `the queue for ${this.path} is full`);
    }
    const numbered = this.#options.reportId === 'none' ? [Uint8Array.of(0x00), report] : [report];
    await this.#writes.add(
      report.length,
      this.#options.writeTimeoutMs,
      () => void this.#drop(device, 'the device takes no more reports'),
      (taken) => {
        // A copy: the caller may reuse its buffer before the write has ended.
        device.write(Buffer.concat(numbered)).then(taken, () => this.#drop(device, 'the device vanished'));
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
      const reason = error instanceof Error ? error.message : 'it can’t be opened';
      this.#reconnection.handleLoss(reason, error instanceof AbsenceError ? error.why : this.#whyAbsent(reason));
      return;
    }
    this.#device = device;
    this.#received = { sinceMs: 0, count: 0 };
    let failed = false;
    device.on('error', () => {
      failed = true;
      void this.#drop(device, 'the device vanished');
    });
    device.on('data', (report) => this.#receive(device, report));
    // The binding begins to read in the next tick. If it is closed by then, it throws an error that nothing can catch.
    await new Promise((resolve) => setImmediate(resolve));
    if (!failed) this.#reconnection.handleOpening();
  }

  #whyAbsent(reason: string): DeviceAbsence {
    const { address } = this.#options;
    return 'path' in address ? whyAbsent(reason) : whyHidAbsent(reason, address.vendorId);
  }

  async #open(): Promise<HidHandle> {
    const { address, identity, load = loadBinding } = this.#options;
    const binding = await load();
    let path: string;
    if ('path' in address) {
      ({ path } = address);
      if (identity) assertMeant(path, fs.statSync(path).rdev, identity);
    } else path = chooseHid(await binding.devicesAsync(address.vendorId, address.productId), identity?.serial);
    const device = await binding.HIDAsync.open(path);
    if (identity?.serial !== undefined) await assertSerial(device, identity.serial);
    return device;
  }

  #receive(device: HidHandle, bytes: Uint8Array): void {
    // A report of another length is of a kind that no driver knows.
    if (this.#device !== device || this.state !== 'ready' || bytes.length !== reportBytes) return;
    if (this.#isFlood()) return void this.#drop(device, 'the device sends more reports than any reader');
    const report = Uint8Array.from(bytes);
    bytes.fill(0);
    for (const listener of this.#reportListeners) listener(report);
  }

  /** To be called with each report. */
  #isFlood(): boolean {
    const nowMs = this.#options.clock.now().getTime();
    // The system clock may be set in either direction meanwhile.
    if (Math.abs(nowMs - this.#received.sinceMs) >= receivedWindowMs) this.#received = { sinceMs: nowMs, count: 0 };
    this.#received.count += 1;
    return this.#received.count > receivedReportsMax;
  }

  /** Stops using the device at once. Only `close` waits until it is closed, up to a limit. */
  async #drop(device: HidHandle, reason: string): Promise<void> {
    if (this.#device !== device) return;
    this.#device = undefined;
    this.#writes.fail();
    const closed = device.close().catch(() => {}); // The device has vanished already.
    this.#reconnection.handleLoss(reason);
    let timer: unknown;
    const deadline = new Promise<void>((resolve) => {
      timer = this.#options.clock.setTimeout(resolve, this.#options.writeTimeoutMs);
    });
    await Promise.race([closed, deadline]);
    this.#options.clock.clearTimeout(timer);
  }
}

/** Another device may have taken the path's place before it was opened. */
async function assertSerial(device: HidHandle, serial: string): Promise<void> {
  const { serialNumber } = await device.getDeviceInfo();
  if (serialNumber === serial) return;
  await device.close().catch(() => {}); // The device has vanished already.
  throw wrongSerial([serialNumber]);
}

/** Loaded when first used: a terminal without a HID device never loads the native addon. */
function loadBinding(): Promise<HidBinding> {
  return import('node-hid');
}

/** Four hex digits, as a vendor or product id is written. */
function hex(id: number): string {
  return id.toString(16).padStart(4, '0');
}

/** The part of node-hid's description of a device that is used. */
export interface FoundHid {
  readonly path?: string | undefined;
  readonly serialNumber?: string | undefined;
  /** Number of the USB interface; -1 if the device has none. */
  readonly interface: number;
}

/**
 * The path of the one device that is meant, of those with the configured ids. A device with several interfaces is found
 * once for each; the first one counts. If two devices fit, neither is used: a customer could otherwise present a card
 * at the wrong reader, and the order of the two may change with every start. Throws AbsenceError, or Error if there is
 * none.
 */
export function chooseHid(found: readonly FoundHid[], serial: string | undefined): string {
  if (found.length === 0) throw new Error('no HID devices of these ids');
  const fitting = serial === undefined ? found : found.filter((each) => each.serialNumber === serial);
  if (fitting.length === 0) throw wrongSerial([...new Set(found.map((each) => each.serialNumber))]);
  const first = Math.min(...fitting.map((each) => each.interface));
  // One interface may be found more than once: for each of its collections.
  const paths = new Map(
    fitting.flatMap((each) =>
      each.interface === first && each.path !== undefined ? [[each.path, each.serialNumber] as const] : [],
    ),
  );
  const [path] = paths.keys();
  if (path === undefined) throw new Error('no HID devices of these ids');
  if (paths.size > 1) throw severalFit([...paths.values()]);
  return path;
}
