/** A number as its JSON source text: '30.00'. Amounts are read from its digits, never from a double. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** Whether a caller is still connected, as far as its connection shows it; unknown for a caller behind a broker. */
export interface CallerConnection {
  /** Aborted when its connection is closed. */
  readonly gone: AbortSignal;
  /** It has closed its side: it may have left, or may still wait for its answer. */
  readonly hasClosedItsSide: () => boolean;
}

/**
 * The caller, as a protocol knows it. What the caller may do follows from `posId` and the configuration, not from the
 * protocol.
 */
export interface PosCaller {
  /** Distinguishes callers without a key: a network address, or a protocol's substitute for one. */
  readonly address: string;
  /** The POS whose credentials the protocol has verified. Its calls may name no other POS. */
  readonly posId?: string;
  /** It is not on the shop's network: such a caller must be identified, whatever the value of `pairing.required`. */
  readonly isRemote?: true;
  readonly connection?: CallerConnection;
  /** The call may start nothing after this time. */
  readonly expiresAt?: Date;
  /** The paired key of the call, and when the call was signed with it. */
  readonly key?: { readonly keyId: string; readonly createdS: number };
}

export interface PosAnswer {
  /** A status code of HTTP (docs/pos.md). */
  readonly status: number;
  /** Bytes are sent as they are, with a Content-Type among the headers; anything else as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface CallIdentity {
  readonly posId: string;
  readonly messageId: string;
}

/** The fields of a call, as the API names them (docs/pos.md). The call checks them, and refuses any other. */
type Fields = Readonly<Record<string, unknown>>;

export type PaymentFields = CallIdentity & {
  readonly transactionType: string;
  readonly requestAmount?: JsonNumber;
  readonly currency?: string;
} & Fields;

/** The query of a call that reads. */
export interface PosQuery {
  readonly query: URLSearchParams;
}

/** The input of each call, by its name. */
export interface PosRequests {
  readonly payment: PaymentFields;
  readonly enquiry: (CallIdentity | { readonly terminalTransactionId: string }) & Fields;
  readonly cancel: CallIdentity;
  readonly settlement: CallIdentity & { readonly acquirer?: string };
  readonly receipt: Fields;
  readonly print: CallIdentity & Fields;
  readonly display: { readonly posId: string } & Fields;
  readonly openDrawer: CallIdentity & Fields;
  readonly printReport: CallIdentity & Fields;
  readonly pairing: Fields;
  readonly reveal: Fields;
  /** Only for remote callers: another key in place of that of the call. */
  readonly rotate: Fields;
  readonly transactions: PosQuery;
  readonly report: PosQuery;
  readonly status: PosQuery;
  readonly capabilities: PosQuery;
}

export type PosCallName = keyof PosRequests;

/**
 * The calls of a POS to the terminal, for every protocol. Access, limits and checks are part of each call. The fields
 * may come from the wire unchecked. No call rejects. A payment is answered once it has ended, and continues if its
 * caller leaves.
 */
export type PosCalls = {
  readonly [Name in PosCallName]: (request: PosRequests[Name], caller: PosCaller) => Promise<PosAnswer>;
};
