import { ownPosIds } from '../domain/identifiers.ts';
import type { DeskAnswer } from '../ports/desk.ts';

/** The operator's payments use the POS interface, under this name. */
export const posId = ownPosIds.operator;

interface Confirmed {
  readonly confirmation: string;
  readonly acquirer?: string | undefined;
  readonly batch?: number | undefined;
}

/** What a confirmed press asks of the POS interface: the same confirmation is the same request. */
export function callOf({ confirmation, acquirer, batch }: Confirmed) {
  const of = { ...(acquirer === undefined ? {} : { acquirer }), ...(batch === undefined ? {} : { batch }) };
  return { posId, messageId: confirmation, ...of };
}

/** What was asked for has happened: an answer of the payment interface says SUCCESS, one of the menu no reason. */
export function isDone({ status, body }: DeskAnswer): boolean {
  if (status !== 200) return false;
  return 'responseResult' in body ? body['responseResult'] === 'SUCCESS' : body['reason'] === undefined;
}
