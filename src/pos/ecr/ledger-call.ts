import { type PaymentFields, JsonNumber } from '../contracts/pos-calls.ts';
import type { OpenCall } from './ledger.ts';

/** Fields that the API takes as numbers. */
const numbers: readonly string[] = ['requestAmount', 'collectTimeoutSeconds'];

/** The request of a call, as the API takes it. The same call always has the same. */
export function paymentFields({ posId, messageId, fields }: OpenCall): PaymentFields {
  const typed = Object.entries(fields).map(([name, text]) => [
    name,
    numbers.includes(name) ? new JsonNumber(text) : text,
  ]);
  return { ...Object.fromEntries(typed), posId, messageId } as PaymentFields;
}
