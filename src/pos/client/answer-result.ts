/** The part of an answer that tells of the transaction, in either shape. */
export function resultOf(answer: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, unknown>> {
  return (answer?.['transactionResult'] ?? answer?.['transactionPrintData'] ?? {}) as Record<string, unknown>;
}

/** What `tranStatus` says of an approved transaction of which nothing stands any more. */
const undone: readonly unknown[] = ['VOIDED', 'RELEASED', 'REFUNDED', 'REVERSED'];

/** Whether all of what was done was given back. The answer to a repeated payment has its first status. */
export function isUndone(answer: Readonly<Record<string, unknown>>): boolean {
  const result = resultOf(answer);
  if (undone.includes(result['tranStatus'] ?? result['transactionStatus'])) return true;
  const charged = result['finalAmount'] ?? result['totalAmount'];
  return isPartlyRefunded(result) && Number(result['refundedAmount']) >= Number(charged);
}

/** Whether refunds have given back something of it. Amounts are exact decimals of one currency. */
export function isPartlyRefunded({ refundedAmount }: Readonly<Record<string, unknown>>): boolean {
  return typeof refundedAmount === 'number' && refundedAmount > 0;
}
