import { methodGroup, methodsOf, offeredKinds } from '../domain/capability.ts';
import type { CurrencyCode } from '../domain/currency.ts';
import { methodGroups, type PaymentScheme } from '../domain/payment-scheme.ts';
import type { TransactionKind } from '../domain/transaction-kind.ts';
import { acquirerId, type TerminalTransactionId } from '../domain/identifiers.ts';
import { type AcquirerProfile, currenciesFor } from '../transaction/acquirer-profile.ts';
import type { Means } from '../transaction/means.ts';
import { isImpossible, kindsOf, planPayment } from '../transaction/plan.ts';
import { type Refusal, refusal } from './input.ts';
import { type PosRequest } from './pos-request.ts';

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
  const { result, reason, pointer, message, possible } = plan;
  return { ...refusal(result, reason, pointer, message), possible };
}

/** Methods × kinds that this terminal can do now: the answer of GET /sp/v1/capabilities. */
export function capabilityReport(profiles: readonly AcquirerProfile[]) {
  // A scheme that SPEC does not group is a method of its own.
  const added = methodsOf(undefined, profiles).filter((each) => methodGroup(each) === undefined);
  const methods = [...methodGroups, ...added].map((method) => {
    const members = methodsOf(undefined, profiles).filter((each) => (methodGroup(each) ?? each) === method);
    const offering = members.filter((each) => offeredKinds(each, profiles).length > 0);
    const acquirers = profiles.filter((profile) => offering.some((each) => offeredKinds(each, [profile]).length > 0));
    const currencies = currenciesOf(offering, acquirers);
    return {
      method,
      paymentMethods: offering,
      kinds: kindsOf(offering, profiles),
      acquirers: acquirers.map(({ id }) => id),
      ...(currencies ? { currencies } : {}),
    };
  });
  return { responseResult: 'SUCCESS', responseCode: 0, methods };
}

/** The currencies that some acquirer takes for one of the schemes; undefined where one takes all. */
function currenciesOf(
  schemes: readonly PaymentScheme[],
  acquirers: readonly AcquirerProfile[],
): readonly CurrencyCode[] | undefined {
  const all = acquirers.flatMap((profile) =>
    schemes.filter((scheme) => profile.brands.includes(scheme)).map((scheme) => currenciesFor(scheme, profile)),
  );
  return all.includes(undefined) ? undefined : [...new Set(all.flatMap((each) => each ?? []))].toSorted();
}
