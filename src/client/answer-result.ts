/** The part of an answer that tells of the transaction, in either shape. */
export function resultOf(answer: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, unknown>> {
  return (answer?.['transactionResult'] ?? answer?.['transactionPrintData'] ?? {}) as Record<string, unknown>;
}
