import { cardBrands, isKnownScheme, type KnownScheme, type PaymentScheme, paymentSchemes } from './payment-scheme.ts';
import { type TransactionType, transactionTypes } from './transaction-type.ts';

/** A transaction kind that can be requested by its own name; VOID stands for one of these. */
export type TransactionKind = Exclude<TransactionType, 'VOID'>;

/** The six methods of SPEC §1. */
export const methodGroups = ['CARD', 'UNIONPAY', 'QR', 'OCTOPUS', 'EPS', 'CASH'] as const;
export type MethodGroup = (typeof methodGroups)[number];

/** The kinds of each method: 5/3, 5/4, 2/2, 1/0, 1/0, 1/0 payments and voids (SPEC §1, capability tables). */
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

/** Undefined for a code that SPEC does not name. */
export function methodGroup(method: KnownScheme): MethodGroup;
export function methodGroup(method: PaymentScheme): MethodGroup | undefined;
export function methodGroup(method: PaymentScheme): MethodGroup | undefined {
  return isKnownScheme(method) ? groups[method] : undefined;
}

/** The void of each kind. A tip adjustment is voided together with its sale. */
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

/** The kinds of original that a request of this kind may name. */
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

/** Whether the customer presents something if the request names no original. Other kinds always need an original. */
export function presentsCard(kind: TransactionType): boolean {
  return kind === 'SALE' || kind === 'AUTH' || kind === 'OFFLINE_SALE' || kind === 'REFUND';
}

/** What an acquirer accepts: schemes, and kinds if fewer than the table allows. An acquirer can only remove kinds. */
export interface AcquirerOffer {
  readonly brands: readonly PaymentScheme[];
  readonly kinds?: readonly TransactionKind[] | undefined;
  /** Kinds that are missing for one scheme. */
  readonly lacking?: Readonly<Partial<Record<PaymentScheme, readonly TransactionKind[]>>>;
}

/** The kinds that these acquirers offer for one scheme. */
export function offeredKinds(method: PaymentScheme, offers: readonly AcquirerOffer[]): TransactionKind[] {
  const ready = offers.filter(({ brands }) => brands.includes(method));
  return kindsOf(method).filter((kind) =>
    ready.some(({ kinds, lacking }) => (!kinds || kinds.includes(kind)) && !lacking?.[method]?.includes(kind)),
  );
}

/** All kinds of a scheme. For one that SPEC does not name, only its acquirers limit them. */
function kindsOf(method: PaymentScheme): readonly TransactionKind[] {
  const group = methodGroup(method);
  return group ? capabilities[group] : transactionTypes.filter((type) => type !== 'VOID');
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
      return paymentSchemes.filter((method) => methodGroup(method) === 'QR');
    default:
      return [instrument];
  }
}
