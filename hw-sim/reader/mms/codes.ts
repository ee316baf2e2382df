import type { CardInterface } from '../../card/card.ts';

/**
 * Numbers of MagTek's MMS protocol: DynaFlex programmer's manual (commands), D998200383, and MagTek's WebHID demo. What
 * neither says is in fixtures/README.md, and so are all details of 0105 and 0205.
 */

/** Message type, first byte of 81. */
export const messageType = { request: 0x01, response: 0x82, notification: 0x83 } as const;

export const requestId = { start: 0x1001, resume: 0x1004, cancel: 0x1008, pin: 0x2001 } as const;

export const notificationId = {
  /** Something has happened in a transaction. */
  information: 0x0101,
  /** The transaction is over. */
  complete: 0x0105,
  pinComplete: 0x0205,
} as const;

/** First byte of 82 in a response. Assumed: what would have gone on (1001, 2001) fails to start, the rest fails. */
export const summary = { done: 0x00, started: 0x01, failedToStart: 0x80, failed: 0x81 } as const;

/** The other three bytes of 82 in a response that refuses. */
export const refusal = {
  genericFailure: 0x010101,
  badParameter: 0x010102,
  pinKeyNotMapped: 0x010110,
  noTransaction: 0x020304,
  inProgress: 0x020308,
} as const;

/** First byte of 82 in a notification: what the news is about. */
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
  /** What the transaction came to, with data. */
  batch: 0x080302,
} as const;

/** The other three bytes in 0105, of which 0205 has the first three. */
export const ending = {
  done: 0x000000,
  cancelled: 0x020304,
  timedOut: 0x020305,
  useChip: 0x020306,
  useStripe: 0x020307,
  cardError: 0x020308,
} as const;
