import { methodsOf, offeredKinds } from '../../base/domain/capability.ts';
import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { PaymentScheme } from '../../base/domain/payment-scheme.ts';
import type { Refusal } from '../../base/domain/reason.ts';
import { completesAuth, presentsCard, type TransactionKind } from '../../base/domain/transaction-kind.ts';
import { type AcquirerProfile, takersOf } from './acquirer-profile.ts';
import { type Collectable, type CollectRefusal, nothingCollected, planCollecting } from './collectable.ts';
import { merchantOf, merchantRefusal, noMerchants, takersFor } from './merchants.ts';
import type { TerminalCapabilities, PaymentTerms } from './terminal-capabilities.ts';
import { nothingAdded } from '../options/option-question.ts';
import { type AmountOption, type PlannedQuestion, withAnswer } from '../options/sale-option.ts';

export interface Plan {
  readonly collects: Collectable;
  /**
   * Acquirers that may take the payment, in the order in which they are asked. Which one takes it depends on what the
   * customer presents.
   */
  readonly takers: readonly AcquirerProfile[];
  /** Acquirers that would take it, and take no new payments now. */
  readonly held?: readonly AcquirerProfile[];
  /** Acquirers that fit the request's preference. */
  readonly expected: readonly AcquirerId[];
  /** The questions before collecting. The rest is planned again, with the answers. */
  readonly questions?: readonly AskedOption[];
}

/** An option, and its question in one payment. */
export interface AskedOption {
  readonly option: AmountOption;
  readonly question: PlannedQuestion;
}

export interface PlanRefusal extends Refusal {
  readonly result: 'INVALID_PARAMETER' | 'INVALID_CURRENCY';
  /** The field of the request, RFC 6901. */
  readonly pointer: string;
  /** The transaction kinds that are possible instead. */
  readonly possible: readonly TransactionKind[];
}

export function isPlanRefusal(plan: Plan | PlanRefusal): plan is PlanRefusal {
  return 'pointer' in plan;
}

/**
 * Decides whether a request is possible on this terminal: with which methods, acquirers and devices, and within which
 * limits; or returns why it is impossible. `preferredInstrument` and `preferredEntryMode` set the starting step, and
 * the merchant may still change the method; `forcedAcquirer` leaves no choice. A request that contradicts itself or
 * this terminal is refused. Pure, and the only place where this is decided.
 */
export function planPayment(terms: PaymentTerms, given: TerminalCapabilities): Plan | PlanRefusal {
  const unknown = merchantRefusal(terms.merchantId, given.merchants ?? noMerchants);
  if (unknown) {
    const possible = kindsOf(methodsOf(terms.preferredInstrument, given.profiles), given.profiles);
    return { result: 'INVALID_PARAMETER', pointer: '/merchantId', ...unknown, possible };
  }
  const capabilities = withMerchant(terms, given);
  const held = capabilities.profiles.filter((profile) => profile.held !== undefined);
  const plan = planWithQuestion(terms, capabilities);
  if (held.length === 0 || isPlanRefusal(plan) || plan.takers.length === 0) return plan;
  const free = planWithQuestion(terms, {
    ...capabilities,
    profiles: capabilities.profiles.filter((each) => !held.includes(each)),
  });
  const would = plan.takers.filter((profile) => profile.held !== undefined);
  if (!isPlanRefusal(free) && !free.collects.notReady) return { ...free, held: would };
  const [first] = would;
  if (first?.held === undefined || plan.collects.notReady) return plan;
  // Only with an acquirer that is held.
  return { ...plan, collects: { ...plan.collects, notReady: { reason: 'acquirerHeld', message: first.held } } };
}

function planWithQuestion(terms: PaymentTerms, capabilities: TerminalCapabilities): Plan | PlanRefusal {
  const plan = planWithoutQuestion(terms, capabilities);
  if (isPlanRefusal(plan)) return plan;
  const questions: AskedOption[] = [];
  for (const option of capabilities.options ?? []) {
    if (option.asks !== 'beforeCollecting') continue;
    const question = option.plan({
      terms,
      faultOf: (addedMinor) => faultWith(option, addedMinor, terms, capabilities),
    });
    if (question === undefined) continue;
    if ('pointer' in question) {
      const possible = kindsOf(methodsOf(terms.preferredInstrument, capabilities.profiles), capabilities.profiles);
      return { result: 'INVALID_PARAMETER', possible, ...question };
    }
    questions.push({ option, question });
  }
  return questions.length === 0 ? plan : { ...plan, questions };
}

/**
 * Leaves only the acquirers that may take payments of the request's merchant. A request by reference goes to the
 * original's acquirer, even if that now belongs to another merchant.
 */
function withMerchant(terms: PaymentTerms, capabilities: TerminalCapabilities): TerminalCapabilities {
  const { merchants = noMerchants, profiles } = capabilities;
  if (isByReference(terms)) return capabilities;
  return { ...capabilities, profiles: takersFor(merchantOf(terms.merchantId, merchants), profiles, merchants) };
}

/** Whether the original determines card or wallet of the request, and so its acquirer. */
function isByReference({ type, originalId }: PaymentTerms): boolean {
  return !presentsCard(type) || type === 'VOID' || originalId !== undefined;
}

/** Why the payment would not be possible if an answer to this option added so much; undefined if it would be. */
export function faultWith(
  option: AmountOption,
  addedMinor: bigint,
  terms: PaymentTerms,
  given: TerminalCapabilities,
): PlanRefusal | undefined {
  const capabilities = withMerchant(terms, given);
  const plan = planWithoutQuestion(withAnswer(option, terms, { ...nothingAdded, addedMinor }), capabilities);
  return isPlanRefusal(plan) ? plan : undefined;
}

function planWithoutQuestion(terms: PaymentTerms, capabilities: TerminalCapabilities): Plan | PlanRefusal {
  const { type, forcedAcquirer: forced } = terms;
  const allowed = capabilities.profiles.filter(({ id }) => forced === undefined || id === forced);
  const preferred = methodsOf(terms.preferredInstrument, capabilities.profiles);
  const possible = kindsOf(preferred, allowed);
  const no = ({ pointer, ...refusal }: CollectRefusal): PlanRefusal => ({
    result: pointer === '/currency' ? 'INVALID_CURRENCY' : 'INVALID_PARAMETER',
    pointer,
    ...refusal,
    possible,
  });
  const presents = presentsCard(type) && !completesAuth(type, terms.originalId);
  const fault = kindRefusal(terms, capabilities, allowed, possible) ?? (presents ? undefined : decidedRefusal(terms));
  if (fault) return no(fault);
  if (isByReference(terms)) {
    return { collects: nothingCollected, takers: [], expected: [] };
  }
  const collects = planCollecting(terms, { ...capabilities, profiles: allowed });
  if ('pointer' in collects) return no(collects);
  // Requests by reference, such as a void, are handled above.
  const kind = type as TransactionKind;
  return {
    collects,
    takers: takersOf(terms, allowed),
    expected: allowed
      .filter((profile) => preferred.some((scheme) => offeredKinds(scheme, [profile]).includes(kind)))
      .map(({ id }) => id),
  };
}

/** Why no acquirer of this terminal does this kind for the preferred instrument. */
function kindRefusal(
  { type, forcedAcquirer }: PaymentTerms,
  { profiles, merchants = noMerchants }: TerminalCapabilities,
  allowed: readonly AcquirerProfile[],
  possible: readonly TransactionKind[],
): CollectRefusal | undefined {
  // A merchant may have no acquirer.
  if (allowed.length === 0 && forcedAcquirer !== undefined) {
    const who = merchants.all.length === 0 ? 'this terminal' : 'its merchant';
    const message = `${who} has ${profiles.map(({ id }) => id).join(', ')}`;
    return { pointer: '/forceAcquirer', reason: 'acquirerUnknown', message };
  }
  if (possible.length === 0) {
    const message = 'no acquirer of this terminal accepts it, or not the forced one';
    return { pointer: '/preferredInstrument', reason: 'instrumentNotTaken', message };
  }
  // VOID stands for the void that fits the original.
  if (type === 'VOID' || possible.includes(type)) return undefined;
  const message = `is not possible here; possible are ${possible.join(', ')}`;
  return { pointer: '/transactionType', reason: 'kindNotPossible', message };
}

/** The fault of a request for which nothing is presented: its original decides everything. */
function decidedRefusal({
  type,
  preferredEntryMode: entry = 'DEFAULT',
  preferredInstrument,
  forcedAcquirer,
  originalId,
}: PaymentTerms): CollectRefusal | undefined {
  const decided = { reason: 'decidedByOriginal', message: 'the original decides this' } as const;
  if (preferredInstrument !== undefined) return { pointer: '/preferredInstrument', ...decided };
  if (forcedAcquirer !== undefined) return { pointer: '/forceAcquirer', ...decided };
  // Older POS software sends CARD to express no preference.
  if (entry !== 'DEFAULT' && entry !== 'CARD') return { pointer: '/preferredEntryMode', ...decided };
  if (originalId !== undefined) return undefined;
  const message = `is required for ${type}: the terminalTransactionId of the original`;
  return { pointer: '/originalTerminalTransactionId', reason: 'originalRequired', message };
}

/** The kinds that these acquirers offer for these schemes. */
export function kindsOf(
  schemes: readonly PaymentScheme[],
  profiles: readonly AcquirerProfile[],
): readonly TransactionKind[] {
  return [...new Set(schemes.flatMap((scheme) => offeredKinds(scheme, profiles)))];
}
