import { methodGroup, methodsOf, offeredKinds } from '../domain/capability.ts';
import { methodGroups } from '../domain/payment-scheme.ts';
import type { TransactionKind } from '../domain/transaction-kind.ts';
import { acquirerId, type TerminalTransactionId } from '../domain/identifiers.ts';
import type { AcquirerProfile } from '../transaction/acquirer-profile.ts';
import type { Means } from '../transaction/means.ts';
import { isImpossible, kindsOf, planPayment } from '../transaction/plan.ts';
import { type PosRequest, type Refusal, refusal } from './pos-request.ts';

export interface Impossible extends Refusal {
  /** The transaction kinds that are possible instead. */
  readonly possible: readonly TransactionKind[];
}

/** Why this terminal can't do a well-formed request; undefined if it can. Decided before anything starts. */
export function impossible(request: PosRequest, means: Means): Impossible | undefined {
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
  const { pointer, message, possible } = plan;
  return { ...refusal('INVALID_PARAMETER', pointer, message), possible };
}

/** Methods × kinds that this terminal can do now: the answer of GET /sp/v1/capabilities. */
export function capabilityReport(profiles: readonly AcquirerProfile[]) {
  // A scheme that SPEC does not group is a method of its own.
  const added = methodsOf(undefined, profiles).filter((each) => methodGroup(each) === undefined);
  const methods = [...methodGroups, ...added].map((method) => {
    const members = methodsOf(undefined, profiles).filter((each) => (methodGroup(each) ?? each) === method);
    const offering = members.filter((each) => offeredKinds(each, profiles).length > 0);
    const acquirers = profiles.filter((profile) => offering.some((each) => offeredKinds(each, [profile]).length > 0));
    return {
      method,
      paymentMethods: offering,
      kinds: kindsOf(offering, profiles),
      acquirers: acquirers.map(({ id }) => id),
    };
  });
  return { responseResult: 'SUCCESS', responseCode: 0, methods };
}
