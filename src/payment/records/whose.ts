import type { TransactionRecord } from './record.ts';

/** Of which POS, and for which merchant: of all where it is absent. */
export interface Whose {
  readonly posId?: string | undefined;
  readonly merchantId?: string | undefined;
}

export function isOf({ request }: TransactionRecord, { posId, merchantId }: Whose): boolean {
  const isOfPos = posId === undefined || request.posId === posId;
  return isOfPos && (merchantId === undefined || request.merchantId === merchantId);
}
