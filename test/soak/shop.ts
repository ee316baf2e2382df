/** A batch that the host has settled: the sales in it, and whether its own books have the same. */
export interface Settled {
  readonly sales: number;
  readonly isBalanced: boolean;
}

/** Where a terminal stands for years: its card, its host, and its process. */
export interface Shop {
  /** Of the terminal. */
  readonly stateDir: string;
  readonly pid: number;
  /** Its calls: `http://…/sp/v1`. */
  readonly api: string;
  /** A card is held at its reader, for the next sale. Resolves once it was read. */
  present(): Promise<unknown>;
  /** What the host has settled, oldest first. */
  settled(): Promise<readonly Settled[]>;
  /** Sales in the host's books; undefined where it keeps none, or too many to tell. */
  posted(): Promise<number | undefined>;
  /** Tells the terminal's clock to go on. */
  clockOn(ms: number): void;
  /** An orderly stop and the next start. Resolves to what the start took, in ms. */
  restart(): Promise<number>;
  close(): Promise<void>;
}
