import { ownPosIds } from '../base/domain/identifiers.ts';
import type { MenuAnswer } from '../payment/contracts/operator-menu.ts';

/** The operator's payments use the POS interface, under this name. */
export const posId = ownPosIds.operator;

interface Confirmed {
  readonly confirmation: string;
  readonly acquirer?: string | undefined;
  readonly batch?: number | undefined;
}

/** The request of a confirmed action to the POS interface. The same confirmation is the same request. */
export function callOf({ confirmation, acquirer, batch }: Confirmed) {
  const of = { ...(acquirer === undefined ? {} : { acquirer }), ...(batch === undefined ? {} : { batch }) };
  return { posId, messageId: confirmation, ...of };
}

/**
 * Whether the requested action was carried out: an answer of the payment interface has SUCCESS, one of the menu has no
 * reason.
 */
export function isDone({ status, body }: MenuAnswer): boolean {
  if (status !== 200) return false;
  return 'responseResult' in body ? body['responseResult'] === 'SUCCESS' : body['reason'] === undefined;
}
