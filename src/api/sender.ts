/** The network caller. */
export interface Sender {
  readonly address: string;
  /** The POS whose key has signed the call, if points of sale are paired. */
  readonly posId?: string;
}
