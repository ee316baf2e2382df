import type { LineReport } from '../base/domain/line-security.ts';
import type { AcquirerId, TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { SettlingBatch } from '../payment/events/settling-batch.ts';
import type { AcquirerHost, HostSites, SiteReport } from '../payment/contracts/acquirer-host.ts';
import type { Journal, Pending } from '../payment/contracts/journal.ts';
import { type OpenDiscrepancy, openDiscrepancies } from '../payment/records/discrepancies.ts';
import { openCurrencies } from '../payment/records/open-currencies.ts';
import { type FailedBatch, readFailedBatches } from '../payment/records/failed-batches.ts';
import type { CommissioningFaults } from './commissioning-faults.ts';

type Address = Pick<AcquirerHost, 'mid' | 'tid' | 'link' | 'line'> & {
  readonly sites?: Pick<HostSites, 'report'>;
};

export interface QueueParts {
  /** In the order of the configuration. */
  readonly acquirers: ReadonlyMap<AcquirerId, { readonly address?: Address }>;
  readonly journal: Pick<
    Journal,
    | 'health'
    | 'pending'
    | 'waitingReceipts'
    | 'acquirers'
    | 'openBatch'
    | 'rejectedAdvices'
    | 'setAside'
    | 'settlingBatches'
    | 'deniedBatches'
    | 'latestSettlements'
    | 'discrepancies'
  >;
  /** Whether no message can be built from the transaction, so that it waits for the operator. */
  readonly isUnsendable: (id: TerminalTransactionId) => boolean;
  /** Acquirers whose host does not know this terminal. */
  readonly faults?: Pick<CommissioningFaults, 'of'>;
  /** Acquirers that take no new payments, because their settings were changed while money was unsettled. */
  readonly held?: HeldParts | undefined;
}

interface HeldParts {
  isFormer(id: AcquirerId): boolean;
  of(id: AcquirerId): { readonly changed: readonly string[]; readonly message: string } | undefined;
}

/** The part of the status that only the journal knows. */
export async function readQueues(parts: QueueParts) {
  const { journal, isUnsendable } = parts;
  const [health, pending, receipts, failed, known, discrepancies] = await Promise.all([
    journal.health(),
    journal.pending(),
    journal.waitingReceipts(),
    readFailedBatches(journal),
    journal.acquirers(),
    openDiscrepancies(journal),
  ]);
  const configured = [...parts.acquirers.keys()].filter((id) => !parts.held?.isFormer(id));
  const gone = known.filter((id) => !configured.includes(id));
  const report = async (id: AcquirerId) => ({
    id,
    ...(configured.includes(id) ? {} : { configured: false as const }),
    ...addressOf(parts.acquirers.get(id)?.address),
    ...faultOf(id, parts.faults),
    ...holdOf(id, parts.held),
    openBatch: await journal.openBatch(id),
    ...settlementFailed(failed, id),
    pendingReversals: waiting(pending, 'reversal', id),
    pendingAdvices: waiting(pending, 'advice', id),
    rejectedAdvices: await journal.rejectedAdvices(id),
    unsendable: pending.filter((each) => each.acquirerId === id && isUnsendable(each.id)).map((each) => each.id),
    setAside: await journal.setAside(id),
    waitingBatches: [...(await unsettledBatches(id, journal)), ...(await deniedOf(id, journal))].map(waitingBatch),
  });
  return {
    journal: health,
    acquirers: [
      ...(await Promise.all(configured.map(report))),
      ...(await Promise.all(gone.map(report))).filter(isLeft),
    ],
    pendingReversals: waiting(pending, 'reversal'),
    pendingAdvices: waiting(pending, 'advice'),
    waitingReceipts: receipts.length,
    ...(discrepancies.length === 0 ? {} : { discrepancies: discrepancies.map(discrepancyOf) }),
  };
}

/** Differences from the banks' books. Sums are this terminal's, in the batch's currency. */
function discrepancyOf({ number: _number, ...reported }: OpenDiscrepancy) {
  return reported;
}

/** The part that is reported while the journal does not answer, and the part that is not. */
export function untold({ acquirers, faults, held }: Pick<QueueParts, 'acquirers' | 'faults' | 'held'>) {
  return {
    journal: 'silent' as const,
    acquirers: [...acquirers].map(([id, { address }]) => ({
      id,
      ...addressOf(address),
      ...faultOf(id, faults),
      ...holdOf(id, held),
    })),
    untold: ['acquirers', 'pendingReversals', 'pendingAdvices', 'waitingReceipts'] as const,
  };
}

interface Left extends Record<'pendingReversals' | 'pendingAdvices', number> {
  readonly held?: unknown;
  readonly rejectedAdvices: readonly unknown[];
  readonly waitingBatches: readonly unknown[];
}

/** Whether an acquirer that is not configured any more still has transactions for the operator. */
function isLeft({ held, pendingReversals, pendingAdvices, rejectedAdvices, waitingBatches }: Left): boolean {
  if (held !== undefined) return true;
  return pendingReversals + pendingAdvices + rejectedAdvices.length + waitingBatches.length > 0;
}

async function unsettledBatches(id: AcquirerId, journal: Pick<Journal, 'settlingBatches'>): Promise<SettlingBatch[]> {
  return (await journal.settlingBatches(id)).filter((each) => openCurrencies(each).length > 0);
}

/** Batches that their host has settled although the bank had denied it: the operator must ask the bank again. */
async function deniedOf(id: AcquirerId, journal: Pick<Journal, 'deniedBatches'>): Promise<SettlingBatch[]> {
  return (await journal.deniedBatches(id))
    .filter(({ currencies }) => currencies.some(({ result }) => result === 'BALANCED' || result === 'UPLOADED'))
    .map((each) => ({
      ...each,
      reason: 'the host has settled it after all, and its payments are in the open batch too',
    }));
}

/** A closed batch that is not settled yet. `refused`: its host will not accept it, the operator must ask the bank. */
function waitingBatch({ batch, at, tries, refused, reason }: SettlingBatch) {
  return { batch, closedAt: at, tries, refused, ...(reason === undefined ? {} : { message: reason }) };
}

/** The open batch, if its latest settlement has failed; the terminal repeats it. */
function settlementFailed(failed: readonly FailedBatch[], id: AcquirerId) {
  const found = failed.find(({ acquirerId }) => acquirerId === id);
  return found && { settlementFailed: { batch: found.batch, at: found.at, message: found.reason } };
}

/** Undefined for an acquirer without a host. */
function addressOf(address: Address | undefined) {
  if (!address) return undefined;
  const { mid, tid, link, line, sites } = address;
  return { mid, tid, link, ...describeLine(line), ...(sites ? { sites: sites.report.map(describeSite) } : {}) };
}

function describeSite({ site, isInUse, fault }: SiteReport) {
  return { site, inUse: isInUse, ...(fault ? { fault } : {}) };
}

/** How the connection to a card host is protected, and its fault. */
function describeLine(line: LineReport | undefined) {
  if (!line) return undefined;
  const { security, fault: lineFault, isSignedOn, certificate, clientCertificate } = line;
  return {
    security,
    ...(lineFault ? { lineFault } : {}),
    ...(isSignedOn === undefined ? {} : { signedOn: isSignedOn }),
    ...(certificate ? { certificate } : {}),
    ...(clientCertificate ? { clientCertificate } : {}),
  };
}

function faultOf(id: AcquirerId, faults: QueueParts['faults']) {
  const commissioningFault = faults?.of(id);
  return commissioningFault && { commissioningFault };
}

function holdOf(id: AcquirerId, all: QueueParts['held']) {
  const held = all?.of(id);
  return held && { held };
}

function waiting(pending: readonly Pending[], message: Pending['message'], acquirerId?: AcquirerId): number {
  const ofAcquirer = (each: Pending) => acquirerId === undefined || each.acquirerId === acquirerId;
  return pending.filter((each) => each.message === message && ofAcquirer(each)).length;
}
