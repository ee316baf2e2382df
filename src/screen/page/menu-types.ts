// The data of the panels of the operator's menu, and the actions of their buttons.
import type {
  Answer,
  Asked,
  BatchOutcome,
  Body,
  ClosedBatch,
  MenuView,
  Figures,
  Kind,
  ListedDay,
  Open,
  OpenPanel,
  Opened,
  OpenDiscrepancy,
  OpenExtra,
  OpenMatter,
  Outcome,
  Panel,
  Place,
  PossibleAct,
  Search,
  Shared,
  Story,
  Sure,
  Today,
  Waiting,
  WaitingBatch,
  Words,
} from './types.ts';

/** With transactions of the day. */
export interface TodayActions {
  readonly today: (
    search?: Search,
    more?: { readonly after?: number | undefined; readonly before?: readonly ListedDay[] },
  ) => void;
  readonly fetchMore: (list: Pick<Today, 'search' | 'next' | 'transactions'>) => void;
  readonly search: () => void;
  readonly searchBy: (name: 'amount' | 'lastFour' | 'time' | 'pos' | 'merchant') => void;
  readonly reopen: (list?: Today) => void;
  readonly story: (id: string) => void;
  readonly one: (story: Story) => void;
  readonly lines: (story: Story, first?: number) => void;
  readonly reprint: (story: Story) => void;
  readonly act: (story: Story, act: PossibleAct) => void;
  readonly actAmount: (story: Story, act: PossibleAct) => void;
  readonly actSure: (story: Story, act: PossibleAct, amount: string) => void;
}
/** With a matter to be settled with the customer. */
export interface MatterActions {
  readonly matter: (matter: OpenMatter) => void;
  readonly settleMatter: (matter: OpenMatter) => void;
  readonly giveBackMatter: (matter: OpenMatter) => void;
  readonly voidMatter: (matter: OpenMatter, act: PossibleAct) => void;
}
/** With differences from the books of the bank. */
export interface DiscrepancyActions {
  readonly discrepancy: (discrepancy: OpenDiscrepancy) => void;
  readonly settleDiscrepancy: (discrepancy: OpenDiscrepancy) => void;
}
/** The other actions of the menu that these need. */
export interface MatterParts {
  readonly go: (open: Open) => void;
  readonly sure: (question: Sure) => void;
  readonly read: <K extends Kind>(body: Asked<K>, then: (body: Body<K>) => void) => void;
  readonly pay: (body: Asked<'act'>, onBack?: () => void) => void;
  readonly withConfirmation: <Request extends { readonly kind: Kind }>(
    body: Request,
  ) => Request & { confirmation: string };
}
/** With the items that wait for the bank. */
export interface BankActions extends MatterActions, DiscrepancyActions {
  readonly bank: () => void;
  readonly waits: (transaction: Waiting) => void;
  readonly partPosted: (transaction: Waiting) => void;
  readonly decided: (transaction: Waiting, outcome: Outcome, amount?: string) => void;
  readonly setAside: (transaction: Waiting, outcome: Outcome, amount?: string) => void;
  readonly extra: (extra: OpenExtra) => void;
  readonly giveBackSure: (extra: OpenExtra) => void;
  readonly batch: (batch: WaitingBatch) => void;
  readonly decidedBatch: (batch: WaitingBatch, outcome: BatchOutcome) => void;
  readonly decideBatch: (batch: WaitingBatch, outcome: BatchOutcome) => void;
}
export interface ReportActions {
  readonly xReport: () => void;
  readonly settlements: () => void;
  readonly zReport: (of: ClosedBatch) => void;
  readonly printReport: (figures: Figures, of?: ClosedBatch) => void;
  readonly printSettlement: (of: ClosedBatch) => void;
  readonly settlement: () => void;
  readonly settleSure: (one?: Figures['batches'][number]) => void;
  readonly settle: (one: { readonly acquirer: string }) => void;
  readonly settleAs: (request: Asked<'settle'>) => void;
}
export interface MachineActions {
  readonly devices: () => void;
  readonly about: () => void;
  readonly testPrint: () => void;
  readonly drawerSure: () => void;
}
/** The actions of the menu's buttons. */
export interface Actions extends TodayActions, BankActions, ReportActions, MachineActions {
  readonly login: (password: string) => void;
  readonly leave: () => void;
  readonly menu: () => void;
  readonly language: () => void;
  readonly more: (open: object, first: number) => void;
  readonly receipts: () => void;
  readonly printReceipt: (receipt: { readonly id: string }, onBack?: () => void) => void;
  readonly refund: () => void;
  readonly refundFor: (merchantId?: string) => void;
  readonly refundSure: (amount: string, merchantId?: string) => void;
  readonly pair: () => void;
  readonly decide: (yes: boolean, code: string) => void;
}

/** The parts of the open menu that the actions use. */
export interface Menu {
  readonly go: (open: Open) => void;
  readonly send: <K extends Kind>(
    body: Asked<K>,
    then: (answer: Answer<K>) => void,
    options?: { readonly paying?: boolean },
  ) => void;
  readonly login: Actions['login'];
  readonly leave: () => void;
  readonly menu: () => void;
  readonly view: () => MenuView;
  readonly hasSession: () => boolean;
}

/** The content of a panel; the rest is the same for most. */
type Drawn = Pick<Panel, 'title'> & Partial<Panel>;
export type Places<Name extends Place = Place> = {
  readonly [P in Name]: (open: { readonly place: P } & Opened[P] & Shared, words: Words, actions: Actions) => Drawn;
};
export type DrawPanel = (open: OpenPanel, words: Words, actions: Actions) => Drawn;
