import type { ClockState } from '../base/domain/clock-doubt.ts';
import type { CardReader } from '../base/ports/card-reader.ts';
import type { Device, DeviceAbsence } from '../base/ports/device.ts';
import { SharedReadings } from '../base/ports/shared-readings.ts';
import type { Journal } from '../payment/contracts/journal.ts';
import type { PrinterFault, ReceiptPrinter } from '../base/ports/receipt-printer.ts';
import type { Terminal } from '../payment/terminal/terminal.ts';
import { type QueueParts, readQueues, untold } from './queue-status.ts';
import { readTimeZone } from './time-zone.ts';
import { currentVersion } from './version.ts';

const asking = new SharedReadings<object, unknown>();

/**
 * The result of `ask`; undefined if it takes longer than `ms`. At most one call per target is in flight, and one more
 * waits; further callers share the waiting call. So calls to a hanging target do not accumulate, and each result is of
 * a call that began after its caller's request.
 */
export async function answerWithin<T>(whom: object, ms: number, ask: () => Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), ms);
  try {
    return await Promise.race([asking.read(whom, ask) as Promise<T>, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const statusWaitMs = 100;
/** A status is answered within a second, even if the journal's disk hangs. */
const journalWaitMs = 800;

const journalRefusals = {
  ok: undefined,
  full: { reason: 'journalUnavailable', message: 'the disk of the journal is full' },
  silent: { reason: 'journalUnavailable', message: 'the disk of the journal does not answer' },
} as const;

export interface StatusParts extends QueueParts {
  readonly terminal: Terminal;
  readonly reader: CardReader;
  readonly printer?: ReceiptPrinter;
  readonly scanner?: Device;
  readonly octopus?: Device;
  /** Why a device is absent. */
  readonly absences?: { of(kind: 'reader' | 'printer' | 'scanner' | 'octopus'): DeviceAbsence | undefined };
  readonly clock: { readonly state: ClockState };
  readonly journal: Journal;
  /** Set if there is a link to the cloud. */
  readonly cloud?: DescribedCloud | undefined;
  /** Reports of additional POS protocols. */
  readonly protocols?: { readonly status: Readonly<Record<string, object>> | undefined };
  /** Set if the API uses HTTPS. */
  readonly tls?: { readonly fingerprint: string; readonly publicKeyPin: string };
}

/** The answer of GET /sp/v1/status. */
export async function statusReport(parts: StatusParts) {
  const { terminal, reader, printer, scanner, octopus, absences, journal, tls } = parts;
  const [reported, fault] = await Promise.all([
    answerWithin(journal, journalWaitMs, () => readQueues(parts)),
    printer && printerFault(printer),
  ]);
  const { running } = terminal;
  const notReady = terminal.notReady ?? journalRefusals[reported?.journal ?? 'silent'];
  return {
    responseResult: 'SUCCESS',
    responseCode: 0,
    version: currentVersion(),
    state: running?.state ?? 'idle',
    ready: notReady === undefined,
    ...(notReady === undefined ? {} : { message: notReady.message, reason: notReady.reason }),
    ...(running?.step === undefined ? {} : { step: running.step }),
    ...(running ? { running: { posId: running.posId, messageId: running.messageId } } : {}),
    devices: {
      reader: describeDevice(reader, absences?.of('reader')),
      ...(printer ? { printer: describePrinter(printer, fault, absences?.of('printer')) } : {}),
      ...(scanner ? { scanner: describeDevice(scanner, absences?.of('scanner')) } : {}),
      ...(octopus ? { octopus: describeDevice(octopus, absences?.of('octopus')) } : {}),
    },
    clock: describeClock(parts.clock.state),
    ...(reported ?? untold(parts)),
    journalCheck: journal.check ?? { state: 'never' as const },
    ...describeSchema(journal),
    ...(journal.putBack === undefined ? {} : { journalFault: journal.putBack }),
    ...(journal.archiveFault === undefined ? {} : { archiveFault: journal.archiveFault }),
    ...(parts.cloud ? { cloud: describeCloud(parts.cloud) } : {}),
    ...(parts.protocols?.status ? { protocols: parts.protocols.status } : {}),
    ...(tls ? { tls: { fingerprint: tls.fingerprint, publicKeyPin: tls.publicKeyPin } } : {}),
  };
}

function describeClock(state: ClockState) {
  const { zone, fault } = readTimeZone();
  return { state, timeZone: zone, ...(fault === undefined ? {} : { timeZoneFault: fault }) };
}

function describeSchema({ schema }: Journal) {
  if (!schema) return {};
  const { version: journalSchema, migration: journalMigration } = schema;
  return { journalSchema, ...(journalMigration === undefined ? {} : { journalMigration }) };
}

interface DescribedCloud {
  readonly state: 'connected' | 'disconnected';
  readonly tooLong: readonly string[];
  /** Features that the broker does not support. */
  readonly unsupported: readonly string[];
  /** The changes that wait for the sink of the books; undefined while the sink's position is unknown. */
  readonly measured: { readonly unacknowledged: { readonly count: number; readonly ageS: number } | undefined };
}

function describeCloud({ state, tooLong, unsupported, measured: { unacknowledged } }: DescribedCloud) {
  const books = unacknowledged && { waiting: unacknowledged.count, oldestS: Math.floor(unacknowledged.ageS) };
  return {
    state,
    ...(books ? { books } : {}),
    ...(tooLong.length === 0 ? {} : { tooLong }),
    ...(unsupported.length === 0 ? {} : { unsupported }),
  };
}

function describeDevice({ name, state }: Pick<Device, 'name' | 'state'>, absence: DeviceAbsence | undefined) {
  return { name, state, ...(state === 'absent' && absence !== undefined ? { reason: absence } : {}) };
}

function describePrinter(printer: ReceiptPrinter, fault: PrinterFault | undefined, absence: DeviceAbsence | undefined) {
  const { paperState: paper } = printer;
  return { ...describeDevice(printer, absence), fault: fault ?? 'none', ...(paper === undefined ? {} : { paper }) };
}

/** The printer's fault. A printer answers only after printing, so after a short time its last known fault is used. */
function printerFault(printer: ReceiptPrinter): Promise<PrinterFault | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(printer.fault), statusWaitMs);
    void printer.status().then(({ fault }) => {
      clearTimeout(timer);
      resolve(fault);
    });
  });
}
