import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { AcquirerHost, Unsettled } from '../../payment/contracts/acquirer-host.ts';
import { settlementFaults } from '../../base/domain/settlement-fault.ts';
import type { CardIntent } from '../../payment/events/intent.ts';
import type { Batch } from '../../payment/records/batch.ts';
import { cardIntentOf } from '../../payment/records/payment.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { Journal, Pending } from '../../payment/contracts/journal.ts';
import { UnsettledSearch } from '../../payment/records/first-unsettled.ts';
import { readableRecord, type TransactionRecord } from '../../payment/records/record.ts';
import type { AcquirerProfile } from '../../payment/transaction/acquirer-profile.ts';
import type { Acquirer, SendAttempt, SendResult } from '../../payment/method/acquirer.ts';
import { type BatchSettler, numberedBatches } from '../../payment/method/batch-settler.ts';
import { cardBatchFault, settleCardBatch } from './batch.ts';
import { BatchUploads } from './batch-upload.ts';
import { StanConfirmation, prepareAdvice } from './send-advice.ts';
import { UnsentAttempts } from './unsent-attempts.ts';
import { UnwrittenAnswers } from './unwritten-answers.ts';
import { buildOrder, reversalOrder } from './message.ts';

/** Names a request by its transaction, or by its trace number. */
type RequestName = TerminalTransactionId | number;

/**
 * How long a host's "no record" (25) proves nothing. The request may still linger in a connection that is dead here, or
 * in the host's front end, and be processed after its reversal was answered. No public source limits that time, so it
 * is configuration (fixtures/README.md, assumed).
 */
class NoRecordWindow {
  readonly #ms: number;
  readonly #clock: MonotonicClock;
  /** Requests that are not in the map were sent before this process started. When is not known, so its start counts. */
  readonly #startedMs: number;
  readonly #leftMs = new Map<RequestName, number>();

  constructor(ms: number, clock: MonotonicClock) {
    this.#ms = ms;
    this.#clock = clock;
    this.#startedMs = clock.elapsedMs();
  }

  /** Called when the request is handed to its link, or when the host reports on it. */
  markLeaving(request: RequestName): void {
    // Entries whose time is over are equal to absent ones, so the map holds the requests of one grace period only. It
    // is in the order of leaving: behind the first one whose time runs there is none that has left before.
    for (const earlier of this.#leftMs.keys()) {
      if (this.remainingMs(earlier) > 0) break;
      this.#leftMs.delete(earlier);
    }
    this.#leftMs.delete(request);
    this.#leftMs.set(request, this.#clock.elapsedMs());
  }

  /** 0 if the grace period is over. */
  remainingMs(request: RequestName): number {
    const sinceMs = this.#clock.elapsedMs() - (this.#leftMs.get(request) ?? this.#startedMs);
    return Math.max(0, Math.ceil(this.#ms - sinceMs));
  }
}

const severalSites = `${settlementFaults.notBuilt}: its transactions are at several sites that keep their own books`;

export interface CardAcquirerOptions {
  readonly profile: AcquirerProfile;
  readonly host: AcquirerHost;
  readonly journal: Journal;
  readonly clock: MonotonicClock;
  /** For this long after the original, a host's "no record" does not conclude its reversal. */
  readonly noRecordGraceMs?: number;
  readonly onFailure?: (error: unknown) => void;
}

/** An ISO 8583 host: reversals and advices are separate messages, and a batch is settled by its number. */
export class CardAcquirer implements Acquirer {
  readonly profile: AcquirerProfile;
  readonly host: AcquirerHost;
  readonly settler: BatchSettler;
  /** Whether "duplicate" from this host can refer to a number of this journal. */
  readonly numbers = new StanConfirmation();
  readonly #unsent = new UnsentAttempts();
  readonly #noRecordWindow: NoRecordWindow;
  readonly #findUnsettled: () => Promise<Unsettled | undefined>;

  constructor({ profile, host, journal, clock, noRecordGraceMs = 60_000, onFailure }: CardAcquirerOptions) {
    this.profile = profile;
    this.host = host;
    this.#noRecordWindow = new NoRecordWindow(noRecordGraceMs, clock);
    this.#findUnsettled = unsettledFinder(host.id, journal);
    const unwritten = new UnwrittenAnswers();
    const uploads = new BatchUploads(host, journal);
    this.settler = {
      ...numberedBatches,
      settlesEmpty: true,
      get batchMax() {
        return host.batchMax;
      },
      fault: cardBatchFault,
      settle: async (closed, read, isStopping, rest) => {
        const found = await this.#siteOfBatch(read);
        if (!found) return { result: 'FAILED', reason: severalSites };
        const parts = { journal, isStopping, rest, unwritten, uploads, onFailure };
        return settleCardBatch(closed, read, host, { ...parts, ...found });
      },
    };
  }

  get id(): AcquirerId {
    return this.host.id;
  }

  get address(): AcquirerHost {
    return this.host;
  }

  prepare(message: Pending['message'], record: TransactionRecord): SendAttempt {
    const { host, numbers } = this;
    return message === 'reversal'
      ? prepareReversal(record, { host, noRecordWindow: this.#noRecordWindow })
      : prepareAdvice(record, { host, numbers, unsent: this.#unsent });
  }

  /**
   * The site of the next payment, for its intent; nothing for a host with one address. `isOffline`: nothing is sent
   * now. `original`: the transaction that it refers to; without shared books no other site knows it. Rejects with
   * JournalError.
   */
  async chooseSite(isOffline: boolean, original?: Pick<CardIntent, 'site'>): Promise<{ readonly site?: string }> {
    const { sites } = this.host;
    if (!sites) return {};
    const site = await sites.choose(() => this.#findUnsettled(), !isOffline);
    if (sites.isShared || !original) return { site };
    return original.site === undefined ? {} : { site: original.site };
  }

  /**
   * The site where a batch is settled: without shared books, that of its transactions. Undefined if these are at
   * several sites.
   */
  async #siteOfBatch(read: () => Promise<Batch>): Promise<{ readonly site?: string } | undefined> {
    const { sites } = this.host;
    if (!sites) return {};
    if (!sites.isShared) {
      const first = sites.report[0]?.site;
      const [own, ...others] = new Set(
        (await read()).items.map(({ record }) => cardIntentOf(record.intent)?.site ?? first),
      );
      if (others.length > 0) return undefined;
      if (own !== undefined) return { site: own };
    }
    return { site: await sites.choose(() => this.#findUnsettled()) };
  }

  /** Called just before an online request of this transaction is sent. */
  markLeaving(id: TerminalTransactionId): void {
    this.#noRecordWindow.markLeaving(id);
  }

  /** Called when the host reports on the request with this number: it has arrived, whatever the host said before. */
  markHeard(stan: number): void {
    this.#noRecordWindow.markLeaving(stan);
  }

  close(): Promise<void> {
    return this.host.close();
  }
}

/** Finds whether an acquirer has queued or unsettled transactions, and at which site. */
function unsettledFinder(id: AcquirerId, journal: Journal): () => Promise<Unsettled | undefined> {
  const search = new UnsettledSearch(journal);
  return async () => {
    const found = await search.find([id]);
    if (!found) return undefined;
    const record = found.id && readableRecord(found.id, await journal.read(found.id));
    return record ? { site: cardIntentOf(record.intent)?.site } : {};
  };
}

/** The card acquirers among all acquirers, by their ids. */
export interface CardAcquirers {
  get(id: AcquirerId): CardAcquirer | undefined;
}

/** Looked up at each use: `acquirers` is complete only once all methods are open. */
export function cardAcquirersIn(acquirers: ReadonlyMap<AcquirerId, Acquirer>): CardAcquirers {
  return {
    get(id) {
      const found = acquirers.get(id);
      return found instanceof CardAcquirer ? found : undefined;
    },
  };
}

interface ReversalParts {
  readonly host: Pick<AcquirerHost, 'reverse'>;
  readonly noRecordWindow: NoRecordWindow;
}

/** The reversal of an online request (ISO 8583 0400, repeated 0401). Throws UnsendableOrder. */
function prepareReversal(record: TransactionRecord, { host, noRecordWindow }: ReversalParts): SendAttempt {
  const order = buildOrder(() => reversalOrder(record));
  // Its host has answered the request without a decision (0048). It is reachable: no payment waits for this reversal.
  const isOpen = record.hostOutcome?.kind === 'declined';
  return async (attempt): Promise<SendResult> => {
    // "No record" tells what the host knew when the reversal was sent, so the grace period is measured then.
    const sentMs = noRecordWindow.remainingMs(record.id);
    const outcome = await host.reverse(order, attempt > 1);
    const graceMs = Math.max(sentMs, noRecordWindow.remainingMs(order.trace.stan));
    if (outcome.kind === 'unanswered') return { kind: 'again' };
    const { kind, responseCode } = outcome;
    if (kind === 'contradicted') return { kind: 'again', refusedWith: responseCode, otherAmount: outcome.otherAmount };
    if (kind === 'refused') return { kind: 'again', refusedWith: responseCode };
    // The site of the original may have posted it, although another site has no record. Payments don't wait for its
    // answer.
    if (kind === 'noRecord' && outcome.isElsewhere) return { kind: 'again', isOpen: true };
    if (kind === 'noRecord' && graceMs > 0) return { kind: 'again', afterMs: graceMs, ...(isOpen ? { isOpen } : {}) };
    return {
      kind: 'through',
      news: 'reversal acknowledged',
      events: [{ kind: 'reversalAcknowledged', responseCode }],
    };
  };
}
