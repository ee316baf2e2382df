/** What the committing process had acknowledged: so many events of a transaction, and the trace number it was given. */
export interface Acknowledged {
  readonly ordinal: number;
  readonly events: number;
  readonly stan?: number;
}
