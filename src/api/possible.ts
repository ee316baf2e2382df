import {
  methodGroup,
  methodGroups,
  methodsOf,
  offered,
  presentsCard,
  type TransactionKind,
} from '../domain/capability.ts';
import { acquirerId } from '../domain/identifiers.ts';
import { type PaymentScheme, paymentSchemes } from '../domain/payment-scheme.ts';
import { collectable, type Equipment, isUncollectable } from '../transaction/collectable.ts';
import type { AcquirerProfile } from '../transaction/decide.ts';
import { type PosRequest, type Refusal, refusal } from './pos-request.ts';

export interface Impossible extends Refusal {
  /** The kinds that could be asked for instead. */
  readonly possible: readonly TransactionKind[];
}

/** Why this terminal can't do a well-formed request; nothing when it can. Decided before anything starts. */
export function impossible(
  request: PosRequest,
  profiles: readonly AcquirerProfile[],
  equipment: Equipment,
): Impossible | undefined {
  const { transactionType: type, preferredEntryMode = 'DEFAULT', preferredInstrument, forceAcquirer } = request;
  const forced = forceAcquirer === undefined ? undefined : acquirerId(forceAcquirer);
  const allowed = profiles.filter(({ id }) => forced === undefined || id === forced);
  const possible = kindsOf(methodsOf(preferredInstrument), allowed);
  const no = (pointer: string, message: string): Impossible => ({
    ...refusal('INVALID_PARAMETER', pointer, message),
    possible,
  });
  if (allowed.length === 0) return no('/forceAcquirer', `this terminal has ${profiles.map(({ id }) => id).join(', ')}`);
  if (possible.length === 0) {
    return no('/preferredInstrument', 'this terminal has no acquirer for it, or not the one that is forced');
  }
  // VOID is whatever void fits the original.
  if (type !== 'VOID' && !possible.includes(type)) {
    return no('/transactionType', `is not possible here; possible are ${possible.join(', ')}`);
  }
  if (!presentsCard(type) && (preferredInstrument ?? forceAcquirer) !== undefined) {
    return no(preferredInstrument ? '/preferredInstrument' : '/forceAcquirer', 'the original decides this');
  }
  // CARD is how every POS of before says that nothing else is meant.
  if (!presentsCard(type) && preferredEntryMode !== 'DEFAULT' && preferredEntryMode !== 'CARD') {
    return no('/preferredEntryMode', 'the original decides this');
  }
  // A refund with an original goes by that: its card, or its wallet.
  if (!presentsCard(type) || request.originalTerminalTransactionId !== undefined) return undefined;
  const terms = { ...request, type, forcedAcquirer: forced };
  const collects = collectable(terms, profiles, equipment);
  if (!isUncollectable(collects)) return undefined;
  if (collects.pointer !== '/transactionType') return no(collects.pointer, collects.message);
  if (type === 'REFUND') return no('/originalTerminalTransactionId', 'is required for a refund that goes to no card');
  const { cashbackMinor: _cash, ...withoutCash } = terms;
  const otherwise = collectable(withoutCash, profiles, equipment);
  return isUncollectable(otherwise)
    ? no(otherwise.pointer, otherwise.message)
    : no('/cashbackAmount', 'EPS alone gives cash, and can’t be taken for this here');
}

/** Methods × kinds that this terminal can do now: the answer of GET /sp/v1/capabilities. */
export function capabilityReport(profiles: readonly AcquirerProfile[]) {
  const methods = methodGroups.map((method) => {
    const members = paymentSchemes.filter((each) => methodGroup(each) === method);
    const offering = members.filter((each) => offered(each, profiles).length > 0);
    const acquirers = profiles.filter((profile) => offering.some((each) => offered(each, [profile]).length > 0));
    return {
      method,
      paymentMethods: offering,
      kinds: kindsOf(offering, profiles),
      acquirers: acquirers.map(({ id }) => id),
    };
  });
  return { responseResult: 'SUCCESS', responseCode: 0, methods };
}

function kindsOf(methods: readonly PaymentScheme[], profiles: readonly AcquirerProfile[]): TransactionKind[] {
  return [...new Set(methods.flatMap((method) => offered(method, profiles)))];
}
