import {
  cardBrands,
  isKnownScheme,
  type KnownScheme,
  type MethodGroup,
  type PaymentScheme,
  paymentSchemes,
} from './payment-scheme.ts';
import { factsOf, type TransactionKind, transactionTypes } from './transaction-kind.ts';
import { type Amount, majorText } from './amount.ts';
import type { CurrencyCode } from './currency.ts';

const allKinds = transactionTypes.filter((type) => type !== 'VOID');

/** The kinds of each method: 5/3, 5/4, 2/2, 1/0, 1/0, 1/0 payments and voids (SPEC §1, capability tables). */
export const capabilities: Readonly<Record<MethodGroup, readonly TransactionKind[]>> = {
  CARD: kindsOfGroup('CARD'),
  UNIONPAY: kindsOfGroup('UNIONPAY'),
  QR: kindsOfGroup('QR'),
  OCTOPUS: kindsOfGroup('OCTOPUS'),
  EPS: kindsOfGroup('EPS'),
  CASH: kindsOfGroup('CASH'),
};

function kindsOfGroup(group: MethodGroup): readonly TransactionKind[] {
  return allKinds.filter((kind) => factsOf(kind).methods.includes(group));
}

const groups: Readonly<Record<KnownScheme, MethodGroup>> = {
  VISA: 'CARD',
  MASTER: 'CARD',
  AMEX: 'CARD',
  JCB: 'CARD',
  UNIONPAY: 'UNIONPAY',
  DINERS: 'CARD',
  DISCOVER: 'CARD',
  ALIPAY: 'QR',
  WECHAT: 'QR',
  FPS: 'QR',
  UPI_QR: 'QR',
  OCTOPUS: 'OCTOPUS',
  EPS: 'EPS',
  CASH: 'CASH',
};

/** Undefined for a code that neither SPEC nor one of these acquirers puts into a group. */
export function methodGroup(method: KnownScheme): MethodGroup;
export function methodGroup(method: PaymentScheme, offers?: readonly AcquirerOffer[]): MethodGroup | undefined;
export function methodGroup(method: PaymentScheme, offers: readonly AcquirerOffer[] = []): MethodGroup | undefined {
  return isKnownScheme(method) ? groups[method] : offers.find(({ brands }) => brands.includes(method))?.group;
}

/** What an acquirer accepts: schemes, and kinds if fewer than the table allows. An acquirer can only remove kinds. */
export interface AcquirerOffer {
  readonly brands: readonly PaymentScheme[];
  readonly kinds?: readonly TransactionKind[] | undefined;
  /** The method of SPEC §1 to which its further schemes belong; without it, each is a method of its own. */
  readonly group?: MethodGroup;
  /** Kinds that one scheme does not have at all: FPS has no refunds. */
  readonly lacking?: KindsByScheme;
  /** Kinds that the merchant allows for one scheme, if not all. */
  readonly schemeKinds?: KindsByScheme;
}

type KindsByScheme = Readonly<Partial<Record<PaymentScheme, readonly TransactionKind[]>>>;

/** The kinds that these acquirers offer for one scheme. */
export function offeredKinds(method: PaymentScheme, offers: readonly AcquirerOffer[]): TransactionKind[] {
  const ready = offers.filter(({ brands }) => brands.includes(method));
  const group = methodGroup(method, ready);
  // Of a scheme without a group, only its acquirers limit the kinds.
  return (group ? capabilities[group] : allKinds).filter((kind) =>
    ready.some((offer) => offersKind(offer, method, kind)),
  );
}

function offersKind({ kinds, lacking, schemeKinds }: AcquirerOffer, method: PaymentScheme, kind: TransactionKind) {
  const allowed = schemeKinds?.[method];
  return (!kinds || kinds.includes(kind)) && (!allowed || allowed.includes(kind)) && !lacking?.[method]?.includes(kind);
}

/**
 * The kinds that VOID may stand for. It releases an authorization of any card: SPEC's table has VOID_AUTH for UnionPay
 * alone, and to the host both are the same void.
 */
export function voidableKinds(method: PaymentScheme, offers: readonly AcquirerOffer[]): TransactionKind[] {
  const offered = offeredKinds(method, offers);
  const releases = methodGroup(method) === 'CARD' && offered.includes('AUTH') && offered.includes('VOID_SALE');
  return releases ? [...offered, 'VOID_AUTH'] : offered;
}

/** `preferredInstrument` of a request: one scheme, or a group. */
export const instruments = [...paymentSchemes, 'CARD', 'QR'] as const;
export type Instrument = PaymentScheme | 'CARD' | 'QR';

/** The schemes of an instrument. If absent, all of SPEC's and those that these acquirers add. */
export function methodsOf(
  instrument: Instrument | undefined,
  offers: readonly AcquirerOffer[] = [],
): readonly PaymentScheme[] {
  switch (instrument) {
    case undefined:
      return [...new Set([...paymentSchemes, ...offers.flatMap(({ brands }) => brands)])];
    case 'CARD':
      return cardBrands;
    case 'QR':
      return methodsOf(undefined, offers).filter((method) => methodGroup(method, offers) === 'QR');
    default:
      return [instrument];
  }
}

/** Limits of an acquirer's messages, known before a payment starts. */
export interface Limits {
  /** The largest amount of one message, minor units. */
  readonly mostMinor: bigint;
  /** All currencies if absent. */
  readonly currencies?: readonly CurrencyCode[];
  /** An amount is a multiple of this, minor units. */
  readonly stepMinor?: bigint;
}

/** The merchant's own limits of one payment, minor units, by currency. */
export type Bounds = Readonly<Partial<Record<CurrencyCode, Bound>>>;

interface Bound {
  readonly leastMinor?: bigint | undefined;
  readonly mostMinor?: bigint | undefined;
}

/** The narrowest of several limits in one currency. */
export function boundOf(currency: CurrencyCode, all: readonly (Bounds | undefined)[]): Bound {
  return all.reduce<Bound>((narrowest, bounds) => {
    const { leastMinor = 0n, mostMinor } = bounds?.[currency] ?? {};
    const { leastMinor: least = 0n, mostMinor: most } = narrowest;
    return {
      leastMinor: leastMinor > least ? leastMinor : narrowest.leastMinor,
      mostMinor: most === undefined || (mostMinor !== undefined && mostMinor < most) ? mostMinor : most,
    };
  }, {});
}

/** The merchant's limit that an amount is outside of, for a message; undefined if there is none. */
export function outside({ minor, currency }: Amount, bounds: Bounds = {}): string | undefined {
  const { leastMinor = 0n, mostMinor = minor } = bounds[currency] ?? {};
  if (minor < leastMinor) return `at least ${majorText({ minor: leastMinor, currency })} ${currency}`;
  if (mostMinor < minor) return `at most ${majorText({ minor: mostMinor, currency })} ${currency}`;
  return undefined;
}

/** The limit that an amount exceeds, for a message; undefined if it exceeds none. */
export function beyond(amount: Amount, limits: Limits | undefined): string | undefined {
  if (!limits) return undefined;
  const { mostMinor, currencies, stepMinor = 1n } = limits;
  const { minor, currency } = amount;
  if (currencies && !currencies.includes(currency)) return `the currencies are ${currencies.join(', ')}`;
  if (minor > mostMinor) return `at most ${majorText({ minor: mostMinor, currency })} ${currency}`;
  if (minor % stepMinor === 0n) return undefined;
  return `in steps of ${majorText({ minor: stepMinor, currency })} ${currency}`;
}
