// The terminal's messages to the page, from its own types, and the types that the page's parts share.
import type { TransactionKind } from '../../base/domain/transaction-kind.ts';
import type { MenuBodies, MenuRefusal, LoginBody, MachineBody } from '../../operator/menu-bodies.ts';
import type { MenuAsked, MenuRequest } from '../../operator/menu-request.ts';
import type { ClosedBatch, Figures } from '../../operator/figures.ts';
import type { Listed } from '../../operator/listed.ts';
import type { ListedReceipt } from '../../operator/receipts.ts';
import type { Rights } from '../../operator/rights.ts';
import type { SettledText } from '../../operator/settled.ts';
import type { PossibleAct } from '../../operator/acts.ts';
import type { Story } from '../../operator/story.ts';
import type { ListedDay } from '../../operator/today.ts';
import type { OpenMatter } from '../../operator/customer-matters.ts';
import type { OpenDiscrepancy } from '../../operator/discrepancies.ts';
import type { OpenExtra } from '../../operator/extra-payments.ts';
import type { Waiting } from '../../operator/waiting.ts';
import type { WaitingBatch } from '../../operator/waiting-batch.ts';
import type { MenuView } from '../../payment/contracts/operator-menu.ts';
import type { ScreenAction } from '../../payment/contracts/screen.ts';
import type { DrawnView } from '../server.ts';
import type { words as english } from './words-en.js';
import type { Words } from './words.ts';

export type { ClosedBatch, Figures } from '../../operator/figures.ts';
export type { PossibleAct } from '../../operator/acts.ts';
export type { ListedDay } from '../../operator/today.ts';
export type { Rights } from '../../operator/rights.ts';
export type { SettledText } from '../../operator/settled.ts';
export type { Story } from '../../operator/story.ts';
export type { Waiting } from '../../operator/waiting.ts';
export type { MenuRefusal } from '../../operator/menu-bodies.ts';
export type { MenuRequest } from '../../operator/menu-request.ts';
export type { OpenMatter } from '../../operator/customer-matters.ts';
export type { OpenDiscrepancy } from '../../operator/discrepancies.ts';
export type { OpenExtra } from '../../operator/extra-payments.ts';
export type { WaitingBatch } from '../../operator/waiting-batch.ts';
export type { MenuView, UnsettledBatch } from '../../payment/contracts/operator-menu.ts';
export type { PageStyle } from '../page-file.ts';
export type { ScreenHint, TillCart, TillView } from '../../payment/contracts/screen.ts';
export type { ShownTip } from '../../options/tip/contract.ts';
export type { ShownNames as KindNames } from '../../base/domain/kind-names.ts';
export type { Signature } from '../../base/domain/signature.ts';
export type { ReportedOutcome } from '../../payment/contracts/reported-outcome.ts';
export type { DrawnCode } from '../drawn-code.ts';
export type { Words } from './words.ts';

/** The content: the terminal's view, or that the terminal is not reachable. */
export type View = Omit<DrawnView, 'scene'> & { readonly scene: DrawnView['scene'] | 'offline' };

type Without<Field extends string, One> = One extends unknown ? Omit<One, Field> : never;
/** An action of the customer or the merchant. */
export type Action = Without<'transaction', ScreenAction>;
export type OnAction = (action: Action) => void;

/** A text by language. */
export type Label = Readonly<Record<string, string>>;
export type Labels = Readonly<Record<string, Label>>;

/** The message in the middle. */
export interface Message {
  readonly title: string;
  readonly hint: string;
  readonly lines?: Readonly<Record<'happened' | 'money' | 'next', string>>;
  readonly drawing: string;
  readonly tone: string;
}

/** Children of an element, and its attributes by their HTML names. */
export type Child = Node | string;
export type Attributes = Readonly<Record<string, string>>;

/** A text that is being typed; a redrawn keypad reads it from here. */
export interface Entry {
  text: string;
}

/** A text that is typed, and its keypad. */
export interface KeypadOptions {
  readonly label: string;
  /** Keys besides the digits. */
  readonly more?: readonly string[];
  readonly words: Words;
  readonly face: (text: string) => string;
  readonly next: (text: string, key: string) => string;
  readonly isDone: (text: string) => boolean;
  readonly onDone: (text: string) => void;
  readonly entry: Entry;
}

/** The visible part of the question for a tip. */
export type TipPart = 'keypad' | 'offers' | 'view';

/** Each stroke: x, y, x, y … */
export type Strokes = number[][];

export interface Panel {
  readonly title: string;
  readonly hint: string;
  readonly tone: string;
  readonly panel?: HTMLElement;
  readonly foot: readonly HTMLElement[];
}

/** An answer to the menu: the requested data, or a refusal. Status 0 if none came. */
export type Answer<Kind extends MenuRequest['kind']> = { readonly status: number } & (
  | { readonly body: MenuBodies[Kind]; readonly refusal?: undefined }
  | { readonly refusal: MenuRefusal; readonly body?: undefined }
);
export type Body<Kind extends MenuRequest['kind']> = MenuBodies[Kind];
/** A request of one kind without its session. */
export type Asked<Kind extends MenuRequest['kind']> = { readonly kind: Kind } & Omit<
  MenuAsked<Kind>,
  'session' | 'kind'
>;
export type Kind = MenuRequest['kind'];

export type Outcome = MenuAsked<'setAside'>['outcome'];
export type { BatchOutcome } from '../../operator/waiting-batch.ts';

/** A batch among the items that wait for the bank. */
export type WaitingRow = Omit<WaitingBatch, 'amount'> & {
  readonly id: string;
  readonly message: 'batch';
  readonly kind: '';
  readonly amount: string;
};
/** A payment that must be returned, in the list of items that wait for the bank. */
export type ExtraRow = OpenExtra & { readonly message: 'extra' };
/** A matter to be settled with the customer, in the same list. */
export type MatterRow = OpenMatter & { readonly message: 'matter' };
/** A difference from the books of the bank, in the same list. */
export interface DiscrepancyRow {
  readonly id: string;
  readonly message: 'discrepancy';
  readonly kind: '';
  readonly at: string;
  readonly amount: string;
  readonly currency: string;
  readonly discrepancy: OpenDiscrepancy;
}
/** A closed batch in a list. */
export type ClosedRow = ClosedBatch & { readonly id: string };

/** The search terms of the day's list. `time`: '1430'. */
export interface Search {
  readonly amount?: string | undefined;
  readonly lastFour?: string | undefined;
  readonly time?: string | undefined;
  readonly posId?: string | undefined;
  readonly merchantId?: string | undefined;
  readonly holds?: true | undefined;
}

export interface List<Row> {
  readonly transactions: readonly Row[];
  readonly first: number;
}
export interface Today extends List<ListedDay> {
  readonly place: 'today';
  readonly search: Search;
  readonly next?: number | undefined;
  readonly drawerOpenings: Body<'today'>['drawerOpenings'];
}
type Back = (() => void) | undefined;
type SureWords =
  | 'settle'
  | 'settleOne'
  | 'aside'
  | 'batch'
  | 'asideNot'
  | 'drawer'
  | 'giveBack'
  | 'matter'
  | 'discrepancy';
/** The action that Yes confirms. `text`: with its amount. */
export type Sure = {
  readonly text?: ((words: Words) => string) | undefined;
  readonly onYes: () => void;
  readonly onNo?: Back;
} & (
  | { readonly what: SureWords; readonly kind?: undefined }
  | { readonly kind: TransactionKind; readonly what?: undefined }
);
type MenuWord = keyof (typeof english)['menu'];

/** The panels of the menu, and the additional data of each. */
export interface Opened {
  readonly menu: object;
  readonly busy: object;
  readonly refund: { readonly merchantId?: string | undefined };
  readonly pairing: object;
  readonly locked: Pick<Extract<LoginBody, { session?: undefined }>, 'waitMs'> & {
    readonly reason?: string | undefined;
  };
  readonly receipts: List<ListedReceipt>;
  readonly sure: Sure;
  readonly lost: { readonly text?: Label | undefined; readonly onAgain: () => void };
  readonly said: {
    readonly what: MenuWord;
    readonly why?: MenuWord | undefined;
    readonly text?: Label | undefined;
    readonly onBack?: Back;
  };
  readonly today: Omit<Today, 'place'>;
  readonly search: { readonly posIds: readonly string[] };
  readonly 'by-pos': { readonly posIds: readonly string[] };
  readonly 'by-merchant': object;
  readonly 'by-amount': object;
  readonly 'by-lastFour': object;
  readonly 'by-time': object;
  readonly one: { readonly story: Story; readonly list?: Today | undefined };
  readonly lines: { readonly story: Story; readonly list?: Today | undefined; readonly first: number };
  readonly howMuch: { readonly story: Story; readonly act: PossibleAct };
  readonly actAmount: { readonly story: Story; readonly act: PossibleAct };
  readonly waiting: List<Waiting | WaitingRow | ExtraRow | MatterRow | DiscrepancyRow>;
  readonly discrepancy: { readonly discrepancy: OpenDiscrepancy };
  readonly matter: { readonly matter: OpenMatter };
  readonly extra: { readonly extra: OpenExtra };
  readonly waits: { readonly transaction: Waiting };
  readonly partPosted: { readonly transaction: Waiting };
  readonly batch: { readonly batch: WaitingBatch };
  readonly report: { readonly figures: Figures; readonly of?: ClosedBatch | undefined; readonly first?: number };
  readonly settlements: List<ClosedRow>;
  readonly settlement: { readonly figures: Figures };
  readonly settled: { readonly settlements: readonly SettledText[] };
  readonly devices: MachineBody;
  readonly about: Partial<MachineBody>;
}
export type Place = keyof Opened;
/** An open panel. */
export type Open = { [P in Place]: { readonly place: P } & Opened[P] }[Place];

/** The common data of panels. */
export interface Shared {
  readonly shown: MenuView;
  readonly entry: Entry;
  readonly rights: Rights;
}
export type OpenPanel = Open & Shared;
/** A list to choose from, a few at a time. */
export interface ListOptions<Row> {
  readonly title: string;
  readonly nothing: string;
  readonly action: string;
  /** The texts of a row besides its price. */
  readonly row: (row: Row) => readonly string[];
  readonly price: (row: Row) => string;
  readonly onChoose: (row: Row) => void;
  readonly onBack?: () => void;
  readonly fetchMore?: (() => void) | undefined;
}

/** Label, value, and a name for the value. */
export type Fact = readonly [label: string, value: string, name?: string];
/** A transaction or a batch as a list shows its amount. */
export type Priced = Pick<Listed, 'amount' | 'currency'>;
/** Totals of a report, and of a settlement's answer. */
export type Summand =
  | Pick<Counted, 'kind' | 'amount'>
  | Pick<SettledText['totals'][number], 'transactionType' | 'totalAmount'>;
export type Counted = Figures['batches'][number]['totals'][number];
export type Total = Counted | SettledText['totals'][number];
export type Named = Pick<Listed, 'method' | 'label' | 'lastDigits'>;

/** A line of an idle screen for the staff. `to`: the place of the menu that shows more. */
export interface StaffLine {
  readonly to: 'devices' | 'bank' | 'receipts' | 'about' | 'more';
  readonly text: string;
}
