import path from 'node:path';
import { Access } from './api/access.ts';
import type { ApiParts } from './api/call.ts';
import { type ApiServer, clientTimeouts, serveApi } from './api/server.ts';
import { makeAcquirers } from './composition/acquirers.ts';
import { openDevices } from './composition/devices.ts';
import { openMethods } from './composition/methods.ts';
import { type Entrance, openEntrance } from './composition/entrance.ts';
import { octopusId, openHosts } from './composition/hosts.ts';
import { privateState } from './composition/privacy.ts';
import { recordedReason } from './composition/recorded-reasons.ts';
import { EventStream } from './api/event-stream.ts';
import type { Configuration } from './config/configuration.ts';
import type { AcquirerId, TerminalTransactionId } from './domain/identifiers.ts';
import { openJournal } from './journal/journal.ts';
import { type Clock, type SteadyClock, systemClock, systemRandom } from './ports/clock.ts';
import { type Journal, JournalError } from './ports/journal.ts';
import type { OctopusReader } from './ports/octopus-reader.ts';
import type { ReceiptPrinter } from './ports/receipt-printer.ts';
import type { TerminalEvents } from './ports/terminal-events.ts';
import { type ScreenServer, serveScreen } from './screen/server.ts';
import type { Log } from './supervision/log.ts';
import { statusReport } from './supervision/status.ts';
import { Forwarder } from './terminal/forwarder.ts';
import { settleDaily } from './terminal/daily-settlement.ts';
import { takeBack } from './terminal/last-resort.ts';
import { LateAnswers } from './method/card/late-answers.ts';
import { OctopusReturn } from './method/octopus/card-return.ts';
import { PaperDesk } from './terminal/paper.ts';
import { type Paper, ReceiptService } from './terminal/receipt-service.ts';
import { Terminal } from './terminal/terminal.ts';
import { SecondLook } from './method/wallet/second-look.ts';

/** Why the daemon can't start, in one sentence for whoever started it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

export interface Daemon {
  readonly apiPort: number;
  readonly apiScheme: 'http' | 'https';
  readonly screenPort: number;
  /** Settles when a payment can be taken; never, when no reader comes. */
  readonly ready: Promise<void>;
  /** Settles when it can't go on and must be started anew: the journal is broken. */
  readonly failed: Promise<Error>;
  /** Ends collecting, lets an authorization finish, answers what is due, releases everything. */
  stop(): Promise<void>;
}

/** The composition root: the one file that knows every part. Rejects with StartError; nothing stays open then. */
export async function startDaemon(configuration: Configuration, log: Log): Promise<Daemon> {
  const opened = new OpenParts();
  try {
    return await composed(configuration, log, opened);
  } catch (error) {
    await opened.close(log);
    throw error;
  }
}

async function composed(configuration: Configuration, log: Log, opened: OpenParts): Promise<Daemon> {
  const clock = systemClock;
  await privateState(configuration.stateDir, log).catch((error: unknown) => {
    throw new StartError(`the state directory can't be used: ${(error as Error).message}`);
  });
  const journal = opened.last(await journalIn(configuration, log));
  const screen = opened.last(await screenAt(configuration.screen.port));
  const entrance = await entranceOf(configuration, clock, log);
  const { tls } = entrance;

  const onPaperFailure = (error: unknown) => log.failure('receipt', error);
  const devices = await openDevices(configuration, clock, onPaperFailure, (device) => opened.last(device)).catch(
    refusedAsConfiguration,
  );
  const { reader, printer, scanner } = devices;
  for (const device of [reader, scanner, devices.octopus]) {
    device?.onState((state) => log.info('device', { device: device.name, state }));
  }
  const octopus: OctopusReturn | undefined =
    devices.octopus && octopusReturn(devices.octopus, journal, clock, () => forwarder, log);
  const hosts = await openHosts(configuration, octopus, clock, (answer) => {
    log.warn('late answer', { acquirerId: answer.acquirerId });
    lateAnswers.hear(answer);
  }).catch(refusedAsConfiguration);
  const { acquirers, cardAcquirers, wallets } = makeAcquirers(hosts, {
    journal,
    clock,
    prints: printer !== undefined,
    noRecordGraceMs: configuration.timeouts.noRecordGraceMs,
    onFailure: (error) => log.failure('settlement', error),
  });
  for (const acquirer of acquirers.values()) opened.last(acquirer);
  const profiles = [...acquirers.values()].map(({ profile }) => profile);
  const forwarder = opened.last(
    new Forwarder({
      journal,
      acquirers,
      patienceMs: configuration.timeouts.pendingMs,
      clock,
      onThrough: (what, id) => {
        log.info(what, { terminalTransactionId: id });
        // What was unknown and turned out to be paid has its receipt queued now.
        receipts?.poke();
        entrance.queueChanged();
      },
      onFailure: (error) => {
        log.failure('forwarder', error);
        // One of the queue may be known by now as one that can't be sent.
        entrance.queueChanged();
      },
    }),
  );

  const lateAnswers = opened.last(
    new LateAnswers({
      journal,
      forwarder,
      acquirers: cardAcquirers,
      clock,
      random: systemRandom,
      onHeard: (what, id) => {
        log.warn(what, id === undefined ? {} : { terminalTransactionId: id });
        entrance.queueChanged();
      },
      onFailure: (error) => log.failure('late answer', error),
    }),
  );

  const lagMs = Math.max(0, ...configuration.acquirers.map((each) => ('queryLagMs' in each ? each.queryLagMs : 0)));
  const onPaid = (id: TerminalTransactionId) => {
    log.warn('paid after it was closed', { terminalTransactionId: id });
    entrance.queueChanged();
  };
  const look = { lagMs, onPaid, onFailure: (error: unknown) => log.failure('wallet', error) };
  const closedOrders =
    wallets.size > 0 &&
    opened.last(new SecondLook({ journal, wallets, forwarder, clock, random: systemRandom, ...look }));

  const paper = paperDesk(configuration, printer, log);
  const sheets = (each: Paper) => paper.sheets(each);
  const receipts = printer && opened.last(new ReceiptService({ journal, printer, sheets, onFailure: onPaperFailure }));
  const events = new EventStream(clock);
  const watchers: TerminalEvents[] = [events];
  const {
    walletPollMs,
    walletResolveMs,
    octopusIncompleteMs,
    octopusSilentMs,
    octopusRetryMs,
    pendingMs: _pending,
    noRecordGraceMs: _grace,
    stopMs: _stop,
    ...timeouts
  } = configuration.timeouts;

  const methods = openMethods({
    reader,
    cardAcquirers,
    wallets,
    scanner,
    octopus,
    openDrawer: printer && (() => printer.openDrawer()),
    waits: { walletPollMs, walletResolveMs, octopusIncompleteMs, octopusSilentMs, octopusRetryMs },
  });
  const terminal = new Terminal({
    journal,
    forwarder,
    acquirers,
    rules: configuration.rules,
    methods,
    ...(receipts ? { receipts } : {}),
    ...(closedOrders ? { closedOrders } : {}),
    screen,
    events: { tell: (event) => watchers.forEach((each) => each.tell(event)) },
    currency: configuration.screen.currency,
    clock,
    random: systemRandom,
    timeouts: { ...timeouts, outcomeMs: configuration.screen.outcomeMs },
    onFailure: (error) => log.failure('transaction', error),
  });
  await paper.warmUp();
  await terminal.recover();
  receipts?.poke();

  const isUnsendable = (id: TerminalTransactionId) => forwarder.isUnsendable(id);
  const counter = { terminal, ...devices, acquirers, journal, isUnsendable };
  const status = () => statusReport({ ...counter, ...(tls ? { tls } : {}) });
  const pairing = entrance.pairing ? { pairing: entrance.pairing } : {};
  const known = { terminal, means: { profiles, modes: methods.modes }, reprints: paper, status, events, ...pairing };
  const parts = apiParts(configuration, known);
  const desk = entrance.desk(
    parts,
    { journal, forwarder },
    { isIdle: () => terminal.running === undefined, undisturbed: (work) => terminal.undisturbed(work) },
  );
  watchers.push(desk);
  await desk.refresh();
  screen.equip(desk);
  const api = await apiFor(configuration, parts, entrance, log);
  opened.last(dailySettlement(configuration, terminal, journal, profiles, log));
  const readyWatch = Promise.withResolvers<void>();
  if (reader.state === 'ready') readyWatch.resolve();
  else reader.onState((state) => state === 'ready' && readyWatch.resolve());

  return {
    apiPort: api.port,
    apiScheme: tls ? 'https' : 'http',
    screenPort: screen.port,
    ready: readyWatch.promise,
    failed: journal.broken.then(async (error) => {
      if (error.code === 'gone') await takeBack({ journal, terminal, acquirers, clock, ...lastWords(log) });
      return error;
    }),
    async stop() {
      // Nobody waits for the operator any more.
      desk.close();
      // What runs is brought to its end while its POS is still connected; new connections are refused meanwhile.
      await Promise.all([terminal.close(), api.close()]);
      await opened.close(log);
    },
  };
}

/** Of what is taken back without a journal. */
function lastWords(log: Log) {
  return {
    onThrough: (id: TerminalTransactionId) =>
      log.warn('taken back', { terminalTransactionId: id, reason: 'the journal is gone' }),
    onFailure: (error: unknown) => log.failure('journal', error),
  };
}

/** What no schema can see of a configuration, the parts themselves refuse. */
function refusedAsConfiguration(error: unknown): never {
  throw error instanceof RangeError ? new StartError(`the configuration can't be used: ${error.message}`) : error;
}

async function journalIn({ stateDir, retention }: Configuration, log: Log): Promise<Journal> {
  try {
    const journal = await openJournal(path.join(stateDir, 'journal.db'), {
      retentionDays: retention.days,
      reasonOf: recordedReason,
      onArchiveFailure: (error) => log.failure('archive', error),
      onChecked: ({ reason }) => reason !== undefined && log.warn('journal', { reason }),
    });
    if (journal.putBack !== undefined) log.warn('journal', { reason: journal.putBack });
    return journal;
  } catch (error) {
    if (error instanceof JournalError && error.code === 'in-use') {
      throw new StartError(`another poid runs on the state directory ${stateDir}`);
    }
    throw new StartError(`the journal in ${stateDir} can't be opened: ${(error as Error).message}`);
  }
}

async function entranceOf(configuration: Configuration, clock: SteadyClock, log: Log): Promise<Entrance> {
  return openEntrance(configuration, clock, systemRandom, log).catch((error: unknown) => {
    throw new StartError((error as Error).message);
  });
}

async function screenAt(port: number): Promise<ScreenServer> {
  return serveScreen(port).catch((error: unknown) => {
    throw new StartError(`the screen can't listen on 127.0.0.1:${port}: ${listenFault(error)}`);
  });
}

function apiParts({ shop, receipt }: Configuration, known: Omit<ApiParts, 'shop' | 'shapeFor'>): ApiParts {
  const shapeFor = (posId: string) => {
    const own = Object.hasOwn(receipt.printedByPosId, posId) ? receipt.printedByPosId[posId] : undefined;
    return (own ?? receipt.printedBy) === 'pos' ? 'B' : 'A';
  };
  return { ...known, shop, shapeFor };
}

async function apiFor(
  { http }: Configuration,
  parts: ApiParts,
  { tls, authenticator }: Pick<Entrance, 'tls' | 'authenticator'>,
  log: Log,
): Promise<ApiServer> {
  const { host, port, bodyBytesMax, headerBytesMax, headersMs, requestMs, idleMs } = http;
  const onFailure = (error: unknown) => log.failure('api', error);
  return serveApi({
    host,
    port,
    bodyBytesMax,
    headerBytesMax,
    pipelinedMax: http.pipelinedMax,
    refusalsMax: http.refusalsMax,
    limits: {
      connectionsMax: http.connectionsMax,
      perAddressMax: http.connectionsPerAddressMax,
      newPerSecondMax: http.newConnectionsPerSecondMax,
    },
    timeouts: { ...clientTimeouts, headersMs, requestMs, idleMs },
    access: new Access(http),
    ...(tls ? { tls } : {}),
    ...(authenticator ? { authenticator } : {}),
    parts,
    onFailure,
  }).catch((error: unknown) => {
    throw new StartError(`the terminal API can't listen on ${host}:${port}: ${listenFault(error)}`);
  });
}

function listenFault(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'the port is in use';
  if (code === 'EACCES') return 'the port needs a privilege';
  return message;
}

function paperDesk({ shop, printer: settings, receipt }: Configuration, printer: ReceiptPrinter | undefined, log: Log) {
  return new PaperDesk({
    shop,
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    language: receipt.language,
    columns: settings?.columns ?? 48,
    merchantCopy: receipt.merchantCopy,
    ...(printer ? { printer } : {}),
    onFailure: (error) => log.failure('receipt', error),
  });
}

function octopusReturn(reader: OctopusReader, journal: Journal, clock: Clock, forwarder: () => Forwarder, log: Log) {
  const onCompleted = () => void forwarder().flush(octopusId);
  const onFailure = (error: unknown) => log.failure('octopus', error);
  return new OctopusReturn({ reader, journal, clock, onCompleted, onFailure });
}

function dailySettlement(
  { settlement: { dailyAt: at } }: Configuration,
  terminal: Terminal,
  journal: Journal,
  profiles: readonly { readonly id: AcquirerId }[],
  log: Log,
) {
  const onFailure = (error: unknown) => log.failure('settlement', error);
  const stop = settleDaily({
    ...(at === undefined ? {} : { at }),
    acquirers: profiles.map(({ id }) => id),
    journal,
    clock: systemClock,
    random: systemRandom,
    settle: (request) => terminal.settle(request),
    onFailure,
  });
  return { close: () => Promise.resolve(stop()) };
}

/** What was opened, closed in reverse. */
class OpenParts {
  readonly #parts: { close(): Promise<void> }[] = [];

  last<T extends { close(): Promise<void> }>(part: T): T {
    this.#parts.push(part);
    return part;
  }

  async close(log: Log): Promise<void> {
    for (const part of this.#parts.splice(0).toReversed()) {
      await part.close().catch((error: unknown) => log.failure('stop', error));
    }
  }
}
