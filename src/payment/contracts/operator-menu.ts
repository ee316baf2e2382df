import type { SettlementActor } from '../../base/domain/settlement-fault.ts';

/**
 * Why this terminal can't take every payment now, or can't print, as a code. The page has the words in its languages.
 */
export const menuNotices = [
  'readerAbsent',
  'readerConnecting',
  'paperOut',
  'printerCoverOpen',
  'printerAbsent',
  'printerError',
  'drawerShut',
  'clockUnsynchronised',
  'clockWrong',
] as const;
export type MenuNotice = (typeof menuNotices)[number];

/** The content of an idle screen for the merchant, besides the welcome. No key, no password. */
export interface MenuView {
  readonly version: string;
  /** SHA-256 of the terminal's certificate, if it uses HTTPS. */
  readonly fingerprint?: string;
  /**
   * Messages that wait for a host, and advices that a host rejected. `unsendable`: how many of the waiting ones can't
   * be sent.
   */
  readonly waiting: {
    readonly reversals: number;
    readonly advices: number;
    readonly rejected: number;
    readonly unsendable: number;
    /** Closed batches that their host will not settle. */
    readonly batches: number;
  };
  readonly notices: readonly MenuNotice[];
  /** The number of payments that the shop must return, because their wallet can't refund; absent if there is none. */
  readonly extraPayments?: number;
  /** The number of other matters to be settled with customers; absent if there is none. */
  readonly customerMatters?: number;
  /** Settled batches that differ from the books of their host; absent if there is none. */
  readonly booksDiffer?: number;
  /** The journal was put back, and is not compared with the banks' books yet. */
  readonly restored?: true;
  /** Batches that their hosts have not settled when they were asked to; absent if there is none. */
  readonly unsettled?: readonly UnsettledBatch[];
  /** Acquirers whose host does not know this terminal; absent if there is none. */
  readonly unknownTo?: readonly string[];
  /** Acquirers that take no new payments until their former batch is settled; absent if there is none. */
  readonly held?: readonly string[];
  /** Acquirers whose messages leave this machine without TLS, as configured; absent if there are none. */
  readonly plainLines?: readonly string[];
  /** Acquirers whose messages leave this machine without TLS because `security` is not set. */
  readonly undecidedLines?: readonly string[];
  /** Receipts that wait while the printer can't print; absent on a terminal without a printer. */
  readonly receipts?: number;
  /** An operator's password is set; without one there is no menu. */
  readonly operator: boolean;
  /** Format and currency of an amount that the operator types: '0.00'. */
  readonly price: { readonly amount: string; readonly currency: string };
  /** Points of sale are paired on this terminal. */
  readonly pairs: boolean;
  /** Set while the operator pairs a POS. */
  readonly pairing?: PairingView;
}

/** `actor`: who must act so that it is settled. */
export interface UnsettledBatch {
  readonly acquirer: string;
  readonly batch: number;
  readonly actor: SettlementActor;
}

/**
 * `open`: waits for a POS. `compare`: a POS has come, and its user types the code there. `others`: how many others have
 * tried, or have not completed; absent if none.
 */
export type PairingView = (
  | { readonly stage: 'open' }
  | { readonly stage: 'compare'; readonly posId: string; readonly code: string }
) & { readonly others?: number };

/** An answer to the page: HTTP status and JSON. */
export interface MenuAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The operator's part of the screen. */
export interface MenuPort {
  readonly view: MenuView;
  /** The idle screen is shown: data that a payment may have changed since the last read is read again. */
  look(): void;
  /** Called after every change of the view. */
  onChange(listener: () => void): void;
  /** Handles a request of the page: parsed JSON of any shape. */
  handle(body: unknown): Promise<MenuAnswer>;
}
