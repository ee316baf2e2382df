import type { Caller } from './waiting-calls.ts';

/** Who calls, as the wire tells it. */
export interface Sender {
  /** The network address; of a call through the cloud link `cloud`, before pairing with the topic of its answer. */
  readonly address: string;
  /** Whether the caller is still there, of a call on the shop's network. */
  readonly caller?: Caller;
  /** Of a call for pairing, which nobody has signed. */
  readonly isFromCloud?: true;
  /** The POS whose key has signed the call, if points of sale are paired. */
  readonly posId?: string;
  /** Of a call through the cloud link: when it was signed, and until when it may begin something. */
  readonly cloud?: { readonly createdS: number; readonly expiresAt: Date; readonly keyId: string };
}

/** Who takes turns with others: a paired POS, or an address. The operator's menu has none. */
export function callerOf({ posId, address = '' }: Partial<Pick<Sender, 'posId' | 'address'>>): string {
  return posId === undefined ? address : `POS ${posId}`;
}
