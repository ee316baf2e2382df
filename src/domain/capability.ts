import { cardBrands, isKnownScheme, type KnownScheme, type PaymentScheme, paymentSchemes } from './payment-scheme.ts';
import { type TransactionType, transactionTypes } from './transaction-type.ts';

/** A transaction kind that can be asked for by its own name; VOID stands for one of these. */
export type TransactionKind = Exclude<TransactionType, 'VOID'>;

/** The six methods of SPEC §1. */
export const methodGroups = ['CARD', 'UNIONPAY', 'QR', 'OCTOPUS', 'EPS', 'CASH'] as const;
export type MethodGroup = (typeof methodGroups)[number];

/** Which kinds a method can do at all: 5/3, 5/4, 2/2, 1/0, 1/0, 1/0 payments and voids (SPEC §1, capability tables). */
export const capabilities: Readonly<Record<MethodGroup, readonly TransactionKind[]>> = {
  CARD: ['SALE', 'TIP_ADJUST', 'AUTH', 'OFFLINE_SALE', 'REFUND', 'VOID_SALE', 'VOID_OFFLINE', 'VOID_REFUND'],
  UNIONPAY: [
    'SALE',
    'TIP_ADJUST',
    'AUTH',
    'AUTH_COMP',
    'REFUND',
    'VOID_SALE',
    'VOID_AUTH',
    'VOID_AUTH_COMP',
    'VOID_REFUND',
  ],
  QR: ['SALE', 'REFUND', 'VOID_SALE', 'VOID_REFUND'],
  OCTOPUS: ['SALE'],
  EPS: ['SALE'],
  CASH: ['SALE'],
};

const groups: Readonly<Record<KnownScheme, MethodGroup>> = {
  VISA: 'CARD',
  MASTER: 'CARD',
  AMEX: 'CARD',
  JCB: 'CARD',
  UNIONPAY: 'UNIONPAY',
  ALIPAY: 'QR',
  WECHAT: 'QR',
  FPS: 'QR',
  UPI_QR: 'QR',
  OCTOPUS: 'OCTOPUS',
  EPS: 'EPS',
  CASH: 'CASH',
};

/** Nothing for a code that SPEC does not name. */
export function methodGroup(method: KnownScheme): MethodGroup;
export function methodGroup(method: PaymentScheme): MethodGroup | undefined;
export function methodGroup(method: PaymentScheme): MethodGroup | undefined {
  return isKnownScheme(method) ? groups[method] : undefined;
}

/** The void that takes back each kind; a tip adjust is taken back with its sale. */
const voids: Readonly<Partial<Record<TransactionKind, TransactionKind>>> = {
  SALE: 'VOID_SALE',
  AUTH: 'VOID_AUTH',
  OFFLINE_SALE: 'VOID_OFFLINE',
  AUTH_COMP: 'VOID_AUTH_COMP',
  REFUND: 'VOID_REFUND',
};

export function voidOf(kind: TransactionKind): TransactionKind | undefined {
  return voids[kind];
}

/** The kinds that an original of this kind may be named in. */
export function originalKinds(kind: TransactionKind): readonly TransactionKind[] {
  switch (kind) {
    case 'TIP_ADJUST':
      return ['SALE', 'OFFLINE_SALE'];
    case 'AUTH_COMP':
      return ['AUTH'];
    case 'REFUND':
      return ['SALE', 'OFFLINE_SALE', 'AUTH_COMP'];
    default:
      return (Object.keys(voids) as TransactionKind[]).filter((original) => voids[original] === kind);
  }
}

/** Whether the customer presents something where the request names no original; the others always go by one. */
export function presentsCard(kind: TransactionType): boolean {
  return kind === 'SALE' || kind === 'AUTH' || kind === 'OFFLINE_SALE' || kind === 'REFUND';
}

/**
 * What an acquirer takes: methods, and kinds when fewer than the table allows. An acquirer's profile can only take away.
 */
export interface AcquirerOffer {
  readonly brands: readonly PaymentScheme[];
  readonly kinds?: readonly TransactionKind[] | undefined;
  /** Kinds that one of the methods lacks here. */
  readonly lacking?: Readonly<Partial<Record<PaymentScheme, readonly TransactionKind[]>>>;
}

/** The kinds that these acquirers can do for one method. */
export function offeredKinds(method: PaymentScheme, offers: readonly AcquirerOffer[]): TransactionKind[] {
  const ready = offers.filter(({ brands }) => brands.includes(method));
  return kindsOf(method).filter((kind) =>
    ready.some(({ kinds, lacking }) => (!kinds || kinds.includes(kind)) && !lacking?.[method]?.includes(kind)),
  );
}

/** What a method can do at all. Of one that SPEC does not name its acquirers alone say it. */
function kindsOf(method: PaymentScheme): readonly TransactionKind[] {
  const group = methodGroup(method);
  return group ? capabilities[group] : transactionTypes.filter((type) => type !== 'VOID');
}

/** `preferredInstrument` of a request: one method, or a group of them. */
export const instruments = [...paymentSchemes, 'CARD', 'QR'] as const;
export type Instrument = PaymentScheme | 'CARD' | 'QR';

/** The methods that an instrument stands for; where none is named all of SPEC, and what these acquirers have beside. */
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
      return paymentSchemes.filter((method) => methodGroup(method) === 'QR');
    default:
      return [instrument];
  }
}
