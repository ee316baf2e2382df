/** Why this terminal can't take every payment now, as a code: the page has the words, in its languages. */
export const deskNotices = ['readerAbsent', 'readerConnecting'] as const;
export type DeskNotice = (typeof deskNotices)[number];

/** What an idle screen shows to the merchant beside the welcome. No key, no password. */
export interface DeskView {
  readonly version: string;
  /** SHA-256 of the terminal's certificate, where it speaks HTTPS. */
  readonly fingerprint?: string;
  /** What waits for a host, and what a host will not post. `unsendable`: how many of those that wait can't be sent at all. */
  readonly waiting: {
    readonly reversals: number;
    readonly advices: number;
    readonly rejected: number;
    readonly unsendable: number;
    /** Closed, and their host will not settle them. */
    readonly batches: number;
  };
  readonly notices: readonly DeskNotice[];
  /** The operator has a password: without one there is no menu. */
  readonly operator: boolean;
  /** What an amount that the operator types looks like: '0.00', and in which currency it is. */
  readonly price: { readonly amount: string; readonly currency: string };
  /** Points of sale are paired here. */
  readonly pairs: boolean;
  /** While the operator pairs one. */
  readonly pairing?: PairingView;
}

/**
 * `open`: a POS may come. `compare`: one has come, and its user types the code there. `others`: how many have tried beside it, or have come
 * to nothing; absent where none has.
 */
export type PairingView = (
  | { readonly stage: 'open' }
  | { readonly stage: 'compare'; readonly posId: string; readonly code: string }
) & { readonly others?: number };

/** An answer to the page: an HTTP status, and JSON. */
export interface DeskAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The operator's part of the screen. */
export interface Desk {
  readonly view: DeskView;
  /** Called after every change of the view. */
  onChange(listener: () => void): void;
  /** What the page asks for, as parsed JSON of whatever shape. */
  handle(body: unknown): Promise<DeskAnswer>;
}
