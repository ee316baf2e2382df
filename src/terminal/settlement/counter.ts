/** What the terminal offers to a settlement. */
export interface Counter {
  /** Runs `work` while no payment runs; none begins before it is over. Undefined if a payment takes too long. */
  readonly lull: <T>(work: () => Promise<T>) => Promise<T | undefined>;
  /** True once no further message may be sent. */
  readonly isStopping: () => boolean;
}
