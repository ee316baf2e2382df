import { majorNumber } from '../../base/domain/amount.ts';
import { methodGroup, methodsOf, offeredKinds, voidableKinds, boundOf } from '../../base/domain/capability.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import { methodGroups, type PaymentScheme } from '../../base/domain/payment-scheme.ts';
import { type AcquirerProfile, currenciesFor } from '../../payment/transaction/acquirer-profile.ts';
import { noMerchants } from '../../payment/transaction/merchants.ts';
import type { CollectingMode, TerminalCapabilities } from '../../payment/transaction/terminal-capabilities.ts';
import { kindsOf } from '../../payment/transaction/plan.ts';
import type { Counter } from '../peripherals/counter.ts';
import type { Refusal } from '../../base/domain/reason.ts';
import { type CollectTimes, collectTimeReport } from './pos-request.ts';

/** The answer of GET /sp/v1/capabilities: the capabilities of this terminal, and those that can't be used now. */
export function capabilityReport(capabilities: TerminalCapabilities, collectTimes: CollectTimes, counter: Counter) {
  const { profiles } = capabilities;
  const groupOf = (scheme: PaymentScheme) => methodGroup(scheme, profiles);
  // A scheme without a group is a method of its own.
  const added = methodsOf(undefined, profiles).filter((each) => groupOf(each) === undefined);
  const methods = [...methodGroups, ...added].map((method) => {
    const members = methodsOf(undefined, profiles).filter((each) => (groupOf(each) ?? each) === method);
    const offering = members.filter((each) => offeredKinds(each, profiles).length > 0);
    const acquirers = profiles.filter((profile) => offering.some((each) => offeredKinds(each, [profile]).length > 0));
    const schemes = offering.map((scheme) => schemeReport(scheme, capabilities));
    return {
      method,
      paymentMethods: offering,
      kinds: kindsOf(offering, profiles),
      acquirers: acquirers.map(({ id }) => id),
      ...currenciesOf(offering, acquirers),
      ready: schemes.some(({ ready }) => ready),
      schemes,
    };
  });
  return {
    responseResult: 'SUCCESS',
    responseCode: 0,
    collectTimeoutSeconds: collectTimeReport(collectTimes),
    counter: counterReport(counter),
    ...merchantReport(capabilities),
    ...optionReport(capabilities),
    methods,
  };
}

/** The merchants that a request may name, the default first; absent if none is configured. */
function merchantReport({ merchants = noMerchants }: TerminalCapabilities) {
  return merchants.all.length === 0 ? {} : { merchants: merchants.all.map(({ id, name }) => ({ id, name })) };
}

/** The capabilities of its sale options. */
function optionReport({ options = [] }: TerminalCapabilities): Readonly<Record<string, unknown>> {
  return Object.fromEntries(options.flatMap((option) => Object.entries(option.capabilities?.() ?? {})));
}

/** Whether a till can use the devices of the counter now. */
function counterReport({ paper, drawer, display }: Counter) {
  const device = (refusal: Refusal | undefined) => ({ ready: refusal === undefined, ...refusal });
  return {
    print: device(paper.currentRefusal),
    drawer: device(drawer.currentRefusal),
    display: device(display.currentRefusal),
  };
}

/** One payment method as `paymentMethod` of an answer names it. */
function schemeReport(scheme: PaymentScheme, { profiles, modes }: TerminalCapabilities) {
  const takers = profiles.filter(({ brands }) => brands.includes(scheme));
  const ways = modes.filter((mode) => mode.schemesOf(takers).includes(scheme));
  const missing = ways.flatMap(missingOf);
  return {
    paymentMethod: scheme,
    kinds: offeredKinds(scheme, profiles),
    ...authorizationsOf(scheme, profiles),
    entryModes: ways.map(({ mode }) => mode),
    ...currenciesOf([scheme], takers),
    limits: takers.flatMap((profile) => limitsOf(scheme, profile)),
    ready: missing.length < ways.length,
    ...(missing.length === 0 ? {} : { missing }),
  };
}

/** How an authorization is completed, and released if it is not: for a scheme that has authorizations. */
function authorizationsOf(scheme: PaymentScheme, profiles: readonly AcquirerProfile[]) {
  const kinds = voidableKinds(scheme, profiles);
  if (!kinds.includes('AUTH')) return {};
  const completedBy = (['AUTH_COMP', 'OFFLINE_SALE'] as const).find((kind) => kinds.includes(kind));
  return {
    authorizations: {
      ...(completedBy === undefined ? {} : { completedBy }),
      ...(kinds.includes('VOID_AUTH') ? { releasedBy: 'VOID' as const } : {}),
    },
  };
}

/** Why this way of collecting can't be used now. */
function missingOf(way: CollectingMode) {
  const { mode, isEquipped } = way;
  if (!isEquipped) return [{ mode, reason: 'deviceAbsent', message: 'the device that it needs is not configured' }];
  const refusal = way.notReady();
  return refusal ? [{ mode, ...refusal }] : [];
}

/**
 * The limits of an acquirer, its host's and the merchant's, in major units: of each currency that it accepts for the
 * scheme.
 */
function limitsOf(scheme: PaymentScheme, profile: AcquirerProfile) {
  const { id, limits, bounds, schemeBounds } = profile;
  if (!limits) return [];
  const { stepMinor } = limits;
  return (currenciesFor(scheme, profile) ?? []).map((currency) => {
    const { leastMinor, mostMinor = limits.mostMinor } = boundOf(currency, [bounds, schemeBounds?.[scheme]]);
    const major = (minor: bigint) => majorNumber({ minor, currency });
    return {
      acquirer: id,
      currency,
      ...(leastMinor === undefined ? {} : { amountMin: major(leastMinor) }),
      amountMax: major(mostMinor < limits.mostMinor ? mostMinor : limits.mostMinor),
      ...(stepMinor === undefined ? {} : { amountStep: major(stepMinor) }),
    };
  });
}

/** The currencies that some acquirer accepts for one of the schemes; absent if one accepts all. */
function currenciesOf(
  schemes: readonly PaymentScheme[],
  acquirers: readonly AcquirerProfile[],
): { readonly currencies?: readonly CurrencyCode[] } {
  const all = acquirers.flatMap((profile) =>
    schemes.filter((scheme) => profile.brands.includes(scheme)).map((scheme) => currenciesFor(scheme, profile)),
  );
  return all.includes(undefined) ? {} : { currencies: [...new Set(all.flatMap((each) => each ?? []))].toSorted() };
}
