import { methodGroup, methodGroups, offered, presentsCard, type TransactionKind } from '../domain/capability.ts';
import { cardBrands, type PaymentMethod, paymentMethods } from '../domain/payment-method.ts';
import type { AcquirerProfile } from '../transaction/decide.ts';
import { type PosRequest, type Refusal, refusal } from './pos-request.ts';

export interface Impossible extends Refusal {
  /** The kinds that could be asked for instead. */
  readonly possible: readonly TransactionKind[];
}

/** Why this terminal can't do a well-formed request; nothing when it can. Decided before anything starts. */
export function impossible(request: PosRequest, profiles: readonly AcquirerProfile[]): Impossible | undefined {
  const { transactionType: type, preferredEntryMode = 'DEFAULT', preferredInstrument, forceAcquirer } = request;
  const allowed = profiles.filter(({ id }) => forceAcquirer === undefined || id === forceAcquirer);
  const methods = methodsOf(preferredInstrument);
  const possible = kindsOf(methods, allowed);
  const no = (pointer: string, message: string): Impossible => ({
    ...refusal('INVALID_PARAMETER', pointer, message),
    possible,
  });
  if (preferredEntryMode !== 'CARD' && preferredEntryMode !== 'DEFAULT') {
    return no('/preferredEntryMode', 'this terminal offers CARD and DEFAULT');
  }
  if (allowed.length === 0) return no('/forceAcquirer', `this terminal has ${profiles.map(({ id }) => id).join(', ')}`);
  if (possible.length === 0) {
    return no('/preferredInstrument', 'this terminal has no acquirer for it, or not the one that is forced');
  }
  // VOID is whatever void fits the original.
  if (type !== 'VOID' && !possible.includes(type)) {
    return no('/transactionType', `is not possible here; possible are ${possible.join(', ')}`);
  }
  if (request.cashbackAmount !== undefined) return no('/cashbackAmount', 'this terminal gives no cash back');
  if (!presentsCard(type) && (preferredInstrument ?? forceAcquirer) !== undefined) {
    return no(preferredInstrument ? '/preferredInstrument' : '/forceAcquirer', 'the original decides this');
  }
  return undefined;
}

/** Methods × kinds that this terminal can do now: the answer of GET /sp/v1/capabilities. */
export function capabilityReport(profiles: readonly AcquirerProfile[]) {
  const methods = methodGroups.map((method) => {
    const members = paymentMethods.filter((each) => methodGroup(each) === method);
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

function methodsOf(instrument: PosRequest['preferredInstrument']): readonly PaymentMethod[] {
  switch (instrument) {
    case undefined:
      return paymentMethods;
    case 'CARD':
      return cardBrands;
    case 'QR':
      return paymentMethods.filter((method) => methodGroup(method) === 'QR');
    default:
      return [instrument];
  }
}

function kindsOf(methods: readonly PaymentMethod[], profiles: readonly AcquirerProfile[]): TransactionKind[] {
  return [...new Set(methods.flatMap((method) => offered(method, profiles)))];
}
