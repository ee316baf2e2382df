/** What the terminal does for a settlement. */
export interface Counter {
  /** Runs `work` while no payment runs, and none begins before it is over. Nothing where one takes too long. */
  readonly lull: <T>(work: () => Promise<T>) => Promise<T | undefined>;
  /** No further message is begun. */
  readonly isStopping: () => boolean;
}
