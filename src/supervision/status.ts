import type { ClockState } from '../domain/clock-doubt.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { AcquirerHost } from '../ports/acquirer-host.ts';
import type { CardReader } from '../ports/card-reader.ts';
import type { Device } from '../ports/device.ts';
import type { Journal, Pending } from '../ports/journal.ts';
import type { SettlingBatch } from '../events/settling-batch.ts';
import type { PrinterFault, ReceiptPrinter } from '../ports/receipt-printer.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { version } from './version.ts';

const statusWaitMs = 100;

type Address = Pick<AcquirerHost, 'mid' | 'tid' | 'link'>;

export interface StatusParts {
  readonly terminal: Terminal;
  readonly reader: CardReader;
  readonly printer?: ReceiptPrinter;
  readonly scanner?: Device;
  readonly octopus?: Device;
  /** In the order of the configuration. */
  readonly acquirers: ReadonlyMap<AcquirerId, { readonly address?: Address }>;
  readonly clock: { readonly state: ClockState };
  readonly journal: Journal;
  /** Whether no message can be built from the transaction, so that it waits for the operator. */
  readonly isUnsendable: (id: TerminalTransactionId) => boolean;
  /** Set if the API uses HTTPS. */
  readonly tls?: { readonly fingerprint: string; readonly publicKeyPin: string };
}

/** The answer of GET /sp/v1/status. */
export async function statusReport(parts: StatusParts) {
  const { terminal, reader, printer, scanner, octopus, journal, isUnsendable, tls } = parts;
  const [health, pending, receipts, known, fault] = await Promise.all([
    journal.health(),
    journal.pending(),
    journal.waitingReceipts(),
    journal.acquirers(),
    printer && printerFault(printer),
  ]);
  const { running } = terminal;
  const configured = [...parts.acquirers.keys()];
  const gone = known.filter((id) => !configured.includes(id));
  const tell = async (id: AcquirerId) => ({
    id,
    ...(configured.includes(id) ? {} : { configured: false as const }),
    ...addressOf(parts.acquirers.get(id)?.address),
    openBatch: await journal.openBatch(id),
    pendingReversals: waiting(pending, 'reversal', id),
    pendingAdvices: waiting(pending, 'advice', id),
    rejectedAdvices: await journal.rejectedAdvices(id),
    unsendable: pending.filter((each) => each.acquirerId === id && isUnsendable(each.id)).map((each) => each.id),
    setAside: await journal.setAside(id),
    waitingBatches: [...(await journal.settlingBatches(id)), ...(await deniedOf(id, journal))].map(waitingBatch),
  });
  const notReady = terminal.notReady ?? (health === 'full' ? 'the disk of the journal is full' : undefined);
  return {
    responseResult: 'SUCCESS',
    responseCode: 0,
    version,
    state: running?.state ?? 'idle',
    ready: notReady === undefined,
    ...(notReady === undefined ? {} : { message: notReady }),
    ...(running?.step === undefined ? {} : { step: running.step }),
    ...(running ? { running: { posId: running.posId, messageId: running.messageId } } : {}),
    devices: {
      reader: { name: reader.name, state: reader.state },
      ...(printer ? { printer: { name: printer.name, state: printer.state, fault: fault ?? 'none' } } : {}),
      ...(scanner ? { scanner: { name: scanner.name, state: scanner.state } } : {}),
      ...(octopus ? { octopus: { name: octopus.name, state: octopus.state } } : {}),
    },
    clock: { state: parts.clock.state, timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone },
    journal: health,
    journalCheck: journal.check ?? { state: 'never' as const },
    ...(journal.putBack === undefined ? {} : { journalFault: journal.putBack }),
    ...(journal.archiveFault === undefined ? {} : { archiveFault: journal.archiveFault }),
    ...(tls ? { tls: { fingerprint: tls.fingerprint, publicKeyPin: tls.publicKeyPin } } : {}),
    acquirers: [...(await Promise.all(configured.map(tell))), ...(await Promise.all(gone.map(tell))).filter(isLeft)],
    pendingReversals: waiting(pending, 'reversal'),
    pendingAdvices: waiting(pending, 'advice'),
    waitingReceipts: receipts.length,
  };
}

interface Left extends Record<'pendingReversals' | 'pendingAdvices', number> {
  readonly rejectedAdvices: readonly unknown[];
  readonly waitingBatches: readonly unknown[];
}

/** Whether an acquirer that is not configured any more still has transactions for the operator. */
function isLeft({ pendingReversals, pendingAdvices, rejectedAdvices, waitingBatches }: Left): boolean {
  return pendingReversals + pendingAdvices + rejectedAdvices.length + waitingBatches.length > 0;
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

/** Undefined for an acquirer without a host. */
function addressOf(address: Address | undefined) {
  return address && { mid: address.mid, tid: address.tid, link: address.link };
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

function waiting(pending: readonly Pending[], message: Pending['message'], acquirerId?: AcquirerId): number {
  const ofAcquirer = (each: Pending) => acquirerId === undefined || each.acquirerId === acquirerId;
  return pending.filter((each) => each.message === message && ofAcquirer(each)).length;
}
