// The simulator's messages to its page and the bodies of its calls, from its own types.
import type { z } from 'zod';
import type * as bodies from '../bench/bodies.ts';
import type { stateOf } from '../bench/parts.ts';
import type { LedgerEntry, SettlementEntry } from '../host/iso8583/host.ts';
import type { QfpayHostState, QfpayLedgerEntry } from '../host/qfpay/host.ts';
import type { OctopusLedgerEntry } from '../octopus/deduction.ts';
import type { Scenario } from '../scenarios.ts';
import type { TillAnswer } from '../till/till.ts';
import type { Wires } from '../wires/record.ts';
import type { ShownFrame, ShownWhole } from '../wires/shown.ts';

export type { LedgerEntry, SettlementEntry } from '../host/iso8583/host.ts';
export type { QfpayLedgerEntry } from '../host/qfpay/host.ts';
export type { OctopusLedgerEntry } from '../octopus/deduction.ts';
export type { CardInterface } from '../card/card.ts';
export type { Scenario, Step } from '../scenarios.ts';
export type { TillAnswer } from '../till/till.ts';
export type { ShownField, ShownFrame, ShownWhole } from '../wires/shown.ts';

export type State = ReturnType<typeof stateOf>;
export type Reader = State['reader'];
export type Printer = State['printer'];
export type Octopus = State['octopus'];
export type Terminal = State['terminal'];
export type Host = State['hosts'][string];
export type WalletHost = Extract<Host, Pick<QfpayHostState, 'wallets'>>;
export type Phone = WalletHost['wallets'][number];

type HostBody = Partial<Input<typeof bodies.hostMode>> & Partial<Input<typeof bodies.walletHostMode>>;
/** How a host behaves: a name of these is a field of its state and of the call that sets it. */
export type ModeField = keyof (z.input<typeof bodies.hostMode> & z.input<typeof bodies.walletHostMode>);
type ModeValue = string | number | boolean | string[] | Readonly<Record<string, string | null>> | undefined;
export type Mode = { readonly [Field in Exclude<ModeField, 'mode'>]?: ModeValue } & { readonly mode?: string };
type Input<Body extends z.ZodType> = z.input<Body>;

/** The bodies of the calls, by their paths. */
export interface Requests {
  readonly '/api/reader/tap': Input<typeof bodies.tap>;
  readonly '/api/reader/insert': Input<typeof bodies.tap>;
  readonly '/api/reader/swipe': Input<typeof bodies.tap>;
  readonly '/api/reader/remove': Input<typeof bodies.nothing>;
  readonly '/api/reader/fault': Input<typeof bodies.readerFault>;
  readonly '/api/pin-pad/enter': Input<typeof bodies.pinPadEntry>;
  readonly '/api/scanner/scan': Input<typeof bodies.scan>;
  readonly '/api/scanner/fault': Input<typeof bodies.scannerFault>;
  readonly '/api/octopus/tap': Input<typeof bodies.tap>;
  readonly '/api/octopus/fault': Input<typeof bodies.octopusFault>;
  readonly '/api/printer/fault': Input<typeof bodies.printerFault>;
  readonly '/api/wallet/pay': Input<typeof bodies.walletPay>;
  readonly '/api/wallet/code': Input<typeof bodies.walletCode>;
  readonly '/api/wallet/confirm': Input<typeof bodies.walletAnswer>;
  readonly '/api/wallet/refuse': Input<typeof bodies.walletAnswer>;
  readonly '/api/terminal/power': Input<typeof bodies.terminalPower>;
  readonly '/api/faults/clear': Input<typeof bodies.nothing>;
  readonly '/api/session': Input<typeof bodies.nothing>;
  readonly '/api/reset': Input<typeof bodies.nothing>;
  readonly [host: `/api/host/${string}`]: HostBody;
}
export type Path = keyof Requests;
/** Calls that set a device's faults. */
export type FaultPath = Extract<Path, `${string}/fault`>;
/** Faults that are on until they are switched off. */
export type Switches<P extends FaultPath> = Readonly<Partial<Record<keyof Requests[P] & string, string>>>;

/** Answers that are more than the state of what was changed. */
interface Answers {
  readonly '/api/wallet/code': { readonly code: string };
  readonly [host: `/api/host/${string}`]: Host;
}
export type Answer<P> = P extends keyof Answers ? Answers[P] : object;

/** A row of a host's books. */
export type Booked = LedgerEntry | QfpayLedgerEntry | OctopusLedgerEntry;

/** Paths that are fetched to be shown. */
interface Shown {
  readonly '/api/cards': readonly string[];
  readonly '/api/scenarios': { readonly scenarios: readonly Scenario[]; readonly amounts: readonly Ending[] };
  readonly '/api/wires?after=999999999999999': {
    readonly lines: Wires['lines'];
    readonly frames: readonly ShownFrame[];
  };
  readonly '/api/octopus/ledger': readonly Booked[];
  readonly [frame: `/api/wires/${number}`]: ShownWhole;
  readonly [ledger: `/api/host/${string}/ledger`]: readonly Booked[];
  readonly [settlements: `/api/host/${string}/settlements`]: readonly SettlementEntry[];
}
export type ShownPath = keyof Shown;
export interface BooksPaths {
  readonly ledger: `/api/host/${string}/ledger` | '/api/octopus/ledger';
  readonly settlements?: `/api/host/${string}/settlements`;
}
export type Found<P extends ShownPath> = Shown[P];

/** The effect of an amount with these cents. */
export interface Ending {
  readonly cents: string;
  readonly what: string;
}

/** A call of the page's till. `path`: behind /sp/v1/. */
export interface Call {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly body?: TillBody;
}
/** A request, as far as the page reads it. */
export interface TillBody {
  readonly posId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly transactionType?: string | undefined;
  readonly currency?: string | undefined;
  readonly requestAmount?: number | undefined;
  readonly [field: string]: unknown;
}
/** The terminal's answer, as far as the page reads it: the terminal shares no code with the simulator. */
export interface PosAnswer {
  readonly responseResult?: string;
  readonly message?: string;
  readonly financialImpact?: string;
  readonly terminalTransactionId?: string;
  readonly transactionResult?: {
    readonly paymentMethod?: string;
    readonly maskedPan?: string;
    readonly approvalCode?: string;
  };
}
/** The display of a call while it runs, and of its answer. */
export interface DrawnCall {
  readonly box: HTMLElement;
  readonly wait: () => void;
  readonly done: (answer: TillAnswer) => void;
  readonly failed: (why: string) => void;
}

/** A cell of a table: a text, a smaller one below it, and a class. */
export type Cell = readonly [text: string, below?: string | undefined, className?: string];

/** Fields of a form by name: `[name, kind, choices]`. */
export type FormField = readonly [name: string, kind: string, choices?: readonly string[]];

/** The tab of a host and its contents. */
export interface HostTab {
  readonly id: string;
  readonly panel: HTMLElement;
  readonly condition: HTMLElement;
  readonly form: { readonly form: HTMLElement | string; readonly showState: (host: Host) => void };
  readonly books: { readonly look: (key: string) => void };
  readonly tab: HTMLElement;
  key: string;
  moved?: number;
}

/** The host's own kind: of cards, of wallets, or the Octopus reader with its books. */
export type BooksKind = 'cards' | 'wallets' | 'octopus';

/** A field of a host's mode: its name, label, form, and when it applies. */
export type ModeEntry = readonly [
  name: ModeField,
  label: string,
  kind: string,
  when?: { readonly only?: boolean; readonly whenOn?: boolean },
];

/** A fault in words, and when it is set. */
export type FaultWords = readonly [text: string, isSet?: (value: unknown) => boolean];
