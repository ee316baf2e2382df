import {
  cardReaders,
  codeScanners,
  type MethodDeviceKind,
  methodDeviceKinds,
  type MethodDevices,
  methodDevices,
  receiptPrinters,
} from '../../../drivers/registry.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { CardReader } from '../../base/ports/card-reader.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { AbsenceListener, Device, DeviceAbsence } from '../../base/ports/device.ts';
import type { CodeScanner } from '../../base/ports/code-scanner.ts';
import { withinMs } from '../../base/ports/pause.ts';
import type { ReceiptPrinter } from '../../base/ports/receipt-printer.ts';
import type { Log } from '../../observability/log.ts';

/** The devices of this terminal. A driver is loaded only if the configuration names it. */
export interface Devices extends MethodDevices {
  readonly reader: CardReader;
  readonly printer?: ReceiptPrinter;
  readonly scanner?: CodeScanner;
  readonly absences: Absences;
}

/** The devices by their names in the configuration. */
export type DeviceKind = 'reader' | 'printer' | 'scanner' | MethodDeviceKind;

export const deviceKinds: readonly DeviceKind[] = ['reader', 'printer', 'scanner', ...methodDeviceKinds];

/** Why each device is absent. */
export class Absences {
  readonly #reasons = new Map<DeviceKind, DeviceAbsence>();
  readonly #listeners = new Set<() => void>();
  readonly #onFault: (kind: DeviceKind, ...fault: Parameters<AbsenceListener>) => void;

  constructor(onFault: (kind: DeviceKind, ...fault: Parameters<AbsenceListener>) => void) {
    this.#onFault = onFault;
  }

  /** The options of that device's driver. */
  listener(kind: DeviceKind): AbsenceListener {
    return (error, why) => {
      this.#reasons.set(kind, why);
      this.#onFault(kind, error, why);
      for (const listener of this.#listeners) listener();
    };
  }

  /** The device is reached again: an older reason no longer counts. */
  forget(kind: DeviceKind): void {
    this.#reasons.delete(kind);
  }

  of(kind: DeviceKind): DeviceAbsence | undefined {
    return this.#reasons.get(kind);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** A silent device must not prevent work that needs no device. */
const foundWithinMs = 2_000;

export interface DeviceEars {
  readonly onPaperFailure: (error: unknown) => void;
  readonly absences: Absences;
  /** Called once, if the system gives the reader's thread no priority over others. */
  readonly onNoPriority?: (reason: string) => void;
  /** Isolates errors of printing. */
  readonly printing?: <T>(work: () => T) => T;
}

export async function openDevices(
  { reader, printer, scanner, receipt, shop, ...others }: Configuration,
  clock: Clock,
  { onPaperFailure, absences, onNoPriority, printing = (work) => work() }: DeviceEars,
  opened: <Device extends { close(): Promise<void> }>(device: Device) => Device,
): Promise<Devices> {
  const type = { charset: receipt.charset, logo: shop.logo, onFailure: onPaperFailure };
  const of = (kind: DeviceKind) => absences.listener(kind);
  const setting = printer && { columns: printer.columns, ...type };
  const devices = {
    reader: opened(await cardReaders[reader.driver](reader, clock, { onFault: of('reader'), onNoPriority })),
    ...(printer && setting
      ? {
          printer: opened(
            await printing(() => receiptPrinters[printer.driver](printer, setting, clock, of('printer'))),
          ),
        }
      : {}),
    ...(scanner ? { scanner: opened(await codeScanners[scanner.driver](scanner, clock, of('scanner'))) } : {}),
    ...(await openMethodDevices(others, clock, of, opened)),
  };
  for (const kind of deviceKinds) {
    const device: Device | undefined = devices[kind];
    device?.onState((state) => state !== 'absent' && absences.forget(kind));
  }
  return { ...devices, absences };
}

async function openMethodDevices(
  configured: Pick<Configuration, MethodDeviceKind>,
  clock: Clock,
  listener: (kind: DeviceKind) => AbsenceListener,
  opened: <Opened extends { close(): Promise<void> }>(device: Opened) => Opened,
): Promise<MethodDevices> {
  const devices: { -readonly [Kind in MethodDeviceKind]?: MethodDevices[Kind] } = {};
  for (const kind of methodDeviceKinds) {
    const setting = configured[kind];
    if (setting) devices[kind] = opened(await methodDevices[kind][setting.driver](setting, clock, listener(kind)));
  }
  return devices;
}

/** The devices that customers pay at. */
function payingDevices({ reader, scanner, ...others }: Omit<Devices, 'absences'>): readonly Device[] {
  return [reader, scanner, ...methodDeviceKinds.map((kind) => others[kind])].filter((device) => device !== undefined);
}

/**
 * Resolves once each device that customers pay at is ready or known to be absent. A payment that begins earlier would
 * not use it until its end, and its customer could not pay by card.
 */
export function findDevices(devices: Omit<Devices, 'absences'>, clock: Clock): Promise<void> {
  const found = payingDevices(devices).map(findDevice);
  return withinMs(Promise.all(found), foundWithinMs, clock);
}

function findDevice(device: Device): Promise<void> {
  if (device.state !== 'connecting') return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = device.onState((state) => state !== 'connecting' && resolve());
  return promise.finally(leave);
}

/** Logs changes of the devices' states. A device that this process releases at its own end has no fault. */
export function logStates({ printer, ...devices }: Devices, log: Log) {
  const watched = payingDevices(devices).map((device) =>
    device.onState((state) => log.info('device', { device: device.name, state })),
  );
  const leavePrinter = printer?.onFaultChange((fault) => {
    const fields = { device: printer.name, state: fault ?? 'ready' };
    if (fault === undefined) log.info('device', fields);
    else log.warn('device', fields);
  });
  return {
    async close() {
      for (const leave of [...watched, leavePrinter]) leave?.();
    },
  };
}
