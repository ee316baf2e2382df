/** Who calls, as the wire tells it. */
export interface Sender {
  /** The network address; of a call through the cloud link `cloud`, before pairing with the topic of its answer. */
  readonly address: string;
  /** Of a call for pairing, which nobody has signed. */
  readonly isFromCloud?: true;
  /** The POS whose key has signed the call, if points of sale are paired. */
  readonly posId?: string;
  /** Of a call through the cloud link: when it was signed, and until when it may begin something. */
  readonly cloud?: { readonly createdS: number; readonly expiresAt: Date; readonly keyId: string };
}
