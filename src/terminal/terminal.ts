import { methodGroup, methodsOf, presentsCard } from '../domain/capability.ts';
import { terminalTransactionId, type TerminalTransactionId } from '../domain/identifiers.ts';
import { JournalError, type JournalledSettlement } from '../ports/journal.ts';
import { type TransactionRecord, transactionRecord } from '../transaction/record.ts';
import type { ReferenceRefusal } from '../transaction/reference.ts';
import { presentStatus, type RecordTree } from '../transaction/standing.ts';
import type { RunParts, TerminalParts } from './parts.ts';
import { recordTree } from './record-tree.ts';
import { Recovery } from './recovery.ts';
import { Room } from './room.ts';
import type { PaymentRequest, Running, RunningState, SettlementRequest } from './request.ts';
import { settled } from './settlement/settlement.ts';
import { type RunEnd, TransactionRun } from './transaction-run.ts';

/** Whose transaction runs. */
export interface Owner {
  readonly posId: string;
  readonly messageId: string;
}

/** An answer that says why there is none. */
export type NotNow =
  | { readonly kind: 'busy'; readonly owner: Owner }
  | { readonly kind: 'otherRequest' }
  | { readonly kind: 'notReady'; readonly reason: string }
  /** The journal failed: why, in words. `started`: the outcome may be in it all the same, an enquiry will tell. */
  | { readonly kind: 'journalFailed'; readonly reason: string; readonly started: boolean };

export type PayAnswer =
  | { readonly kind: 'ended'; readonly record: TransactionRecord }
  | { readonly kind: 'refused'; readonly refusal: ReferenceRefusal }
  | NotNow;

export type SettleAnswer = { readonly kind: 'ended'; readonly settlement: JournalledSettlement } | NotNow;

export type EnquiryAnswer =
  | { readonly kind: 'ended'; readonly record: TransactionRecord; readonly status: PresentStatus }
  | ({ readonly kind: 'running' } & Running)
  | { readonly kind: 'notFound' };

export type PresentStatus = ReturnType<typeof presentStatus>;

export type CancelAnswer =
  | { readonly kind: 'cancelled'; readonly record: TransactionRecord }
  /** It had ended, or ended otherwise before the cancel could reach it. */
  | { readonly kind: 'ended'; readonly record: TransactionRecord }
  | { readonly kind: 'tooLate'; readonly state: RunningState }
  | { readonly kind: 'notFound' };

/** What occupies the terminal. `done` settles when it is idle again. */
type Occupant =
  | {
      readonly kind: 'payment';
      readonly request: PaymentRequest;
      readonly run: TransactionRun;
      readonly done: Promise<RunEnd>;
    }
  | {
      readonly kind: 'settlement';
      readonly request: SettlementRequest;
      readonly done: Promise<JournalledSettlement>;
    };

type PaymentOccupant = Extract<Occupant, { kind: 'payment' }>;

/** A disk that fails stays so for a while. */
const takeUpMs = 10_000;

/** One terminal, one thing at a time. (posId, messageId) names at most one transaction, for ever. */
export class Terminal {
  readonly #parts: RunParts;
  readonly #recovery: Recovery;
  #occupant: Occupant | undefined;
  #outcomeTimer: unknown;
  /** A settlement whose end could not be written: the host may have agreed to it, so no payment comes before it. */
  #cutOff: SettlementRequest | undefined;
  #takeUpTimer: unknown;
  #closing = false;

  constructor(parts: TerminalParts) {
    this.#parts = { ...parts, room: new Room(parts) };
    const { journal, forwarder, clock, onFailure } = parts;
    const running = () => (this.#occupant?.kind === 'payment' ? this.#occupant.run.id : undefined);
    this.#recovery = new Recovery({ journal, forwarder, clock, running, onFailure });
    parts.screen.onAction((action) => {
      const occupant = this.#occupant;
      if (occupant?.kind === 'payment' && occupant.run.id === action.transaction) occupant.run.act(action);
    });
  }

  /** Why no payment can be taken now; nothing when one can. */
  get notReady(): string | undefined {
    if (this.#closing) return 'the terminal is stopping';
    return this.#parts.reader.state === 'ready' ? undefined : 'the card reader is not connected';
  }

  get running(): (Owner & Running) | undefined {
    return this.#occupant && { ...owner(this.#occupant), ...runningOf(this.#occupant) };
  }

  /**
   * Concludes what a restart found unfinished, sends the reversals that are due, and takes up a settlement that was cut off:
   * the host may have agreed to it already, so nothing is added to its batch before. Before the first payment.
   */
  async recover(): Promise<void> {
    await this.#recovery.atStart();
    await this.#takeUp();
  }

  /** Runs one payment, or joins or repeats the one of that identity. Rejects with JournalError. */
  async pay(request: PaymentRequest): Promise<PayAnswer> {
    const same = this.#paymentOf(request);
    if (same) return joined(same, request);
    const existing = await this.#parts.journal.find(request.posId, request.messageId);
    // Another request may have come in meanwhile: from here to #occupied nothing waits.
    const sameNow = this.#paymentOf(request);
    if (sameNow) return joined(sameNow, request);
    if (existing) return this.#repeated(existing, request);
    if (this.#occupant) return { kind: 'busy', owner: owner(this.#occupant) };
    if (this.#cutOff) return this.#heldUp(this.#cutOff);
    const reason = this.#closing ? this.notReady : this.#unready(request);
    if (reason) return { kind: 'notReady', reason };
    const run = new TransactionRun(this.#newId(), request, this.#parts, this.#recovery);
    const done = this.#occupied(() => run.transacted());
    const occupant: PaymentOccupant = { kind: 'payment', request, run, done };
    this.#occupant = occupant;
    return payAnswer(occupant);
  }

  /** Settles the open batches, or joins or repeats the settlement of that identity. Rejects with JournalError. */
  async settle(request: SettlementRequest): Promise<SettleAnswer> {
    const same = this.#settlementOf(request);
    if (same) return joinedSettlement(same, request);
    const existing = await this.#parts.journal.findSettlement(request.posId, request.messageId);
    const sameNow = this.#settlementOf(request);
    if (sameNow) return joinedSettlement(sameNow, request);
    if (existing?.digest === request.digest && existing.results) return { kind: 'ended', settlement: existing };
    // One that a restart cut off has no results: the same request takes it up again.
    if (existing && existing.digest !== request.digest) return { kind: 'otherRequest' };
    if (this.#occupant) return { kind: 'busy', owner: owner(this.#occupant) };
    if (this.#closing) return { kind: 'notReady', reason: 'the terminal is stopping' };
    const done = this.#occupied(async () => {
      const { posId, messageId } = request;
      this.#parts.events?.tell({ state: 'settling', posId, messageId });
      // A sale whose answer could not be written is in no total yet, and in the host's books perhaps.
      while (this.#recovery.due) await this.#recovery.now();
      return settled(existing?.id ?? this.#newId(), request, this.#parts);
    });
    const occupant = { kind: 'settlement', request, done } as const;
    this.#occupant = occupant;
    done.then(
      () => {
        if (this.#cutOff && isOf(occupant, this.#cutOff)) this.#cutOff = undefined;
      },
      () => {
        this.#cutOff = request;
        this.#takeUpIn(takeUpMs);
      },
    );
    return joinedSettlement(occupant, request);
  }

  async enquire(posId: string, messageId: string): Promise<EnquiryAnswer> {
    const run = this.#paymentOf({ posId, messageId });
    if (run) return { kind: 'running', ...runningOf(run) };
    const id = await this.#parts.journal.find(posId, messageId);
    // It may have started while the journal was asked.
    const runNow = this.#paymentOf({ posId, messageId });
    if (runNow) return { kind: 'running', ...runningOf(runNow) };
    const tree = id && (await recordTree(id, this.#parts.journal));
    return tree ? { kind: 'ended', record: tree.record, status: presentStatus(tree) } : { kind: 'notFound' };
  }

  /** A transaction by its own id, with all that came of it. */
  recall(id: TerminalTransactionId): Promise<RecordTree | undefined> {
    return recordTree(id, this.#parts.journal);
  }

  /** Answers only once the terminal is idle again, or at once when it is too late. */
  async cancel(posId: string, messageId: string): Promise<CancelAnswer> {
    let occupant = this.#paymentOf({ posId, messageId });
    if (!occupant) {
      const id = await this.#parts.journal.find(posId, messageId);
      occupant = this.#paymentOf({ posId, messageId });
      if (!occupant) return id ? { kind: 'ended', record: await this.#record(id) } : { kind: 'notFound' };
    }
    if (!occupant.run.cancellable) return { kind: 'tooLate', state: occupant.run.running.state };
    occupant.run.cancel('pos');
    const end = await occupant.done;
    if (end.kind === 'refused') return { kind: 'notFound' };
    const cancelled = end.record.conclusion?.result === 'TRANSACTION_ALREADY_CANCEL';
    return { kind: cancelled ? 'cancelled' : 'ended', record: end.record };
  }

  /** Ends collecting, waits for what is authorizing or settling: after this nothing touches the devices. */
  async close(): Promise<void> {
    this.#closing = true;
    const occupant = this.#occupant;
    if (occupant?.kind === 'payment') occupant.run.cancel('merchant');
    await occupant?.done.catch(() => undefined);
    this.#parts.clock.clearTimeout(this.#outcomeTimer);
    this.#parts.clock.clearTimeout(this.#takeUpTimer);
    await this.#recovery.close();
  }

  /** Settles what was cut off, by a restart or by a journal that failed. Rejects with JournalError. */
  async #takeUp(): Promise<void> {
    for (const settlement of await this.#parts.journal.unfinishedSettlements()) {
      const { kind } = await this.settle(settlement);
      // The terminal is taken, or the journal fails still: this comes back to it.
      if (kind !== 'ended') return this.#takeUpIn(takeUpMs);
    }
    this.#cutOff = undefined;
  }

  #takeUpIn(ms: number): void {
    const { clock, onFailure } = this.#parts;
    clock.clearTimeout(this.#takeUpTimer);
    if (this.#closing) return;
    this.#takeUpTimer = clock.setTimeout(() => {
      this.#takeUp().catch((error: unknown) => {
        onFailure?.(error);
        this.#takeUpIn(takeUpMs);
      });
    }, ms);
  }

  /** Somebody wants to pay: it is taken up at once. */
  #heldUp({ posId, messageId }: SettlementRequest): NotNow {
    this.#takeUpIn(0);
    return { kind: 'busy', owner: { posId, messageId } };
  }

  /** Why this payment can't be collected now. What goes by an original needs no device, and cash and codes no reader. */
  #unready({ type, preferredInstrument, preferredEntryMode = 'DEFAULT' }: PaymentRequest): string | undefined {
    if (!presentsCard(type)) return undefined;
    const methods = methodsOf(preferredInstrument);
    const byCard = methods.some((method) => methodGroup(method) !== 'QR' && method !== 'CASH' && method !== 'OCTOPUS');
    return byCard && (preferredEntryMode === 'DEFAULT' || preferredEntryMode === 'CARD') ? this.notReady : undefined;
  }

  #newId(): TerminalTransactionId {
    const { clock, random } = this.#parts;
    return terminalTransactionId(clock.now(), random.bytes(10));
  }

  /** Runs `work` once the claim stands, and gives the terminal free when it has settled. */
  #occupied<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#parts;
    clock.clearTimeout(this.#outcomeTimer);
    return Promise.resolve()
      .then(work)
      .finally(() => {
        this.#occupant = undefined;
        this.#scheduleIdle();
        this.#parts.events?.tell({ state: 'idle' });
      });
  }

  #scheduleIdle(): void {
    const { screen, clock, timeouts } = this.#parts;
    this.#outcomeTimer = clock.setTimeout(() => {
      if (!this.#occupant) screen.show({ scene: 'idle' });
    }, timeouts.outcomeMs);
  }

  #paymentOf(identity: Owner): PaymentOccupant | undefined {
    const occupant = this.#occupant;
    return occupant?.kind === 'payment' && isOf(occupant, identity) ? occupant : undefined;
  }

  #settlementOf(identity: Owner): Extract<Occupant, { kind: 'settlement' }> | undefined {
    const occupant = this.#occupant;
    return occupant?.kind === 'settlement' && isOf(occupant, identity) ? occupant : undefined;
  }

  async #repeated(id: TerminalTransactionId, request: PaymentRequest): Promise<PayAnswer> {
    const record = await this.#record(id);
    return record.request.digest === request.digest ? { kind: 'ended', record } : { kind: 'otherRequest' };
  }

  async #record(id: TerminalTransactionId): Promise<TransactionRecord> {
    return transactionRecord(id, await this.#parts.journal.read(id));
  }
}

async function joined(occupant: PaymentOccupant, request: PaymentRequest): Promise<PayAnswer> {
  return occupant.request.digest === request.digest ? payAnswer(occupant) : { kind: 'otherRequest' };
}

async function payAnswer({ done, run, request }: PaymentOccupant): Promise<PayAnswer> {
  try {
    const end = await done;
    if (end.kind === 'refused') return end;
    return end.record.request.digest === request.digest ? end : { kind: 'otherRequest' };
  } catch (error) {
    return { kind: 'journalFailed', reason: reasonOf(error), started: run.started };
  }
}

async function joinedSettlement(
  { request: { digest }, done }: Extract<Occupant, { kind: 'settlement' }>,
  request: SettlementRequest,
): Promise<SettleAnswer> {
  if (digest !== request.digest) return { kind: 'otherRequest' };
  try {
    return { kind: 'ended', settlement: await done };
  } catch (error) {
    return { kind: 'journalFailed', reason: reasonOf(error), started: true };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof JournalError ? error.message : 'the journal failed';
}

function isOf({ request }: Occupant, { posId, messageId }: Owner): boolean {
  return request.posId === posId && request.messageId === messageId;
}

function owner({ request: { posId, messageId } }: Occupant): Owner {
  return { posId, messageId };
}

function runningOf(occupant: Occupant): Running {
  return occupant.kind === 'payment' ? occupant.run.running : { state: 'settling' };
}
