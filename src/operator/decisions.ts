import { acquirerId, type TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { MenuAnswer } from '../payment/contracts/operator-menu.ts';
import { done, refuse } from './menu-answer.ts';
import { callOf } from './menu-call.ts';
import type { MenuParts } from './menu-parts.ts';
import type { MenuAsked } from './menu-request.ts';
import { settleWithCustomer } from './customer-matters.ts';
import { settleWithBank } from './discrepancies.ts';
import { giveBackInCash } from './extra-payments.ts';
import { openDrawer } from './machine.ts';
import { setAside } from './waiting.ts';
import { decideBatch } from './waiting-batch.ts';

/** Writes the bank's answer about a transaction. Rejects with JournalError. */
export async function writeSetAside(
  { transaction, outcome, amount }: MenuAsked<'setAside'>,
  parts: MenuParts,
): Promise<MenuAnswer> {
  // Settlements and refunds depend on the present state of transactions, so nothing may change it meanwhile.
  const one = await parts.undisturbed(() => setAside(transaction, outcome, parts, amount));
  if (!one) return refuse(409, 'busy');
  if ('refused' in one) return refuse(one.refused === 'badAmount' ? 422 : 409, one.refused);
  parts.onSetAside(one, outcome);
  // The cash back of a posted payment was not handed out: that is reported to the POS.
  if (outcome === 'POSTED') parts.onGivenBack?.(transaction as TerminalTransactionId);
  return done;
}

/** Writes that a payment was returned in cash, and opens the drawer. Rejects with JournalError. */
export async function writeCashReturn(
  { transaction, confirmation }: MenuAsked<'givenBackInCash'>,
  session: string,
  parts: MenuParts,
): Promise<MenuAnswer> {
  const one = await parts.undisturbed(() => giveBackInCash(transaction, session, parts));
  if (!one) return refuse(409, 'busy');
  if (one !== 'done') return refuse(409, one.refused);
  parts.onGivenBack?.(transaction as TerminalTransactionId);
  // The return is already written: it counts even if there is no drawer, or the drawer does not open.
  await openDrawer(callOf({ confirmation }), parts.machine).catch(parts.onFailure);
  return done;
}

/** Writes that something is settled with the customer. Rejects with JournalError. */
export async function writeCustomerSettlement(
  { transaction, matter }: MenuAsked<'settledWithCustomer'>,
  session: string,
  parts: MenuParts,
): Promise<MenuAnswer> {
  const one = await parts.undisturbed(() => settleWithCustomer(transaction, matter, session, parts));
  if (!one) return refuse(409, 'busy');
  if (one !== 'done') return refuse(409, one.refused);
  parts.onGivenBack?.(transaction as TerminalTransactionId);
  return done;
}

/** Writes that a difference from the bank's books is settled with the bank. Rejects with JournalError. */
export async function writeBankSettlement(
  { discrepancy }: MenuAsked<'settledWithBank'>,
  session: string,
  parts: MenuParts,
): Promise<MenuAnswer> {
  // The plan of a payment depends on it.
  const one = await parts.undisturbed(() => settleWithBank(discrepancy, session, parts));
  if (!one) return refuse(409, 'busy');
  return one === 'done' ? done : refuse(409, one.refused);
}

/**
 * Writes the bank's answer about a batch. `request`: of the report, if this was its last currency. Rejects with
 * JournalError.
 */
export async function writeBatchDecision(
  { outcome, ...asked }: MenuAsked<'decideBatch'>,
  request: { readonly posId: string; readonly messageId: string },
  parts: MenuParts,
): Promise<MenuAnswer> {
  // A settlement may be asking the host for this batch right now.
  const one = await parts.undisturbed(() => decideBatch(asked, outcome, parts));
  if (!one) return refuse(409, 'busy');
  if ('refused' in one) return refuse(409, one.refused);
  parts.onBatchDecided(one, outcome);
  // The decision is journalled. If a payment comes first or the journal fails, the terminal repeats this by itself.
  if (one.complete)
    await parts.settleWaiting({ ...request, acquirerId: acquirerId(one.acquirer) }).catch(parts.onFailure);
  return done;
}
