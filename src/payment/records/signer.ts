import { completesAuth, presentsCard } from '../../base/domain/transaction-kind.ts';
import { cardIntentOf } from './payment.ts';
import type { TransactionRecord } from './record.ts';

/** Whether the customer of this approval has to sign, on paper or on the screen: where the receipt has a line for it. */
export function mustSign({ intent, request }: TransactionRecord): boolean {
  const { type, originalId } = request;
  if (!presentsCard(type) || completesAuth(type, originalId)) return false;
  return cardIntentOf(intent)?.card.authenticationMethod.includes('SIGNATURE') === true;
}
