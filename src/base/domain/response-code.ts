/** Result codes of the interface. Fail-safe: SUCCESS only if the customer has paid. */
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

/** The code of a host's decline: 1000 + ISO 8583 field 39. A code with letters becomes plain DECLINED. */
export function declineCode(field39: string): number {
  return /^\d\d$/.test(field39) ? 1000 + Number(field39) : codes.DECLINED;
}

/** The customer's financial position if the answer is not SUCCESS. */
export type FinancialImpact = 'NONE' | 'REVERSED' | 'REVERSAL_PENDING' | 'UNKNOWN';
