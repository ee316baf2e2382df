import type { JournalledSettlement } from '../events/settlement.ts';
import { JournalError } from '../contracts/journal.ts';
import type { JournalFailed, Owner, PayAnswer, SettleAnswer } from './answers.ts';
import type { TransactionRecord } from '../records/record.ts';
import type { PaymentRequest, SettlementRequest, Running } from './request.ts';
import type { RunEnd, TransactionRun } from './transaction-run.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';

/** Tills repeat their latest requests. */
const rememberedMost = 2_000;

/** The running work of the terminal: at most one payment, and at most one settlement beside it. */
export class Occupancy {
  #payment: CurrentPayment | undefined;
  #settlement: CurrentSettlement | undefined;
  /** Identities that are taken, as far as they are remembered, the latest last. */
  readonly #taken = new Set<string>();
  #isRecalling = false;
  /** The terminal is stopping: nothing new begins. */
  isClosing = false;

  get payment(): CurrentPayment | undefined {
    return this.#payment;
  }

  set payment(payment: CurrentPayment | undefined) {
    this.#payment = payment;
    if (payment) this.#remember(payment.request);
  }

  get settlement(): CurrentSettlement | undefined {
    return this.#settlement;
  }

  set settlement(settlement: CurrentSettlement | undefined) {
    this.#settlement = settlement;
    if (settlement) this.#remember(settlement.request);
  }

  /**
   * `latest`: the identities that were taken last before this start, the latest last. Tills repeat their requests
   * through a restart. Until they are known, and permanently if it rejects, every identity may be taken.
   */
  recall(latest: Promise<readonly Owner[]>): void {
    this.#isRecalling = true;
    latest.then(
      (taken) => {
        this.#isRecalling = false;
        for (const identity of taken) this.#remember(identity);
      },
      () => undefined,
    );
  }

  /** Whether this may be the identity of an earlier request, whose repeat must start nothing. */
  mayBeTaken(identity: Owner): boolean {
    return this.#isRecalling || this.#taken.has(keyOf(identity));
  }

  /** The running transaction; the payment if a settlement runs beside it. */
  get running(): (Owner & Running) | undefined {
    if (this.payment) return { ...ownerOf(this.payment), ...this.payment.run.running };
    return this.settlement && { ...ownerOf(this.settlement), state: 'settling' };
  }

  get transaction(): TerminalTransactionId | undefined {
    return this.payment?.run.id;
  }

  paymentOf(identity: Owner): CurrentPayment | undefined {
    return this.payment && isSame(this.payment, identity) ? this.payment : undefined;
  }

  settlementOf(identity: Owner): CurrentSettlement | undefined {
    return this.settlement && isSame(this.settlement, identity) ? this.settlement : undefined;
  }

  #remember(identity: Owner): void {
    this.#taken.add(keyOf(identity));
    const [oldest] = this.#taken;
    if (oldest !== undefined && this.#taken.size > rememberedMost) this.#taken.delete(oldest);
  }
}

function keyOf({ posId, messageId }: Owner): string {
  return JSON.stringify([posId, messageId]);
}

/** The payment that occupies the terminal. `done` settles when it has ended. */
export interface CurrentPayment {
  readonly request: PaymentRequest;
  readonly run: TransactionRun;
  readonly done: Promise<RunEnd>;
}

/** The settlement that runs beside the payments. */
export interface CurrentSettlement {
  readonly request: SettlementRequest;
  readonly done: Promise<JournalledSettlement>;
}

/**
 * Whether the payment that occupies the terminal decides about this request of its identity. Until it has started, it
 * may be the one that reuses the identity of the other.
 */
export function isOwner({ request: sent, run }: CurrentPayment, request: PaymentRequest): boolean {
  return run.started || isRepeat(request, sent.digest, sent.amount.minor);
}

/** Whether it is the request that was sent with this digest and amount, in minor units. */
function isRepeat({ digest, digestWith }: PaymentRequest, sent: string, minor: bigint): boolean {
  return digest === sent || digestWith?.(minor) === sent;
}

/** Whether the transaction of its identity was begun by the same request. */
export function isRepeatOf({ request: sent }: TransactionRecord, request: PaymentRequest): boolean {
  return isRepeat(request, sent.digest, BigInt(sent.amountMinor));
}

export async function joinPayment(current: CurrentPayment, request: PaymentRequest): Promise<PayAnswer> {
  const { digest, amount } = current.request;
  return isRepeat(request, digest, amount.minor) ? awaitPayment(current) : { kind: 'otherRequest' };
}

export async function awaitPayment(current: CurrentPayment): Promise<PayAnswer> {
  const end = await awaitEnd(current);
  if (end.kind !== 'ended') return end;
  return isRepeatOf(end.record, current.request) ? end : { kind: 'otherRequest' };
}

/** Never rejects. */
export async function awaitEnd({ done, run }: CurrentPayment): Promise<RunEnd | JournalFailed> {
  try {
    return await done;
  } catch (error) {
    return { kind: 'journalFailed', reason: reasonOf(error), started: run.mayHaveOutcome };
  }
}

export async function joinSettlement(
  { request: { digest }, done }: CurrentSettlement,
  request: SettlementRequest,
): Promise<SettleAnswer> {
  if (digest !== request.digest) return { kind: 'otherRequest' };
  try {
    return { kind: 'ended', settlement: await done };
  } catch (error) {
    return unknownOutcome(error);
  }
}

/** The journal could not be read for an identity. */
export function unknownOutcome(error: unknown): JournalFailed {
  return { kind: 'journalFailed', reason: reasonOf(error), started: true };
}

function reasonOf(error: unknown): string {
  return error instanceof JournalError ? error.message : 'the journal failed';
}

export function isSame({ request }: { readonly request: Owner }, { posId, messageId }: Owner): boolean {
  return request.posId === posId && request.messageId === messageId;
}

export function ownerOf({ request: { posId, messageId } }: { readonly request: Owner }): Owner {
  return { posId, messageId };
}
