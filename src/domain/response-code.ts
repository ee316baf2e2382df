/** Results of the interface, fail-safe: SUCCESS only where the customer has paid. */
const codes = {
  SUCCESS: 0,
  DECLINED: 1,
  ERROR: 2,
  NOT_FOUND: 3,
  INVALID_PARAMETER: 4,
  TIMEOUT: 5,
  DATABASE_ERROR: 6,
  UNKNOWN: 7,
  PROCESSING: 11,
  INVALID_TRANSACTION_STATUS: 104,
  INVALID_CURRENCY: 105,
  ALREADY_EXISTS: 106,
  TRANSACTION_ALREADY_CANCEL: 107,
} as const;

export type ResponseResult = keyof typeof codes;

export function responseCode(result: ResponseResult): number {
  return codes[result];
}

/** A host's decline is 1000 + ISO 8583 field 39; letters of a non-numeric code have no place there, so it is plain DECLINED. */
export function declineCode(field39: string): number {
  return /^\d\d$/.test(field39) ? 1000 + Number(field39) : codes.DECLINED;
}

/** Where the customer's money stands when the answer is not SUCCESS. */
export type FinancialImpact = 'NONE' | 'REVERSED' | 'REVERSAL_PENDING' | 'UNKNOWN';
