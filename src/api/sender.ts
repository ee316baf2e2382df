/** Who calls, as the wire tells it. */
export interface Sender {
  /** The network address; `cloud` of a call through the cloud link. */
  readonly address: string;
  /** The POS whose key has signed the call, if points of sale are paired. */
  readonly posId?: string;
  /** Of a call through the cloud link: until when it may begin something. */
  readonly cloud?: { readonly expiresAt: Date; readonly keyId: string };
}
