import type { CollectingMode, Means, PaymentTerms } from './means.ts';
import { methodsOf, offeredKinds } from '../domain/capability.ts';
import { presentsCard, type TransactionKind } from '../domain/transaction-kind.ts';
import type { CollectMode } from '../domain/entry-mode.ts';
import type { CurrencyCode } from '../domain/currency.ts';
import type { AcquirerId } from '../domain/identifiers.ts';
import { beyond } from '../domain/limits.ts';
import type { PaymentScheme } from '../domain/payment-scheme.ts';
import { type AcquirerProfile, currenciesFor, takersOf } from './acquirer-profile.ts';

/** How a payment may be collected, and the step at which it starts. */
export interface Collectable {
  readonly modes: readonly CollectMode[];
  /** The mode that is armed while the merchant chooses. */
  readonly defaultMode?: CollectMode;
  /** The modes that show a code for the customer to scan. */
  readonly codeModes: readonly CollectMode[];
  /** The mode to start with; absent if the merchant chooses. */
  readonly start?: CollectMode;
  /** Schemes with a code to show, the preferred one first. */
  readonly wallets: readonly PaymentScheme[];
}

export interface Plan {
  readonly collects: Collectable;
  /**
   * Acquirers that may take the payment, in the order in which they are asked. Which one takes it depends on what the
   * customer presents.
   */
  readonly takers: readonly AcquirerProfile[];
  /** Acquirers that fit the request's preference. */
  readonly expected: readonly AcquirerId[];
  /** Why it can't be collected now. */
  readonly notReady?: string;
}

export interface Impossible {
  readonly result: 'INVALID_PARAMETER' | 'INVALID_CURRENCY';
  /** The field of the request, RFC 6901. */
  readonly pointer: string;
  readonly message: string;
  /** The transaction kinds that are possible instead. */
  readonly possible: readonly TransactionKind[];
}

export function isImpossible(plan: Plan | Impossible): plan is Impossible {
  return 'pointer' in plan;
}

/** For a request that goes by its original alone, at the original's acquirer. */
export const nothingCollected: Collectable = { modes: [], codeModes: [], wallets: [] };

/**
 * Decides what a request may do here: with which methods, acquirers and devices, and within which limits; or why it is
 * impossible. `preferredInstrument` and `preferredEntryMode` set the starting step, and the merchant may still change
 * the method; `forcedAcquirer` leaves no choice. A request that contradicts itself or this terminal is refused. Pure,
 * and the only place where this is decided.
 */
export function planPayment(terms: PaymentTerms, means: Means): Plan | Impossible {
  const { type, preferredEntryMode: entry = 'DEFAULT', preferredInstrument, forcedAcquirer: forced } = terms;
  const { profiles } = means;
  const allowed = profiles.filter(({ id }) => forced === undefined || id === forced);
  const preferred = methodsOf(preferredInstrument, profiles);
  const possible = kindsOf(preferred, allowed);
  const no = (pointer: string, message: string): Impossible => ({
    result: pointer === '/currency' ? 'INVALID_CURRENCY' : 'INVALID_PARAMETER',
    pointer,
    message,
    possible,
  });
  if (allowed.length === 0) return no('/forceAcquirer', `this terminal has ${profiles.map(({ id }) => id).join(', ')}`);
  if (possible.length === 0) {
    return no('/preferredInstrument', 'no acquirer of this terminal accepts it, or not the forced one');
  }
  // VOID stands for the void that fits the original.
  if (type !== 'VOID' && !possible.includes(type)) {
    return no('/transactionType', `is not possible here; possible are ${possible.join(', ')}`);
  }
  if (!presentsCard(type) && (preferredInstrument ?? forced) !== undefined) {
    return no(preferredInstrument ? '/preferredInstrument' : '/forceAcquirer', 'the original decides this');
  }
  // Older POS software sends CARD where it means no preference.
  if (!presentsCard(type) && entry !== 'DEFAULT' && entry !== 'CARD') {
    return no('/preferredEntryMode', 'the original decides this');
  }
  if (!presentsCard(type) && terms.originalId === undefined) {
    return no('/originalTerminalTransactionId', `is required for ${type}: the terminalTransactionId of the original`);
  }
  const notReady = presentsCard(type) ? unready(terms, means) : undefined;
  const readiness = notReady === undefined ? {} : { notReady };
  if (!presentsCard(type) || type === 'VOID' || terms.originalId !== undefined) {
    // A refund with an original goes by it: to its card, or its wallet.
    return { collects: nothingCollected, takers: [], expected: [], ...readiness };
  }
  const collects = planCollecting(terms, { ...means, profiles: allowed });
  if ('pointer' in collects) return no(collects.pointer, collects.message);
  const kind: TransactionKind = type;
  return {
    collects,
    takers: takersOf(terms.amount, allowed),
    expected: allowed
      .filter((profile) => preferred.some((scheme) => offeredKinds(scheme, [profile]).includes(kind)))
      .map(({ id }) => id),
    ...readiness,
  };
}

/** The kinds that these acquirers offer for these schemes. */
export function kindsOf(
  schemes: readonly PaymentScheme[],
  profiles: readonly AcquirerProfile[],
): readonly TransactionKind[] {
  return [...new Set(schemes.flatMap((scheme) => offeredKinds(scheme, profiles)))];
}

interface Fault {
  readonly pointer: string;
  readonly message: string;
}

/** Plans collecting with the allowed acquirers; or says which field makes it impossible. */
function planCollecting(terms: PaymentTerms, means: Means): Collectable | Fault {
  const collects = chooseModes(terms, means);
  if (!('pointer' in collects)) return collects;
  const currency = currencyFault(terms, means);
  if (currency) return currency;
  if (collects.pointer !== '/transactionType') return collects;
  if (terms.type === 'REFUND') {
    return { pointer: '/originalTerminalTransactionId', message: 'is required for a refund without a card' };
  }
  if (terms.cashbackMinor === undefined) return collects;
  const { cashbackMinor: _cash, ...withoutCash } = terms;
  const otherwise = chooseModes(withoutCash, means);
  if ('pointer' in otherwise) return otherwise;
  const giving = means.modes.filter(({ givesCash }) => givesCash).map(({ mode }) => mode);
  return {
    pointer: '/cashbackAmount',
    message: `only ${giving.join(' and ')} gives cash, and it is not possible for this payment`,
  };
}

/** The fault of a request that would be possible in another currency. */
function currencyFault(terms: PaymentTerms, means: Means): Fault | undefined {
  const known = means.profiles.flatMap((profile) =>
    profile.brands.flatMap((scheme) => currenciesFor(scheme, profile) ?? []),
  );
  const currencies = [...new Set<CurrencyCode>(known)].filter((currency) => {
    // The least amount that each currency and step has: the amount is not what is looked for.
    const amount = { minor: 0n, currency };
    return currency !== terms.amount.currency && !('pointer' in chooseModes({ ...terms, amount }, means));
  });
  const isPossible = !('pointer' in chooseModes({ ...terms, amount: { ...terms.amount, minor: 0n } }, means));
  if (isPossible || currencies.length === 0) return undefined;
  return { pointer: '/currency', message: `is not taken for this payment; possible are ${currencies.join(', ')}` };
}

/**
 * The modes that can collect this request on this terminal; or the field that contradicts it. Assumes that a forced
 * acquirer has been applied.
 */
export function chooseModes(terms: PaymentTerms, { profiles, modes: all }: Means): Collectable | Fault {
  const { preferredEntryMode: entry = 'DEFAULT', preferredInstrument } = terms;
  const preferred = methodsOf(preferredInstrument, profiles);
  const able = takersOf(terms.amount, profiles);
  const modesOf = (offers: readonly AcquirerProfile[]) => all.filter((mode) => canCollect(mode, terms, offers));
  const fittingOf = (offers: readonly AcquirerProfile[]) =>
    modesOf(offers).filter((mode) => mode.schemesOf(offers).some((scheme) => preferred.includes(scheme)));
  /** The acquirer's limit, if nothing but the amount makes the request impossible. */
  const limit = (wanted: (offers: readonly AcquirerProfile[]) => boolean) => {
    const limits = wanted(profiles) ? profiles.map((offer) => beyond(terms.amount, offer.limits)) : [];
    const told = limits.find((each) => each !== undefined);
    return told === undefined ? '' : `: ${told}`;
  };
  const modes = modesOf(able);
  if (modes.length === 0) {
    const told = limit((offers) => modesOf(offers).length > 0);
    const why = told === '' ? ', or on this terminal' : told;
    return { pointer: '/transactionType', message: `is not possible with this amount${why}` };
  }
  const fitting = fittingOf(able);
  const possible = `possible are ${modes.map(({ mode }) => mode).join(', ')}`;
  if (fitting.length === 0 && terms.type === 'REFUND') {
    return { pointer: '/originalTerminalTransactionId', message: 'is required for a refund without a card' };
  }
  if (fitting.length === 0) {
    const told = limit((offers) => fittingOf(offers).length > 0);
    return { pointer: '/preferredInstrument', message: `is not possible for this payment${told}; ${possible}` };
  }
  const wallets = modes.filter(({ showsCode }) => showsCode).flatMap((mode) => mode.schemesOf(able));
  const shown = wallets.toSorted((a, b) => rank(a, preferred) - rank(b, preferred));
  if (entry === 'DEFAULT') {
    const start = preferredInstrument === undefined && modes.length > 1 ? undefined : fitting[0];
    return readyOnes(modes, start, shown);
  }
  const start = fitting.find(({ preferredAs }) => preferredAs === entry);
  if (start) return readyOnes(modes, start, shown);
  const told = limit((offers) => fittingOf(offers).some(({ preferredAs }) => preferredAs === entry));
  const contradicts = preferredInstrument !== undefined && modes.some(({ mode }) => mode === entry);
  const why = contradicts
    ? `contradicts preferredInstrument ${preferredInstrument}`
    : `is not possible with this request${told}`;
  return { pointer: '/preferredEntryMode', message: `${why}; ${possible}` };
}

function canCollect(mode: CollectingMode, terms: PaymentTerms, offers: readonly AcquirerProfile[]): boolean {
  if (!mode.isEquipped || !mode.fits(terms)) return false;
  return mode.schemesOf(offers).some((scheme) => (offeredKinds(scheme, offers) as string[]).includes(terms.type));
}

/** The modes whose devices are ready now. If none is ready, all of them: the device then reports its own fault. */
function readyOnes(
  all: readonly CollectingMode[],
  first: CollectingMode | undefined,
  wallets: readonly PaymentScheme[],
): Collectable {
  const ready = all.filter((each) => each === first || each.notReady() === undefined);
  const modes = ready.length > 0 ? ready : all;
  const start = first ?? (ready.length === 1 ? ready[0] : undefined);
  const namesOf = (some: readonly CollectingMode[]) => some.map(({ mode }) => mode);
  const armed = modes.find(({ isDefault }) => isDefault);
  return {
    modes: namesOf(modes),
    ...(armed ? { defaultMode: armed.mode } : {}),
    codeModes: namesOf(modes.filter(({ showsCode }) => showsCode)),
    ...(start ? { start: start.mode } : {}),
    wallets,
  };
}

function unready(
  { preferredInstrument, preferredEntryMode: entry = 'DEFAULT' }: PaymentTerms,
  { modes, profiles }: Means,
): string | undefined {
  const preferred = methodsOf(preferredInstrument, profiles);
  const needed = modes.filter(
    ({ mustBeReady, preferredAs, schemes }) =>
      mustBeReady &&
      (entry === 'DEFAULT' || entry === preferredAs) &&
      schemes.some((scheme) => preferred.includes(scheme)),
  );
  return needed.map((mode) => mode.notReady()).find((reason) => reason !== undefined);
}

function rank(wallet: PaymentScheme, preferred: readonly PaymentScheme[]): number {
  return preferred.includes(wallet) ? 0 : 1;
}
