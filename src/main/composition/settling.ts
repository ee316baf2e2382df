import type { EventStream } from '../../pos/api/event-stream.ts';
import { customerMatterEvents } from '../../pos/api/customer-matters.ts';
import { extraPaymentEvents } from '../../pos/api/extra-payments.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { OpenedMethod } from '../../payment/method/payment-method-module.ts';
import { OctopusReturn } from '../../methods/octopus/card-return.ts';
import type { Random, MonotonicClock } from '../../base/ports/clock.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { LateAnswer } from '../../payment/contracts/late-answer.ts';
import { CommissioningFaults } from '../../observability/commissioning-faults.ts';
import type { Log } from '../../observability/log.ts';
import type { ReceiptService } from '../../payment/terminal/receipt-service.ts';
import type { Devices } from './devices.ts';
import type { AccessControl } from './access-control.ts';
import { octopusId, openHosts } from './hosts.ts';
import { AcquirersInUse } from './acquirers-in-use.ts';
import { findHolds } from './find-holds.ts';
import { HeldAcquirers, holdText } from './held-acquirers.ts';
import type { OpenParts } from './open-parts.ts';
import { openQueues, type Queues } from './queues.ts';
import { addedSource } from './method-modules.ts';
import { refuseConfiguration, StartError } from './start-error.ts';

interface SettlingParts {
  readonly journal: Journal;
  readonly devices: Pick<Devices, 'octopus' | 'printer'>;
  readonly rooms: readonly OpenedMethod[];
  readonly receipts?: ReceiptService | undefined;
  readonly accessControl: Pick<AccessControl, 'queueChanged'>;
  readonly events: Pick<EventStream, 'emitExtraPayment' | 'emitCustomerMatter'>;
  readonly clock: MonotonicClock;
  readonly random: Random;
  readonly log: Log;
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
  /** Called when the operator has given a payment back in cash, or has settled something with the customer. */
  readonly onGivenBack: (id: TerminalTransactionId) => void;
}

/**
 * Reports to the POS the extra payments of a transaction, or the extra payment that it is itself; and what is to be
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

/** Opens the configured acquirers and their queues. Rejects with StartError. */
export async function openSettling(
  configuration: Configuration,
  { journal, devices, rooms, receipts, accessControl, events, clock, random, log }: SettlingParts,
  opened: OpenParts,
): Promise<Queues & Held & { readonly octopus?: OctopusReturn; readonly faults: CommissioningFaults } & CustomerNews> {
  const { pendingMs: patienceMs, noRecordGraceMs } = configuration.timeouts;
  const octopus =
    devices.octopus &&
    new OctopusReturn({
      reader: devices.octopus,
      journal,
      clock,
      onCompleted: () => void queues.forwarder.flush(octopusId),
      onFailure: (error) => log.failure('octopus', error),
    });
  const faults = new CommissioningFaults(log, clock);
  const onLate = (answer: LateAnswer) => {
    log.warn('late answer', { acquirerId: answer.acquirerId });
    queues.lateAnswers.hear(answer);
  };
  const { held, inUse } = await findHeld(configuration, journal, log);
  const listeners = { onLate, onStanding: faults.hear, held };
  const sources = await openHosts(configuration, octopus, clock, listeners).catch(refuseConfiguration);
  const numbers = new Map(sources.flatMap((each) => ('host' in each ? [[each.profile.id, each.host] as const] : [])));
  faults.recall(journal, numbers).catch((error: unknown) => log.failure('journal', error));
  const lagMs = Math.max(0, ...configuration.acquirers.map((each) => ('queryLagMs' in each ? each.queryLagMs : 0)));
  const warn = (what: string, id?: TerminalTransactionId) => {
    log.warn(what, id === undefined ? {} : { terminalTransactionId: id });
    accessControl.queueChanged();
  };
  const report = customerNews(journal, events, log);
  const terms = { journal, clock, random, prints: devices.printer !== undefined, patienceMs, noRecordGraceMs, lagMs };
  const queues: Queues = openQueues(
    [...sources, ...rooms.map(addedSource)],
    {
      ...terms,
      onThrough: (_what, id) => {
        report(id);
        // A payment whose outcome was unknown may have queued its receipt.
        receipts?.wake();
        accessControl.queueChanged();
      },
      onHeard: (what, id) => {
        if (id !== undefined) report(id);
        warn(what, id);
      },
      onPaid: (id) => {
        report(id);
        warn('paid after it was closed', id);
      },
      onFailure: (part, error) => {
        log.failure(part, error);
        // A message of the queue may have turned out to be unsendable.
        if (part === 'forwarder') accessControl.queueChanged();
      },
    },
    opened,
  );
  return { ...queues, faults, held, inUse, onGivenBack: report, ...(octopus ? { octopus } : {}) };
}
