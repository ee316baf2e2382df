import type { EventStream } from '../../pos/api/event-stream.ts';
import { customerMatterEvents, extraPaymentEvents } from '../../pos/api/pos-response.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { LineMessageListener } from '../../payment/contracts/line-message.ts';
import type { MethodReports } from '../../payment/method/payment-method-module.ts';
import type { CashDrawer } from '../../pos/peripherals/cash-drawer.ts';
import type { Random, MonotonicClock } from '../../base/ports/clock.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import { CommissioningFaults } from '../../observability/commissioning-faults.ts';
import type { Log } from '../../observability/log.ts';
import type { ReceiptService } from '../../payment/terminal/receipt-service.ts';
import type { Devices } from './devices.ts';
import type { AccessControl } from './access-control.ts';
import { KeyCounterFile } from '../../hosts/key-counters/key-counter-file.ts';
import { hostOpener } from '../../payment/holds/open-hosts.ts';
import { AcquirersInUse } from '../../payment/holds/acquirers-in-use.ts';
import { findHolds } from '../../payment/holds/find-holds.ts';
import { HeldAcquirers, holdText } from '../../payment/holds/held-acquirers.ts';
import type { OpenParts } from './open-parts.ts';
import { type ConfiguredMethod, type OpenedMethods, openMethods } from './open-methods.ts';
import { StartError } from './start-error.ts';

interface SettlingParts {
  readonly configured: readonly ConfiguredMethod[];
  readonly journal: Journal;
  readonly devices: Omit<Devices, 'absences'>;
  readonly drawer: CashDrawer | undefined;
  readonly receipts?: ReceiptService | undefined;
  readonly accessControl: Pick<AccessControl, 'queueChanged'>;
  readonly events: Pick<EventStream, 'emitExtraPayment' | 'emitCustomerMatter'>;
  readonly clock: MonotonicClock;
  readonly random: Random;
  readonly log: Log;
  /** Called with each message to or from a card host. */
  readonly onMessage: LineMessageListener;
}

export interface Held {
  readonly held: HeldAcquirers;
  readonly inUse: AcquirersInUse;
}

/** The acquirers whose settings were changed while money was unsettled. Rejects with StartError. */
async function findHeld(configuration: Configuration, journal: Journal, log: Pick<Log, 'warn'>): Promise<Held> {
  const inUse = await AcquirersInUse.open(configuration.stateDir);
  if (inUse.fault !== undefined) log.warn('acquirers', { reason: inUse.fault });
  const { holds, keeps } = await findHolds(configuration, inUse, journal);
  await inUse.keep(keeps).catch((error: Error) => {
    throw new StartError(`the acquirers' settings can't be kept: ${error.message}`);
  });
  const held = new HeldAcquirers(holds);
  for (const hold of holds) log.warn('acquirer held', { acquirerId: hold.id, reason: holdText(hold) });
  return { held, inUse };
}

interface CustomerNews {
  /** Called when the operator has returned a payment in cash, or has settled something with the customer. */
  readonly onGivenBack: (id: TerminalTransactionId) => void;
}

/**
 * Reports to the POS the extra payments of a transaction, or the extra payment that it is itself, and the amounts to be
 * settled with the customer.
 */
function customerNews(
  journal: Journal,
  events: Pick<EventStream, 'emitExtraPayment' | 'emitCustomerMatter'>,
  log: Log,
): (id: TerminalTransactionId) => void {
  const report = async (id: TerminalTransactionId) => {
    for (const each of await extraPaymentEvents(id, journal)) events.emitExtraPayment(each);
    for (const each of await customerMatterEvents(id, journal)) events.emitCustomerMatter(each);
  };
  return (id) => void report(id).catch((error: unknown) => log.failure('journal', error));
}

/** The payment methods, and the terminal's other work for their acquirers. */
export type Settling = OpenedMethods & Held & CustomerNews & { readonly faults: CommissioningFaults };

/** Opens the configured methods with their acquirers and queues. Rejects with StartError. */
export async function openSettling(
  configuration: Configuration,
  { configured, journal, log, ...parts }: SettlingParts,
  opened: OpenParts,
): Promise<Settling> {
  const { devices, drawer, clock, random, events } = parts;
  const faults = new CommissioningFaults(log, clock);
  const { held, inUse } = await findHeld(configuration, journal, log);
  const report = customerNews(journal, events, log);
  const { reader, scanner, printer, ...ofMethods } = devices;
  const made = await openMethods(
    configured,
    {
      reader,
      journal,
      clock,
      random,
      keyCounters: new KeyCounterFile(configuration.stateDir, journal),
      order: configuration.acquirers.map(({ id }) => id),
      prints: printer !== undefined,
      ...(scanner ? { scanner } : {}),
      ...ofMethods,
      openDrawer: drawer && (() => drawer.openForSale()),
      openHosts: hostOpener(held),
      patienceMs: configuration.timeouts.pendingMs,
      reports: reportsTo({ ...parts, log, report, onRecognition: faults.hear }),
    },
    opened,
  );
  warnOfPlainLines(made.acquirers, log);
  const numbers = new Map([...made.acquirers].flatMap(([id, { address }]) => (address ? [[id, address]] : [])));
  faults.recall(journal, numbers).catch((error: unknown) => log.failure('journal', error));
  return { ...made, faults, held, inUse, onGivenBack: report };
}

/** Warns of hosts without TLS: an attacker on the line can read and answer their messages. */
function warnOfPlainLines(acquirers: OpenedMethods['acquirers'], log: Pick<Log, 'warn'>): void {
  for (const [acquirerId, { address }] of acquirers) {
    const security = address?.line?.security;
    if (security === 'none') log.warn('line', { acquirerId, reason: 'not protected, by the configuration' });
    if (security === 'undecided')
      log.warn('line', { acquirerId, reason: 'not protected: the configuration has no acquirers[].security' });
  }
}

type ReportedTo = Pick<SettlingParts, 'receipts' | 'accessControl' | 'log' | 'onMessage'> & {
  readonly report: (id: TerminalTransactionId) => void;
  readonly onRecognition: MethodReports['onRecognition'];
};

/** Logs the reports of the methods, and forwards them. */
function reportsTo({ receipts, accessControl, log, report, onRecognition, onMessage }: ReportedTo): MethodReports {
  return {
    onMessage,
    onRecognition,
    onThrough(_what, id) {
      report(id);
      // A payment whose outcome was unknown may have queued its receipt.
      receipts?.wake();
      accessControl.queueChanged();
    },
    onHeard(what, id) {
      if (id !== undefined) report(id);
      log.warn(what, id === undefined ? {} : { terminalTransactionId: id });
      accessControl.queueChanged();
    },
    onLine({ acquirerId, site, fault }) {
      const which = site === undefined ? { acquirerId } : { acquirerId, site };
      if (fault) log.warn('line', { ...which, reason: fault.reason });
      else log.info('line', { ...which, state: 'up' });
    },
    onSite: ({ acquirerId, site }) => log.warn('site in use', { acquirerId, site }),
    onLateAnswer: ({ acquirerId }) => log.warn('late answer', { acquirerId }),
    onFailure(part, error) {
      log.failure(part, error);
      // A message of the queue may have turned out to be unsendable.
      if (part === 'forwarder') accessControl.queueChanged();
    },
  };
}
