import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { Conclusion } from '../events/conclusion.ts';
import { type Journal, JournalError } from '../contracts/journal.ts';
import { type TransactionRecord, transactionRecord } from '../records/record.ts';
import { recoveryEvents } from '../transaction/recover.ts';
import type { ReceiptService } from './receipt-service.ts';
import type { StoreAndForward } from './store-and-forward.ts';
import type { CollectMode } from '../../base/domain/payment-scheme.ts';
import type { Reason } from '../../base/domain/reason.ts';
import type { TransactionKind, TransactionType } from '../../base/domain/transaction-kind.ts';
import type {
  Happening,
  MoneyState,
  MoneySubject,
  NextStep,
  ReportedMoney,
  ReportedOutcome,
} from '../contracts/reported-outcome.ts';
import { financialImpact } from '../records/impact.ts';
import { stands } from '../records/transaction-status.ts';
import { presentConclusion } from '../records/present.ts';
import { reportedReasons } from './reported-reasons.ts';
import type { Written } from '../method/commit-answer.ts';

/** The transaction already has an outcome, so the intent was not written and nothing was sent. */
class OutcomeFound extends Error {
  override readonly name = 'OutcomeFound';
  readonly outcome: Written;

  constructor(outcome: Written) {
    super('the transaction has an outcome already');
    this.outcome = outcome;
  }
}

/**
 * A journal that calls `find` before each intent that gets new numbers. If `find` returns an outcome of the
 * transaction, the intent rejects with OutcomeFound. This is the last moment before any method may charge the customer.
 */
export function gateJournal(journal: Journal, find: () => Promise<Written | undefined>): Journal {
  const check = async (): Promise<void> => {
    const outcome = await find();
    if (outcome) throw new OutcomeFound(outcome);
  };
  const gated: Pick<Journal, 'intend' | 'intendIfClear'> = {
    intend: async (...given) => {
      await check();
      return journal.intend(...given);
    },
    intendIfClear: async (...given) => {
      await check();
      return journal.intendIfClear(...given);
    },
  };
  return new Proxy(journal, {
    get(_journal, name) {
      if (name === 'intend' || name === 'intendIfClear') return gated[name];
      const value = Reflect.get(journal, name, journal) as unknown;
      // Private fields belong to the journal itself.
      return typeof value === 'function' ? (value.bind(journal) as unknown) : value;
    },
  });
}

/** The outcome that was found instead of an intent. Rejects as `call` does for any other reason. */
export async function awaitOrOutcome<T>(call: Promise<T>): Promise<T | Written> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof OutcomeFound) return error.outcome;
    throw error;
  }
}

/**
 * How the payment was collected: `mode`, unless it went by its original; `ways`: the modes of other methods that work
 * now.
 */
export interface Collected {
  readonly mode?: CollectMode | undefined;
  readonly ways: readonly CollectMode[];
}

/** The outcome as the customer sees it: the event, the state of the money, the next step. */
export function reportOutcome(record: TransactionRecord, { mode, ways }: Collected): ReportedOutcome {
  const { result, reason = 'unspecified' } = presentConclusion(record);
  const subject = subjectOf(record.request.type);
  if (result === 'SUCCESS') return { money: approvalMoney(record.request.type), next: 'thanks' };
  const state = moneyState(record);
  const [happened, next] = reportedReasons[reason];
  const able = next === 'waysThatWork' && ways.length === 0 ? 'tryLater' : next;
  return {
    happened: happened === 'bankFirst' ? bankFirst(mode) : happened,
    money: `${subject}-${state}`,
    next: nextOf(able, subject, state),
  };
}

/** For an outcome that can't be read: the state of the money is unknown. */
export function reportUnknown(type: TransactionType, reason: Reason = 'recordUnreadable'): ReportedOutcome {
  const subject = subjectOf(type);
  const [happened, next] = reportedReasons[reason];
  return { happened, money: `${subject}-UNKNOWN`, next: nextOf(next, subject, 'UNKNOWN') };
}

/** Whether the payment was cancelled on purpose or timed out, and no money can have moved: that is not an error. */
export function isCancelled(record: TransactionRecord): boolean {
  const { reason = 'unspecified' } = presentConclusion(record);
  const state = moneyState(record);
  const nothingMoved = state === 'NONE' || state === 'IF_PAID_RETURNED' || state === 'IF_PAID_ASK';
  return nothingMoved && wished.has(reason);
}

const wished = new Set<Reason>(['cancelledByPos', 'cancelledByMerchant', 'cancelledByCustomer', 'customerTimeout']);

function subjectOf(type: TransactionType): MoneySubject {
  if (type === 'REFUND') return 'refund';
  if (type === 'TIP_ADJUST') return 'tip';
  return type.startsWith('VOID') ? 'void' : 'charge';
}

function approvalMoney(type: TransactionKind): ReportedMoney {
  return type === 'AUTH' ? 'hold-DONE' : `${subjectOf(type)}-DONE`;
}

/** As reported to the POS; a wallet that is enquired once more may still report a payment. */
function moneyState(record: TransactionRecord): MoneyState {
  if (stands(record) && record.returned === undefined) return 'DONE';
  const impact = financialImpact(record);
  if (impact !== 'NONE' || !record.unlooked?.length) return impact;
  return record.unlooked.some(({ isFinal }) => isFinal) ? 'IF_PAID_ASK' : 'IF_PAID_RETURNED';
}

/**
 * A customer must not be invited to pay again while it is unknown whether the money has moved, or if there was nothing
 * to pay.
 */
function nextOf(next: NextStep, subject: MoneySubject, state: MoneyState): NextStep {
  if (state === 'UNKNOWN' || state === 'REVERSAL_PENDING' || state === 'DONE')
    return subject === 'charge' ? 'askBeforePaying' : 'askForHelp';
  if (subject === 'charge') return next;
  switch (next) {
    case 'askBeforePaying':
      return 'askForHelp';
    case 'payOtherWay':
    case 'tryAgain':
    case 'tryLater':
    case 'insertCard':
    case 'waysThatWork':
      return 'repeat';
    case 'useThatCard':
    case 'startAgain':
    case 'repeat':
    case 'askForHelp':
    case 'thanks':
    case 'sign':
      return next;
    default:
      return next satisfies never;
  }
}

/** The payments that are impossible until the bank has answered. */
function bankFirst(mode: CollectMode | undefined): Happening {
  switch (mode) {
    case 'CARD':
      return 'cardsBankFirst';
    case 'QR_SCAN':
    case 'QR_PRESENT':
      return 'walletsBankFirst';
    case 'EPS':
      return 'epsBankFirst';
    default:
      return 'bankFirst';
  }
}

export interface RecoveryOptions {
  readonly journal: Journal;
  readonly forwarder: StoreAndForward;
  readonly clock: Clock;
  /** The id of the running transaction: it is unfinished, and needs no recovery. */
  readonly running: () => TerminalTransactionId | undefined;
  /** Prints the slips of interrupted payments, if the terminal has a printer. */
  readonly receipts: Pick<ReceiptService, 'wake'> | undefined;
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** A full or broken disk usually stays so for a while. */
const pauseMs = 10_000;

/**
 * Concludes transactions that a restart or a failing journal left unfinished, and starts sending their reversals. Money
 * may be held at a host meanwhile, so it does not wait for the next payment.
 */
export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #reported = new Map<TerminalTransactionId, Conclusion>();
  #due = false;
  #active: Promise<void> | undefined;
  #timer: unknown;
  #closed = false;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** A transaction may be unfinished, and must be concluded before the next payment begins. */
  get due(): boolean {
    return this.#due;
  }

  /** Adds the conclusion that was reported, or that will be written, if the journal does not have it yet. */
  withReportedEnd(record: TransactionRecord): TransactionRecord {
    if (record.conclusion) return record;
    const due = recoveryEvents(record, this.#reported.get(record.id));
    const conclusion = due.find((event) => event.kind === 'ended');
    return conclusion ? { ...record, conclusion } : record;
  }

  /** Concludes all unfinished transactions. Rejects with JournalError; conclusions written before stay. */
  now(): Promise<void> {
    this.#active ??= this.#concludeAll().finally(() => {
      this.#active = undefined;
    });
    return this.#active;
  }

  /**
   * Concludes the transactions that a restart left unfinished. Rejects with JournalError, except if the disk is full:
   * then no payment can begin, and recovery is repeated until there is room.
   */
  async atStart(): Promise<void> {
    await this.now().catch((error: unknown) => {
      if (!(error instanceof JournalError && error.code === 'full')) throw error;
      this.#options.onFailure?.(error);
      this.#schedule();
    });
  }

  /**
   * Notes that the journal failed at the end of this transaction. `conclusion`: the end that was reported to the POS.
   */
  later(id: TerminalTransactionId, conclusion?: Conclusion): void {
    if (conclusion) {
      this.#reported.set(id, conclusion);
      this.#options.forwarder.hold(id);
    }
    this.#due = true;
    this.#schedule();
  }

  /** Stops repeating. The next start finds the unfinished transactions. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#options.clock.clearTimeout(this.#timer);
    await this.#active?.catch(() => undefined);
  }

  #schedule(): void {
    const { clock, onFailure } = this.#options;
    clock.clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = clock.setTimeout(() => {
      this.now().catch((error: unknown) => {
        onFailure?.(error);
        this.#schedule();
      });
    }, pauseMs);
  }

  async #concludeAll(): Promise<void> {
    const { journal, forwarder, running, receipts } = this.#options;
    // Reset first: this round may miss a transaction that becomes due during it.
    this.#due = false;
    try {
      const unfinished = await journal.unfinished();
      this.#releaseFinished(unfinished);
      for (const id of unfinished) {
        if (id === running()) {
          // The run is just ending, and nothing else would return to this transaction.
          this.#due = true;
          this.#schedule();
          continue;
        }
        await this.#conclude(id);
      }
      receipts?.wake();
      await forwarder.resume();
    } catch (error) {
      this.#due = true;
      throw error;
    }
  }

  /** A record that can't be read is left to the operator, so that it does not block the others. */
  async #conclude(id: TerminalTransactionId): Promise<void> {
    const { journal, forwarder, receipts, onFailure } = this.#options;
    const events = await journal.read(id);
    let record: TransactionRecord;
    try {
      record = transactionRecord(id, events);
    } catch (error) {
      onFailure?.(error);
      this.#release(id);
      return;
    }
    const conclude = async () => {
      await journal.append(id, recoveryEvents(record, this.#reported.get(id), receipts !== undefined));
      this.#release(id);
    };
    await (record.intent ? forwarder.enqueue(record.intent.acquirerId, conclude) : conclude());
  }

  /** A commit that was reported as failed may still be on disk. */
  #releaseFinished(unfinished: readonly TerminalTransactionId[]): void {
    for (const id of this.#reported.keys()) if (!unfinished.includes(id)) this.#release(id);
  }

  #release(id: TerminalTransactionId): void {
    this.#reported.delete(id);
    this.#options.forwarder.release(id);
  }
}
