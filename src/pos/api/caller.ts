import type { PosCaller } from '../contracts/pos-calls.ts';

/** The identity by which callers take turns: a POS, or an address. The operator's menu has none. */
export function callerOf({ posId, address = '' }: Partial<Pick<PosCaller, 'posId' | 'address'>>): string {
  return posId === undefined ? address : `POS ${posId}`;
}
