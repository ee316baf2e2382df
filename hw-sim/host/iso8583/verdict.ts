import { MalformedObjects } from './emv-data.ts';

/** What the host gives to a request that it carries out: when, and under which number. */
export interface Stamp {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Field 12, hhmmss. */
  readonly time: string;
  /** Field 13, MMDD. */
  readonly date: string;
  /** Field 37. */
  readonly rrn: string;
}

/** What is answered. A stamp puts its time into fields 12 and 13 and its number into 37. */
export interface Verdict {
  /** Field 39. */
  readonly code: string;
  readonly stamp?: Stamp;
  /** A mismatch that was asked for, whatever the totals. */
  readonly forced?: boolean;
  /** Further fields. */
  readonly fields?: ReadonlyMap<number, string>;
}

/**
 * Why a message is refused: field 39. `finding` is set where no sound terminal would send such a message at all, and says
 * what is wrong with it.
 */
export interface Refusal {
  readonly refused: string;
  readonly finding?: string;
  /** Field 55 of the answer, where the issuer has something to say to the card. */
  readonly field55?: string;
}

/** What `open` gives, or 30 where the objects that it opens are malformed. */
export function opened<T extends object>(open: () => T): T | Refusal {
  try {
    return open();
  } catch (error) {
    if (error instanceof MalformedObjects) return { refused: '30', finding: error.message };
    throw error;
  }
}
