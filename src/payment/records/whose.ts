import type { TransactionRecord } from './record.ts';

/** Selects the records of one POS, or of one merchant; absent: of all. */
export interface Whose {
  readonly posId?: string | undefined;
  readonly merchantId?: string | undefined;
}

export function isOf({ request }: TransactionRecord, { posId, merchantId }: Whose): boolean {
  const isOfPos = posId === undefined || request.posId === posId;
  return isOfPos && (merchantId === undefined || request.merchantId === merchantId);
}
