import { MalformedObjects } from './emv-data.ts';

/** Time and reference number that the host assigns to a request. */
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
  /** A requested mismatch, whatever the totals. */
  readonly forced?: boolean;
  /** Further fields. */
  readonly fields?: ReadonlyMap<number, string>;
}

/**
 * Why a message is refused: field 39. `finding` says what is wrong with a message that no correct terminal would send.
 */
export interface Refusal {
  readonly refused: string;
  readonly finding?: string;
  /** Field 55 of the answer, if the issuer has data for the card. */
  readonly field55?: string;
}

/** The result of `open`, or 30 if its objects are malformed. */
export function opened<T extends object>(open: () => T): T | Refusal {
  try {
    return open();
  } catch (error) {
    if (error instanceof MalformedObjects) return { refused: '30', finding: error.message };
    throw error;
  }
}
