import { type Amount, majorText } from '../../base/domain/amount.ts';
import type { CustomerMatter, MatterKind } from '../events/customer-matter.ts';
import { sumCashReturns } from './cash-returns.ts';
import { cardIntentOf, paymentSchemeOf } from './payment.ts';
import type { TransactionRecord } from './record.ts';
import { hasSucceeded, type RecordTree, stands, transactionStatus } from './transaction-status.ts';

/**
 * The matters of a transaction and of its refunds. `original`: what a void or refund refers to. A void, a refund or
 * another void that balances it ends a matter: then it is not listed any more.
 */
export function customerMatters(tree: RecordTree, original?: RecordTree): readonly CustomerMatter[] {
  const refunds = tree.record.request.isStray
    ? []
    : tree.later.flatMap((each) => refundMatter(each, tree.record) ?? []);
  const own = ownMatter(tree, original);
  return [...(own ? [own] : []), ...refunds];
}

/**
 * For the POS: "reversed by the host after the bank had confirmed it: HKD 30.00 is to be settled with the customer".
 */
export function mattersText(matters: readonly CustomerMatter[] = []): string {
  return matters
    .map(({ kind, amount, state }) => {
      const sum = `${amount.currency} ${majorText(amount)}`;
      return `${words[kind]}: ${sum} ${state === 'open' ? 'is to be' : 'was'} settled with the customer`;
    })
    .join('; ');
}

const words: Readonly<Record<MatterKind, string>> = {
  refundOfReversed: 'the payment was refunded, and its host has reversed it as well',
  countedLate: 'it counts, after it had ended without success',
  reversedLate: 'reversed by the host after the bank had confirmed it',
  reversedAfterSettlement: 'reversed by the host after a settled batch had counted it',
  cashNotGiven: 'its cash back was not given to the customer',
};

/** Whether late evidence has contradicted what was reported of it, or its cash back was not given. */
export function isContradicted(record: TransactionRecord): boolean {
  return isCountedLate(record) || isReversedLate(record) || isCashOwed(record);
}

function ownMatter(tree: RecordTree, original: RecordTree | undefined): CustomerMatter | undefined {
  const { record } = tree;
  if (isCountedLate(record)) return lateMatter(tree);
  if (isCashOwed(record)) return matter(record, 'cashNotGiven', cashbackOf(record));
  const refunded = original && refundMatter(tree, original.record);
  if (refunded) return refunded;
  if (!isReversedLate(record) || isBalanced(tree, original)) return undefined;
  const amount = restOfReversal(tree, original);
  if (amount.minor <= 0n) return undefined;
  return matter(record, record.afterSettlement ? 'reversedAfterSettlement' : 'reversedLate', amount);
}

/**
 * Of a payment: what the customer has received and not paid. What was refunded of it is a matter of each refund. Of a
 * void or a refund: at most what is left of its original, because the customer may have received the rest otherwise.
 */
function restOfReversal(tree: RecordTree, original: RecordTree | undefined): Amount {
  const { amount } = tree.record;
  if (!original) return { ...amount, minor: receivedMinor(tree) - transactionStatus(tree).refundedMinor };
  const { total, refundedMinor } = transactionStatus(original);
  const leftMinor = total.minor - refundedMinor;
  return { ...amount, minor: leftMinor < amount.minor ? leftMinor : amount.minor };
}

/** A payment by a code that was shown before is an extra payment instead. */
function isCountedLate(record: TransactionRecord): boolean {
  const { request, intent, decided, succeededLate } = record;
  if (request.isStray && intent && 'wallet' in intent) return false;
  return stands(record) && (succeededLate === true || decided === 'NOT_POSTED');
}

/** While its reversal is queued again, the outcome is open. */
function isReversedLate(record: TransactionRecord): boolean {
  const { request, decided, position, afterSettlement } = record;
  if (request.isStray || stands(record)) return false;
  if (afterSettlement && position === 'notPosted') return true;
  return decided === 'POSTED' && (position === 'reversed' || position === 'resolved');
}

/**
 * Cash is handed out when the host approves. Only the bank has confirmed this payment, so nobody has. What has become a
 * success late is countedLate with its whole amount.
 */
function isCashOwed(record: TransactionRecord): boolean {
  if (record.request.isStray || hasSucceeded(record) || !stands(record)) return false;
  return cashbackOf(record).minor > 0n;
}

function cashbackOf({ amount, intent }: TransactionRecord): Amount {
  return { ...amount, minor: BigInt(cardIntentOf(intent)?.cashbackMinor ?? '0') };
}

/**
 * What the customer may have received for a payment that the bank had confirmed, with an adjusted tip, and without cash
 * that was not given.
 */
function receivedMinor(tree: RecordTree): bigint {
  const { cashReturns, settledWithCustomer = [] } = tree.record;
  const { total } = transactionStatus(tree);
  if (cashReturns || settledWithCustomer.includes('cashNotGiven')) return total.minor;
  return total.minor - cashbackOf(tree.record).minor;
}

/**
 * What is left of it after its refunds; undefined if nothing is left. If a refund was voided after the rest was given
 * back in cash, a part of it is open again.
 */
function lateMatter(tree: RecordTree): CustomerMatter | undefined {
  const { voided, total, refundedMinor } = transactionStatus(tree);
  const minor = total.minor - refundedMinor;
  if (voided || minor <= 0n) return undefined;
  const openMinor = minor - sumCashReturns(tree.record);
  const isOpenAgain = tree.record.cashReturns !== undefined && openMinor > 0n;
  const found = matter(tree.record, 'countedLate', { ...total, minor: isOpenAgain ? openMinor : minor });
  return isOpenAgain ? { ...found, state: 'open' } : found;
}

/**
 * A refund that stands although its payment does not. As long as a message about the payment is queued, this is not
 * known.
 */
function refundMatter(tree: RecordTree, original: TransactionRecord): CustomerMatter | undefined {
  const { record } = tree;
  if (record.request.type !== 'REFUND' || !stands(record) || transactionStatus(tree).voided) return undefined;
  if (stands(original) || original.reversal === 'queued' || original.advice === 'queued') return undefined;
  return matter(record, 'refundOfReversed', record.amount);
}

/** Whether other transactions have brought about what its reversal undid. */
function isBalanced(tree: RecordTree, original: RecordTree | undefined): boolean {
  const isReturned = ({ voided, refundedMinor, total }: ReturnType<typeof transactionStatus>) =>
    voided || refundedMinor >= total.minor;
  if (!original) return isReturned(transactionStatus(tree));
  return !stands(original.record) || isReturned(transactionStatus(original));
}

/** The customer can be given the amount in cash. */
export function isSettledInCash(kind: MatterKind): boolean {
  return kind === 'countedLate' || kind === 'cashNotGiven';
}

function matter(record: TransactionRecord, kind: MatterKind, amount: Amount): CustomerMatter {
  const { id, request, intent, cashReturns, settledWithCustomer = [] } = record;
  const isSettled = settledWithCustomer.includes(kind) || (cashReturns !== undefined && isSettledInCash(kind));
  return {
    id,
    kind,
    type: request.type,
    scheme: intent ? paymentSchemeOf(intent) : '',
    amount,
    state: isSettled ? 'settled' : 'open',
  };
}
