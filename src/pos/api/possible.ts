import type { TransactionKind } from '../../base/domain/transaction-kind.ts';
import { acquirerId, type TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { TerminalCapabilities } from '../../payment/transaction/terminal-capabilities.ts';
import { isImpossible, planPayment } from '../../payment/transaction/plan.ts';
import { type Refusal, refusalOf } from './input.ts';
import { type PosRequest } from './pos-request.ts';

export interface Impossible extends Refusal {
  /** The transaction kinds that are possible instead. */
  readonly possible: readonly TransactionKind[];
}

/** Why this terminal can't do a well-formed request; undefined if it can. Decided before anything starts. */
export function impossible(request: PosRequest, means: TerminalCapabilities): Impossible | undefined {
  const { transactionType: type, forceAcquirer, originalTerminalTransactionId: originalId } = request;
  const plan = planPayment(
    {
      ...request,
      type,
      forcedAcquirer: forceAcquirer === undefined ? undefined : acquirerId(forceAcquirer),
      originalId: originalId as TerminalTransactionId | undefined,
    },
    means,
  );
  if (!isImpossible(plan)) return undefined;
  return { ...refusalOf(plan), possible: plan.possible };
}
