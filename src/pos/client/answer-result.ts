/** The part of an answer about the transaction, in either shape. */
export function resultOf(answer: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, unknown>> {
  return (answer?.['transactionResult'] ?? answer?.['transactionPrintData'] ?? {}) as Record<string, unknown>;
}

/** The values of `tranStatus` for an approved transaction that was undone completely. */
const undone: readonly unknown[] = ['VOIDED', 'RELEASED', 'REFUNDED', 'REVERSED'];

/** Whether all of it was undone or returned. The answer to a repeated payment has its first status. */
export function isUndone(answer: Readonly<Record<string, unknown>>): boolean {
  const result = resultOf(answer);
  if (undone.includes(result['tranStatus'] ?? result['transactionStatus'])) return true;
  const charged = result['finalAmount'] ?? result['totalAmount'];
  return isPartlyRefunded(result) && Number(result['refundedAmount']) >= Number(charged);
}

/** Whether refunds have returned a part of it. Amounts are exact decimals of one currency. */
export function isPartlyRefunded({ refundedAmount }: Readonly<Record<string, unknown>>): boolean {
  return typeof refundedAmount === 'number' && refundedAmount > 0;
}
