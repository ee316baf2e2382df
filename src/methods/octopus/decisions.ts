import { settlementFaults } from '../../base/domain/settlement-fault.ts';
import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { JournalEvent } from '../../payment/events/event.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { OctopusReader } from '../../base/ports/octopus-reader.ts';
import { instrumentOf } from '../../payment/records/payment.ts';
import { readableRecord, type TransactionRecord } from '../../payment/records/record.ts';
import { setAsideEvents } from '../../payment/transaction/set-aside.ts';
import type { DecisionWrite } from '../../payment/method/acquirer.ts';
import { resolveOctopus } from './authorize.ts';
import type { OctopusReturn } from './card-return.ts';

export interface OctopusDecisionsOptions {
  readonly acquirerId: AcquirerId;
  readonly reader: Pick<OctopusReturn, 'alone' | 'onState'>;
  readonly journal: Pick<Journal, 'read' | 'append' | 'setAside'>;
  readonly clock: Clock;
  /** Whether the terminal prints the receipt of this transaction. */
  readonly printsReceipt: (record: TransactionRecord) => boolean;
  /** Called when the reader's record has determined the outcome of a transaction after the operator's decision. */
  readonly onResolved?: ((id: TerminalTransactionId) => void) | undefined;
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

type Find = OctopusReader['find'];

/** The interval at which a reader that does not answer is asked again. */
const againMs = 10_000;

/**
 * The operator's decisions about unknown deductions. The reader's own record outranks them. It is read before and after
 * a decision is written. If the reader does not answer, its record is read again at intervals, after a start, when the
 * reader becomes ready, and before the batch is closed.
 */
export class OctopusDecisions {
  readonly #options: OctopusDecisionsOptions;
  readonly #leave: () => void;
  #turn: Promise<unknown> = Promise.resolve();
  #timer: unknown;
  #closed = false;

  constructor(options: OctopusDecisionsOptions) {
    this.#options = options;
    this.#leave = options.reader.onState((state) => {
      if (state === 'ready') this.#lookSoon();
    });
  }

  /** Continues after a start. */
  resume(): void {
    this.#lookSoon();
  }

  /** See `Acquirer.decide`. */
  decide(id: TerminalTransactionId, write: DecisionWrite): Promise<boolean> {
    return this.#inTurn(() => this.#options.reader.alone((find) => this.#decide(id, write, find)));
  }

  /**
   * Reads the reader's record of all decided transactions of the open batch. Resolves to false if the reader did not
   * answer.
   */
  lookUp(): Promise<boolean> {
    return this.#inTurn(async () => {
      const { journal, acquirerId, reader } = this.#options;
      let isComplete = true;
      for (const id of await journal.setAside(acquirerId)) {
        if (!isDecided(await this.#read(id))) continue;
        const answered = await reader.alone((find) => this.#look(id, find));
        isComplete &&= answered;
      }
      if (!isComplete) this.#lookLater();
      return isComplete;
    });
  }

  /** See `BatchSettler.beforeClosing`. */
  async beforeClosing(): Promise<string | undefined> {
    return (await this.lookUp()) ? undefined : settlementFaults.readerSilent;
  }

  async stop(): Promise<void> {
    this.#closed = true;
    this.#leave();
    this.#options.clock.clearTimeout(this.#timer);
    await this.#turn;
  }

  async #decide(id: TerminalTransactionId, write: DecisionWrite, find: Find): Promise<boolean> {
    const record = await this.#read(id);
    if (!record) return write(true).then(() => true);
    if (record.reversal !== 'queued') return false;
    const before = await this.#finding(record, find);
    if (before.events) return this.#resolve(id, before.events);
    await write(before.answered);
    const decided = await this.#read(id);
    // If the reader did not answer before, it is asked later: the waiting customer should not wait for it twice.
    if (!before.answered || !decided) {
      this.#lookLater();
      return true;
    }
    const { answered, events } = await this.#finding(decided, find);
    if (answered && events && outranks(events, decided)) return this.#resolve(id, events);
    if (!answered) this.#lookLater();
    return true;
  }

  /** Resolves to whether the reader answered. */
  async #look(id: TerminalTransactionId, find: Find): Promise<boolean> {
    const record = await this.#read(id);
    if (!isDecided(record)) return true;
    const { answered, events } = await this.#finding(record, find);
    if (events && outranks(events, record)) await this.#resolve(id, events);
    else if (answered && record.unverified)
      await this.#options.journal.append(id, setAsideEvents(record, 'NOT_POSTED', true));
    return answered;
  }

  async #resolve(id: TerminalTransactionId, events: readonly JournalEvent[]): Promise<false> {
    await this.#options.journal.append(id, events);
    this.#options.onResolved?.(id);
    return false;
  }

  /** `events`: the events that end the transaction, if the reader knows its outcome. */
  async #finding(record: TransactionRecord, find: Find) {
    let answered = false;
    const events = await resolveOctopus(
      record,
      {
        find: async (reference, deviceId) => {
          // Another reader than the one that was asked to deduct will never know more: the decision stands.
          const finding = await find(reference, deviceId);
          answered = finding.kind !== 'unanswered';
          return finding;
        },
      },
      this.#options.printsReceipt(record),
    );
    return { answered, events };
  }

  async #read(id: TerminalTransactionId): Promise<TransactionRecord | undefined> {
    return readableRecord(id, await this.#options.journal.read(id));
  }

  #lookSoon(): void {
    if (this.#closed) return;
    void this.lookUp().catch((error: unknown) => {
      if (this.#closed) return;
      this.#options.onFailure?.(error);
      this.#lookLater();
    });
  }

  #lookLater(): void {
    const { clock } = this.#options;
    clock.clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = clock.setTimeout(() => this.#lookSoon(), againMs);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function isDecided(record: TransactionRecord | undefined): record is TransactionRecord {
  return (
    record?.reversal === 'setAside' && record.intent !== undefined && instrumentOf(record.intent).undo === 'sameCard'
  );
}

/**
 * A reader that was replaced has no record either. If the bank has confirmed the payment, only a deduction is evidence.
 */
function outranks(events: readonly JournalEvent[], { setAside }: TransactionRecord): boolean {
  const isDeducted = events.some((event) => event.kind === 'answered' && event.outcome.kind === 'approved');
  return isDeducted || setAside !== 'POSTED';
}
