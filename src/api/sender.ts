/** Who calls over the network. */
export interface Sender {
  readonly address: string;
  /** Whose key has signed the call, where points of sale are paired. */
  readonly posId?: string;
}
