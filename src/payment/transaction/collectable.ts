import { methodsOf, offeredKinds } from '../../base/domain/capability.ts';
import type { CollectMode, PaymentScheme } from '../../base/domain/payment-scheme.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { Refusal } from '../../base/domain/reason.ts';
import { type AcquirerProfile, currenciesFor, limitOf, schemeLimitOf, takersOf } from './acquirer-profile.ts';
import type { CollectingMode, TerminalCapabilities, PaymentTerms } from './terminal-capabilities.ts';

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
  /** Why none of the modes that the request asks for can be used now. */
  readonly notReady?: Refusal;
}

/** For a request that needs only its original, at the original's acquirer. */
export const nothingCollected: Collectable = { modes: [], codeModes: [], wallets: [] };

/** Why a request is impossible, and the field that makes it so. */
export interface CollectRefusal extends Refusal {
  readonly pointer: string;
}

const refundNeedsOriginal: CollectRefusal = {
  pointer: '/originalTerminalTransactionId',
  reason: 'originalRequired',
  message: 'is required for a refund without a card',
};

/** Plans collecting with the allowed acquirers; or says which field makes it impossible. */
export function planCollecting(terms: PaymentTerms, capabilities: TerminalCapabilities): Collectable | CollectRefusal {
  const collects = chooseModes(terms, capabilities);
  if (!('pointer' in collects)) return collects;
  const currency = currencyRefusal(terms, capabilities);
  if (currency) return currency;
  if (collects.pointer !== '/transactionType') return collects;
  if (terms.type === 'REFUND') {
    return refundNeedsOriginal;
  }
  if (terms.cashbackMinor === undefined) return collects;
  const { cashbackMinor: _cash, ...withoutCash } = terms;
  const otherwise = chooseModes(withoutCash, capabilities);
  if ('pointer' in otherwise) return otherwise;
  const giving = capabilities.modes.filter(({ givesCash }) => givesCash).map(({ mode }) => mode);
  return {
    pointer: '/cashbackAmount',
    reason: 'cashbackNotPossible',
    message: `only ${giving.join(' and ')} gives cash, and it is not possible for this payment`,
  };
}

/** The fault of a request that would be possible in another currency. */
function currencyRefusal(terms: PaymentTerms, given: TerminalCapabilities): CollectRefusal | undefined {
  // The amount is not checked here, so the merchant's own limits do not apply.
  const profiles = given.profiles.map(({ bounds: _bounds, schemeBounds: _more, ...profile }) => profile);
  const capabilities = { ...given, profiles };
  const known = capabilities.profiles.flatMap((profile) =>
    profile.brands.flatMap((scheme) => currenciesFor(scheme, profile) ?? []),
  );
  const currencies = [...new Set<CurrencyCode>(known)].filter((currency) => {
    // The smallest valid amount in the currency, because the amount is not checked here.
    const amount = { minor: 0n, currency };
    return currency !== terms.amount.currency && !('pointer' in chooseModes({ ...terms, amount }, capabilities));
  });
  const isPossible = !('pointer' in chooseModes({ ...terms, amount: { ...terms.amount, minor: 0n } }, capabilities));
  if (isPossible || currencies.length === 0) return undefined;
  return {
    pointer: '/currency',
    reason: 'currencyNotTaken',
    message: `is not taken for this payment; possible are ${currencies.join(', ')}`,
  };
}

/**
 * The modes that can collect this request on this terminal; or the field that contradicts it. Assumes that a forced
 * acquirer has been applied.
 */
export function chooseModes(
  terms: PaymentTerms,
  { profiles, modes: all }: TerminalCapabilities,
): Collectable | CollectRefusal {
  const { preferredEntryMode: entry = 'DEFAULT', preferredInstrument } = terms;
  const preferred = methodsOf(preferredInstrument, profiles);
  const able = takersOf(terms, profiles);
  const modesOf = (offers: readonly AcquirerProfile[]) => all.filter((mode) => canCollect(mode, terms, offers));
  const fittingOf = (offers: readonly AcquirerProfile[]) =>
    modesOf(offers).filter((mode) => mode.schemesOf(offers).some((scheme) => preferred.includes(scheme)));
  /** The acquirer's limit, if nothing but the amount makes the request impossible. */
  const limit = (wanted: (offers: readonly AcquirerProfile[]) => boolean) => {
    const limits = wanted(profiles) ? profiles.flatMap((offer) => limitsOf(terms, offer, preferred)) : [];
    const stated = limits.find((each) => each !== undefined);
    return stated === undefined ? '' : `: ${stated}`;
  };
  const modes = modesOf(able);
  if (modes.length === 0) {
    const stated = limit((offers) => modesOf(offers).length > 0);
    const why = stated === '' ? ', or on this terminal' : stated;
    return {
      pointer: '/transactionType',
      reason: 'amountNotPossible',
      message: `is not possible with this amount${why}`,
    };
  }
  const fitting = fittingOf(able);
  const possible = `possible are ${modes.map(({ mode }) => mode).join(', ')}`;
  if (fitting.length === 0 && terms.type === 'REFUND') {
    return refundNeedsOriginal;
  }
  if (fitting.length === 0) {
    const stated = limit((offers) => fittingOf(offers).length > 0);
    return {
      pointer: '/preferredInstrument',
      reason: 'instrumentNotPossible',
      message: `is not possible for this payment${stated}; ${possible}`,
    };
  }
  const wallets = modes.filter(({ showsCode }) => showsCode).flatMap((mode) => mode.schemesOf(able));
  const shown = wallets.toSorted((a, b) => rank(a, preferred) - rank(b, preferred));
  if (entry === 'DEFAULT') {
    return readyOnes(modes, preferredInstrument === undefined ? modes : fitting, shown);
  }
  const asked = fitting.filter(({ preferredAs }) => preferredAs === entry);
  if (asked.length > 0) return readyOnes(modes, asked, shown);
  const reason = limit((offers) => fittingOf(offers).some(({ preferredAs }) => preferredAs === entry));
  const contradicts = preferredInstrument !== undefined && modes.some(({ mode }) => mode === entry);
  const why = contradicts
    ? `contradicts preferredInstrument ${preferredInstrument}`
    : `is not possible with this request${reason}`;
  return { pointer: '/preferredEntryMode', reason: 'entryModeNotPossible', message: `${why}; ${possible}` };
}

/** The acquirer's limit, and those of its preferred schemes that take the currency. */
function limitsOf(terms: PaymentTerms, offer: AcquirerProfile, preferred: readonly PaymentScheme[]) {
  const { brands } = offer;
  const taking = brands.filter((each) => currenciesFor(each, offer)?.includes(terms.amount.currency) !== false);
  const schemes = taking.filter((scheme) => preferred.includes(scheme));
  return [limitOf(terms, offer), ...schemes.map((scheme) => schemeLimitOf(terms, scheme, offer))];
}

function canCollect(mode: CollectingMode, terms: PaymentTerms, offers: readonly AcquirerProfile[]): boolean {
  if (!mode.isEquipped || !mode.fits(terms)) return false;
  return mode.schemesOf(offers).some((scheme) => (offeredKinds(scheme, offers) as string[]).includes(terms.type));
}

/**
 * Uses the modes whose devices are ready now. It starts with the first of the `asked` ones that is ready; the merchant
 * chooses if all were asked for.
 */
function readyOnes(
  all: readonly CollectingMode[],
  asked: readonly CollectingMode[],
  wallets: readonly PaymentScheme[],
): Collectable {
  const isReady = (mode: CollectingMode) => mode.notReady() === undefined;
  const modes = all.filter(isReady);
  const able = asked.filter(isReady);
  const notReady = able.length === 0 ? asked[0]?.notReady() : undefined;
  const start = asked === all && able.length > 1 ? undefined : able[0];
  const namesOf = (some: readonly CollectingMode[]) => some.map(({ mode }) => mode);
  const armed = modes.find(({ isDefault }) => isDefault);
  return {
    modes: namesOf(modes),
    ...(armed ? { defaultMode: armed.mode } : {}),
    codeModes: namesOf(modes.filter(({ showsCode }) => showsCode)),
    ...(start ? { start: start.mode } : {}),
    wallets,
    ...(notReady ? { notReady } : {}),
  };
}

function rank(wallet: PaymentScheme, preferred: readonly PaymentScheme[]): number {
  return preferred.includes(wallet) ? 0 : 1;
}
