import type { MethodGroup } from './payment-scheme.ts';

/** The properties of one type of transaction. */
export interface TransactionRow {
  /** The methods that can do it (SPEC §1, capability tables). */
  readonly methods: readonly MethodGroup[];
  /** Whether the customer presents a card or code if the request names no original. */
  readonly presents: boolean;
  /** The kinds that it may name as its original. */
  readonly originals: readonly string[];
  /** The message to a card's host. */
  readonly operation: string;
  /** `terminal`: approved here; an advice reports it to the host. */
  readonly decidedBy: 'host' | 'terminal';
  /** Its effect on its batch. A tip is added to its sale. */
  readonly adds: 'sale' | 'refund' | 'tip' | 'nothing';
  /** '-' if it takes from the shop's takings, so that the slips of a day add up to its settlement. */
  readonly sign: '' | '-';
  /** The name of the approved amount: a hold is not a payment. */
  readonly amount: 'total' | 'hold';
  /** The note on the receipt of a hold. */
  readonly note?: 'held' | 'released';
  /** Its name on paper. */
  readonly printed: Names;
  /** Its name at the screen, which does not name a sale. */
  readonly shown?: Names;
}

/** By language. */
type Names = Readonly<Record<string, string>>;

const cards = ['CARD', 'UNIONPAY'] as const;
const payment = { sign: '', amount: 'total' } as const;
const aVoid = {
  presents: false,
  operation: 'void',
  decidedBy: 'host',
  adds: 'nothing',
  sign: '-',
  amount: 'total',
} as const;

/** Every type of transaction of the interface (SPEC §1), in the order in which they are listed. */
export const transactionTable = {
  SALE: {
    ...payment,
    methods: [...cards, 'QR', 'OCTOPUS', 'EPS', 'CASH'],
    presents: true,
    originals: [],
    operation: 'sale',
    decidedBy: 'host',
    adds: 'sale',
    printed: { en: 'SALE', 'zh-Hant': '銷售' },
  },
  TIP_ADJUST: {
    ...payment,
    methods: cards,
    presents: false,
    originals: ['SALE', 'OFFLINE_SALE'],
    operation: 'tipAdjust',
    decidedBy: 'terminal',
    adds: 'tip',
    printed: { en: 'TIP ADJUST', 'zh-Hant': '調整小費' },
    shown: { en: 'Tip', 'zh-Hant': '小費' },
  },
  AUTH: {
    methods: cards,
    presents: true,
    originals: [],
    operation: 'auth',
    decidedBy: 'host',
    adds: 'nothing',
    sign: '',
    amount: 'hold',
    note: 'held',
    printed: { en: 'AUTH', 'zh-Hant': '預授權' },
    shown: { en: 'Pre-authorization', 'zh-Hant': '預授權' },
  },
  OFFLINE_SALE: {
    ...payment,
    methods: ['CARD'],
    presents: true,
    originals: ['AUTH'],
    operation: 'offlineSale',
    decidedBy: 'terminal',
    adds: 'sale',
    printed: { en: 'OFFLINE SALE', 'zh-Hant': '離線銷售' },
    shown: { en: 'Offline sale', 'zh-Hant': '離線銷售' },
  },
  AUTH_COMP: {
    ...payment,
    methods: ['UNIONPAY'],
    presents: false,
    originals: ['AUTH'],
    operation: 'completion',
    decidedBy: 'terminal',
    adds: 'sale',
    printed: { en: 'AUTH COMP', 'zh-Hant': '預授權完成' },
    shown: { en: 'Completion', 'zh-Hant': '預授權完成' },
  },
  REFUND: {
    methods: [...cards, 'QR'],
    presents: true,
    originals: ['SALE', 'OFFLINE_SALE', 'AUTH_COMP'],
    operation: 'refund',
    decidedBy: 'host',
    adds: 'refund',
    sign: '-',
    amount: 'total',
    printed: { en: 'REFUND', 'zh-Hant': '退款' },
    shown: { en: 'Refund', 'zh-Hant': '退款' },
  },
  VOID_SALE: {
    ...aVoid,
    methods: [...cards, 'QR'],
    originals: ['SALE'],
    printed: { en: 'VOID SALE', 'zh-Hant': '撤銷銷售' },
    shown: { en: 'Void sale', 'zh-Hant': '撤銷銷售' },
  },
  VOID_AUTH: {
    ...aVoid,
    methods: ['UNIONPAY'],
    originals: ['AUTH'],
    amount: 'hold',
    note: 'released',
    printed: { en: 'VOID AUTH', 'zh-Hant': '撤銷預授權' },
    shown: { en: 'Void authorization', 'zh-Hant': '撤銷預授權' },
  },
  VOID_OFFLINE: {
    ...aVoid,
    methods: ['CARD'],
    originals: ['OFFLINE_SALE'],
    printed: { en: 'VOID OFFLINE', 'zh-Hant': '撤銷離線銷售' },
    shown: { en: 'Void offline sale', 'zh-Hant': '撤銷離線銷售' },
  },
  VOID_AUTH_COMP: {
    ...aVoid,
    methods: ['UNIONPAY'],
    originals: ['AUTH_COMP'],
    printed: { en: 'VOID AUTH COMP', 'zh-Hant': '撤銷預授權完成' },
    shown: { en: 'Void completion', 'zh-Hant': '撤銷預授權完成' },
  },
  // It returns money.
  VOID_REFUND: {
    ...aVoid,
    methods: [...cards, 'QR'],
    originals: ['REFUND'],
    operation: 'voidRefund',
    sign: '',
    printed: { en: 'VOID REFUND', 'zh-Hant': '撤銷退款' },
    shown: { en: 'Void refund', 'zh-Hant': '撤銷退款' },
  },
  // Stands for the void that fits the original, and is printed only where the original is unknown.
  VOID: {
    ...aVoid,
    methods: [],
    originals: [],
    printed: { en: 'VOID', 'zh-Hant': '撤銷交易' },
    shown: { en: 'Void', 'zh-Hant': '撤銷交易' },
  },
} as const satisfies Readonly<Record<string, TransactionRow>>;

export type TransactionTable = typeof transactionTable;
export type TransactionType = keyof TransactionTable;
export const transactionTypes = Object.keys(transactionTable) as readonly TransactionType[];

/** A transaction kind that can be requested by its own name; VOID stands for one of these. */
export type TransactionKind = Exclude<TransactionType, 'VOID'>;

/** The properties of each type, without the message to the host and the names. */
export function factsOf(type: TransactionType): Pick<TransactionRow, 'methods' | 'adds' | 'sign' | 'amount' | 'note'> {
  return transactionTable[type];
}

/**
 * Whether the customer presents a card or code if the request names no original. Other kinds always need an original.
 */
export function presentsCard(type: TransactionType): boolean {
  return transactionTable[type].presents;
}

/** The kinds of original that a request of this kind may name. */
export function originalKinds(kind: TransactionKind): readonly TransactionKind[] {
  return transactionTable[kind].originals;
}

/**
 * Whether it takes the money that an authorization holds. An offline sale that names one does so for the cards that
 * have no AUTH_COMP: nothing is presented, and its message is a completion.
 */
export function completesAuth(type: TransactionType, originalId: string | undefined): boolean {
  return type === 'AUTH_COMP' || (type === 'OFFLINE_SALE' && originalId !== undefined);
}

/** The void of this kind. A tip adjustment is voided together with its sale. */
export function voidOf(kind: TransactionKind): TransactionKind | undefined {
  return transactionTypes.find(
    (type): type is TransactionKind =>
      type !== 'VOID' && type.startsWith('VOID_') && originalKinds(type).includes(kind),
  );
}

/** The kinds with these facts. */
export type KindsOf<Facts> = {
  [Kind in TransactionKind]: TransactionTable[Kind] extends Facts ? Kind : never;
}[TransactionKind];

/** A kind that is an item of its batch. */
export type SettledKind = KindsOf<{ readonly adds: 'sale' | 'refund' }>;

export function isBatchItem(type: TransactionType): type is SettledKind {
  return transactionTable[type].adds === 'sale' || transactionTable[type].adds === 'refund';
}

type RowOf<Facts> = Extract<TransactionTable[TransactionKind], Facts>;

/** Operations that a card host decides online. */
export type OnlineOperation = RowOf<{ readonly decidedBy: 'host' }>['operation'];

/** Of these, the ones that the card is presented for, and the ones that go by their original alone. */
export type PresentedOperation = RowOf<{ readonly decidedBy: 'host'; readonly presents: true }>['operation'];
export type ReferringOperation = RowOf<{ readonly decidedBy: 'host'; readonly presents: false }>['operation'];

/** Operations that are decided offline and reported to the host afterwards. */
export type AdviceOperation = RowOf<{ readonly decidedBy: 'terminal' }>['operation'];

/** Whether the host decides about an earlier transaction, without its card. */
export function isReferring(
  kind: TransactionKind,
): kind is KindsOf<{ readonly decidedBy: 'host'; readonly presents: false }> {
  return transactionTable[kind].decidedBy === 'host' && !transactionTable[kind].presents;
}

/** The message of a kind to a card's host. */
export function operationOf<Kind extends TransactionKind>(kind: Kind): TransactionTable[Kind]['operation'] {
  return transactionTable[kind].operation;
}
