import type { JournalledSettlement } from '../events/settlement.ts';
import { JournalError } from '../contracts/journal.ts';
import type { JournalFailed, Owner, PayAnswer, SettleAnswer } from './answers.ts';
import type { PaymentRequest, SettlementRequest } from './request.ts';
import type { RunEnd, TransactionRun } from './transaction-run.ts';

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
export function isOwner({ request: { digest }, run }: CurrentPayment, request: PaymentRequest): boolean {
  return run.started || digest === request.digest;
}

export async function joinPayment(current: CurrentPayment, request: PaymentRequest): Promise<PayAnswer> {
  return current.request.digest === request.digest ? awaitPayment(current) : { kind: 'otherRequest' };
}

export async function awaitPayment(current: CurrentPayment): Promise<PayAnswer> {
  const end = await awaitEnd(current);
  if (end.kind !== 'ended') return end;
  return end.record.request.digest === current.request.digest ? end : { kind: 'otherRequest' };
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

/** The journal could not tell what an identity stands for. */
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
