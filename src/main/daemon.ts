import { EventStream } from '../pos/api/event-stream.ts';
import { makeApiParts } from './composition/api-parts.ts';
import { openCloud } from '../pos/cloud/link/open-cloud.ts';
import { serveCloud } from './composition/cloud-serving.ts';
import { Absences, type Devices, findDevices, logStates, openDevices } from './composition/devices.ts';
import { openTillCounter } from './composition/counter.ts';
import { openAccessControl } from './composition/access-control.ts';
import { OpenParts } from './composition/open-parts.ts';
import { openEventSubscribers } from './composition/event-subscribers.ts';
import { makeMachine } from './composition/machine.ts';
import { openMigration } from './composition/migration.ts';
import type { FleetStart } from '../fleet/adoption/fleet-start.ts';
import { openPaper, prepareLayout } from './composition/paper.ts';
import { bindEvents, bindPage, bindScreen } from './composition/parts-boundary.ts';
import { openRelease, type ReleaseParts } from '../payment/holds/release-held.ts';
import { configureMethods, type OpenedMethods } from './composition/open-methods.ts';
import { openScreen } from './composition/servers.ts';
import { OpenProtocols, openProtocols } from './composition/open-protocols.ts';
import { openSettling } from './composition/settling.ts';
import { refuseConfiguration } from './composition/start-error.ts';
import { claimState } from './composition/state.ts';
import { openOptions } from './sale-options.ts';
import { makeTerminal } from './composition/terminal.ts';
import { makeTracing, type Tracing } from './composition/tracing.ts';
import { openMenu } from './composition/watched-menu.ts';
import { paymentMethods } from './methods.ts';
import { configureProtocols } from './pos-protocols.ts';
import type { Configuration } from '../config/configuration.ts';
import { CashDrawer } from '../pos/peripherals/cash-drawer.ts';
import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import { systemClock as clock, systemRandom as random } from '../base/ports/clock.ts';
import type { DeviceAbsence, DeviceState } from '../base/ports/device.ts';
import type { Journal } from '../payment/contracts/journal.ts';
import type { TerminalEvents } from '../payment/contracts/terminal-events.ts';
import { openClockWatch } from '../observability/clock-watch.ts';
import { openSpareMemory } from '../observability/spare-memory.ts';
import { openDailySettlement } from '../payment/terminal/daily-settlement.ts';
import { LimitedLog } from '../observability/limited-log.ts';
import type { Log } from '../observability/log.ts';
import { PartBoundary } from '../observability/part-boundary.ts';
import { reverseWithoutJournal } from '../payment/terminal/reverse-without-journal.ts';
import type { Terminal } from '../payment/terminal/terminal.ts';

export interface WatchedReader {
  readonly state: DeviceState;
  /** Why it is absent, if its driver knows the reason. */
  readonly absence: DeviceAbsence | undefined;
  /** Called when the state or the reason may have changed. Returns a function that stops listening. */
  onChange(listener: () => void): () => void;
}

export interface Daemon {
  readonly apiPort: number;
  readonly apiScheme: 'http' | 'https';
  readonly screenPort: number;
  /** Of POS that speak nexo, if they are configured. */
  readonly nexoPort: number | undefined;
  /** The card reader, whose state the supervisor reports: without it not every payment can be taken. */
  readonly reader: WatchedReader;
  /** Resolves once the journal's worker has answered. */
  ping(): Promise<unknown>;
  /** Resolves when the daemon can't go on and must be restarted: the journal is broken. */
  readonly failed: Promise<Error>;
  /** Ends collecting, lets an authorization finish, sends the pending answers, and releases everything. */
  stop(): Promise<void>;
}

/**
 * The composition root: opens all parts and connects them. Resolves once the terminal is up (journal, recovery, screen
 * and API); a reader that is not there may come later. Rejects with StartError, and then leaves nothing open.
 * `onLongStart`: called if opening the journal may take a time that grows with its size. `framedBy`: origins of pages
 * that may frame the screen. `fleet`: present if the configuration includes settings of a fleet.
 */
export async function startDaemon(
  configuration: Configuration,
  log: Log,
  onLongStart: () => void = () => undefined,
  framedBy: readonly string[] = [],
  fleet?: FleetStart,
): Promise<Daemon> {
  const opened = new OpenParts();
  try {
    return await compose(configuration, log, opened, { onLongStart, framedBy, fleet });
  } catch (error) {
    await closeParts(opened, log);
    throw error;
  }
}

interface ComposeOptions {
  readonly onLongStart: () => void;
  readonly framedBy: readonly string[];
  readonly fleet: FleetStart | undefined;
}

async function compose(
  configuration: Configuration,
  log: Log,
  opened: OpenParts,
  { onLongStart, framedBy, fleet }: ComposeOptions,
): Promise<Daemon> {
  const configured = configureMethods(paymentMethods, configuration);
  const [options, served] = [openOptions(configuration), configureProtocols(configuration)];
  const [boundary, limited] = [opened.add(new PartBoundary(log)), opened.add(new LimitedLog(log, clock))];
  const tracing = makeTracing(configuration, { boundary, clock, log: limited });
  const { subscribers, progress, serveMetrics } = await openEventSubscribers(configuration, clock, log, boundary);
  const { opening } = opened.add(await claimState(configuration, log, subscribers, onLongStart));
  const { devices, drawer, paper, accessControl, cloud } = await openBeside(configuration, limited, opened, boundary);
  const journal = await opening;
  const screen = opened.add(await openScreen(configuration, log, framedBy, boundary));
  const [events, protocols] = [new EventStream(clock), new OpenProtocols()];
  const beneath = { log: limited, boundary, onReceipt: accessControl.queueChanged };
  const printing = { ...devices, ...beneath, journal, paper, events };
  const { reprints, receipts, menuReceipts, shopLogo } = await openPaper(configuration, printing, opened);
  const counter = openTillCounter(configuration, { ...devices, receipts, screen, journal, clock, log }, opened);
  const parts = { configured, journal, devices, drawer, receipts, accessControl, events, clock, random, log: limited };
  const { inUse, ...queues } = await openSettling(configuration, { ...parts, onMessage: tracing.onMessage }, opened);
  const watchers: TerminalEvents[] = [bindEvents('events', events, boundary), ...subscribers];
  const emitter: TerminalEvents = { emit: (event) => watchers.forEach((each) => each.emit(event)) };
  const { clockWatch, clockDoubt } = watchClock(configuration, log, opened);
  const display = bindScreen(counter.display, boundary);
  const given = { ...queues, journal, screen: display, events: emitter, clock, clockDoubt, random, options };
  const terminal = makeTerminal(configuration, { ...given, ...(receipts ? { receipts } : {}) }, log);
  await terminal.recover().then(() => receipts?.wake());
  const beside = { accessControl, cloud, clock: clockWatch, openings: counter.openings, protocols };
  const api = makeApiParts(
    configuration,
    { terminal, ...devices, ...beside, journal, queues, methods: queues.methods, options },
    { reprints, shopLogo, counter },
  );
  serveMetrics(screen, devices.reader, () => api.status(), cloud);
  const machine = makeMachine(configuration, { drawer, counter, log });
  const menuParts = { ...queues, journal, terminal, receipts: menuReceipts, machine, drawer: counter.openings.book };
  const watched = { ...devices, ...queues, drawer, clock: clockWatch };
  const menu = await openMenu(accessControl, api, menuParts, watched, bindPage(screen, boundary));
  for (const each of [menu, ...openSpareMemory({ terminal, clock, log }, opened)])
    watchers.push(bindEvents('screen', each, boundary));
  const serving = { api, accessControl, log: limited, events, cloud, boundary };
  await findDevices(devices, clock).then(() => openProtocols(served, configuration, serving, opened.add(protocols)));
  const common = { inUse, progress, journal, terminal, log: limited };
  await openUpkeep(configuration, { ...common, ...queues, clock, random, tracing }, opened);
  await serveCloud({ cloud, fleet, boundary }, api, { ...common, screen, events }, opened);
  return {
    apiScheme: accessControl.tls ? 'https' : 'http',
    screenPort: screen.port,
    ...protocols.ports,
    reader: watchReader(devices),
    ping: () => journal.health(),
    failed: awaitBroken(journal, { terminal, ...queues }, log),
    async stop() {
      await endPayment(menu, terminal, protocols);
      await closeParts(opened, log);
    },
  };
}

/** The clock, and whether payments are refused while it is unreliable. */
function watchClock(configuration: Configuration, log: Log, opened: OpenParts) {
  const clockWatch = opened.add(openClockWatch(clock, log));
  const refuses = configuration.clock.whenDoubtful === 'refuse';
  return { clockWatch, clockDoubt: { now: () => clockWatch.doubt, refuses } };
}

/** The running transaction is completed while its POS is still connected; new connections are refused meanwhile. */
async function endPayment(menu: { stop(): void }, ...parts: readonly { close(): Promise<unknown> }[]): Promise<void> {
  menu.stop();
  await Promise.all(parts.map((part) => part.close()));
}

/** Resolves with the journal's fault. If its directory was removed, the known open transactions are reversed first. */
async function awaitBroken(
  journal: Journal,
  parts: Pick<Parameters<typeof reverseWithoutJournal>[0], 'terminal' | 'acquirers'>,
  log: Log,
): Promise<Error> {
  const error = await journal.broken;
  if (error.code === 'gone') await reverseWithoutJournal({ journal, ...parts, clock, ...stopNotice(log) });
  return error;
}

/** Opens the terminal's own work while no payment runs, and the calls of a technician. */
async function openUpkeep(
  configuration: Configuration,
  parts: Parameters<typeof openDailySettlement>[1] &
    Parameters<typeof openMigration>[0] &
    ReleaseParts & {
      readonly terminal: Pick<Terminal, 'room'>;
      readonly tracing: Tracing;
      readonly acquirers: OpenedMethods['acquirers'];
    },
  opened: OpenParts,
): Promise<void> {
  parts.terminal.room.read().catch(() => undefined);
  opened.add(openDailySettlement(configuration, parts));
  openMigration(parts, opened);
  openRelease(parts, opened);
  await parts.tracing.serve(parts.acquirers, opened);
}

/** The parts that need no journal. */
async function openBeside(configuration: Configuration, log: Log, opened: OpenParts, boundary: PartBoundary) {
  const devices = await openCounter(configuration, log, opened, boundary);
  const paper = await prepareLayout(configuration, devices.printer, log);
  const accessControl = await openAccessControl(configuration, clock, random, log);
  const cloud = await openCloud(configuration, { clock, random, log, boundary }).catch(refuseConfiguration);
  return { devices, drawer: devices.printer && new CashDrawer(devices.printer), paper, accessControl, cloud };
}

/** Opens the devices. */
async function openCounter(
  configuration: Configuration,
  log: Log,
  opened: OpenParts,
  boundary: PartBoundary,
): Promise<Devices> {
  const onPaperFailure = (error: unknown) => log.failure('receipt', error);
  const absences = new Absences((device, { message }, code) => {
    log.warn('device', { device, state: 'absent', code, reason: message });
  });
  const onNoPriority = (reason: string) => log.info('the reader has no priority', { device: 'reader', reason });
  const printing = <T>(work: () => T) => boundary.within('print', work);
  const parts = { onPaperFailure, absences, onNoPriority, printing };
  const devices = await openDevices(configuration, clock, parts, (device) => opened.add(device)).catch(
    refuseConfiguration,
  );
  opened.add(logStates(devices, log));
  return devices;
}

/** The reader's state and why it is absent, for the supervisor. */
function watchReader({ reader, absences }: Devices): WatchedReader {
  return {
    get state() {
      return reader.state;
    },
    get absence() {
      return absences.of('reader');
    },
    onChange(listener) {
      const leave = [absences.onChange(listener), reader.onState(listener)];
      return () => leave.forEach((each) => each());
    },
  };
}

/** Log callbacks for payments that are reversed without a journal. */
function stopNotice(log: Log) {
  return {
    onThrough: (id: TerminalTransactionId) =>
      log.warn('taken back', { terminalTransactionId: id, reason: 'the journal is lost' }),
    onFailure: (error: unknown) => log.failure('journal', error),
  };
}

function closeParts(opened: OpenParts, log: Log): Promise<void> {
  return opened.close((error) => log.failure('stop', error));
}
