import type { CardInterface } from '../../card/card.ts';

/**
 * Numbers of MagTek's MMS protocol: its Master Programmer's Manual, D100005000, and MagTek's WebHID demo. Assumed
 * numbers are listed in fixtures/README.md.
 */

/** Message type, first byte of 81. */
export const messageType = { request: 0x01, response: 0x82, notification: 0x83 } as const;

export const requestId = { start: 0x1001, resume: 0x1004, cancel: 0x1008, pin: 0x2001 } as const;

export const notificationId = {
  /** An event of a transaction. */
  information: 0x0101,
  /** The transaction is over. */
  complete: 0x0105,
  pinComplete: 0x0205,
} as const;

/** First byte of 82 in a response. Assumed: a refused 1001 or 2001 "failed to start", any other command "failed". */
export const summary = { done: 0x00, started: 0x01, failedToStart: 0x80, failed: 0x81 } as const;

/** The other three bytes of 82 in a response that refuses. */
export const refusal = {
  genericFailure: 0x010101,
  badParameter: 0x010102,
  pinKeyNotMapped: 0x010110,
  noTransaction: 0x020304,
  inProgress: 0x020308,
} as const;

/** First byte of 82 in a transaction's notification: its technology. */
export const technology = {
  none: 0x00,
  stripe: 0x08,
  chip: 0x10,
  contactless: 0x20,
} as const satisfies Record<CardInterface | 'none', number>;

/** The other three bytes in 0101. */
export const information = {
  inserted: 0x010200,
  removed: 0x010300,
  detected: 0x010400,
  collision: 0x010500,
  /** Request for authorization, with card data. */
  authorization: 0x080202,
  /** Result of the transaction, with data. */
  batch: 0x080302,
} as const;

/** The other three bytes in 0105 (Table 311). */
export const ending = {
  approved: 0x020600,
  declined: 0x028000,
  cancelled: 0x030100,
  timedOut: 0x010000,
  /** With technology chip: failed, stripe fallback. */
  useStripe: 0x020803,
  /** Try another interface. Not published for the stripe. */
  useChip: 0x020100,
  notAccepted: 0x020900,
  tryAgain: 0x020d00,
  failed: 0x020800,
} as const;

/** 82 of 0205 (Table 314): the touchscreen, then PIN entry. */
export const touchscreen = 0x01;
export const pinEnding = { done: 0x020101, timedOut: 0x020201, cancelled: 0x020203 } as const;
