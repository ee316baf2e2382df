import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { Accepted } from '../payment/events/accepted.ts';
import type { JournalledTransaction } from '../payment/events/event.ts';
import { customerMatters } from '../payment/records/customer-matters.ts';
import { extraPaymentOf } from '../payment/records/extra-payments.ts';
import { readableRecord } from '../payment/records/record.ts';
import { isHeldAuth } from '../payment/records/settled-auths.ts';
import type { RecordTree } from '../payment/records/transaction-status.ts';
import type { Statements } from './statements.ts';
import type { Transactions } from './transactions.ts';

/** Nothing of the transaction waits for a host or the operator, and its batch is settled. */
const isSettledSql = `ended = 1 AND reversal IS NOT 'queued' AND advice IS NOT 'queued'
  AND (advice IS NOT 'rejected' OR set_aside IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM trace WHERE trace.acquirer_id = txn.acquirer_id AND trace.batch = txn.batch)
  AND NOT EXISTS (SELECT 1 FROM settling WHERE settling.acquirer_id = txn.acquirer_id AND settling.batch = txn.batch)
  AND NOT EXISTS (SELECT 1 FROM closed_order WHERE closed_order.txn_id = txn.id)`;

/** Transactions with those that they refer to, and what may still happen to them. */
export class Families {
  readonly #statements: Statements;
  readonly #transactions: Transactions;

  constructor(statements: Statements, transactions: Transactions) {
    this.#statements = statements;
    this.#transactions = transactions;
  }

  /**
   * A transaction with all that it refers to and all that refer to it, in any number of steps; without archived ones.
   */
  of(id: TerminalTransactionId): JournalledTransaction[] {
    const sql = `WITH RECURSIVE family (id) AS (
                   SELECT ? UNION
                   SELECT CASE WHEN txn.id = family.id THEN txn.original_id ELSE txn.id END FROM family
                   JOIN txn ON txn.original_id = family.id OR (txn.id = family.id AND txn.original_id IS NOT NULL))
                 SELECT txn.id FROM family JOIN txn ON txn.id = family.id WHERE archive IS NULL`;
    return this.#transactions.readAll(this.#statements.ids(sql, id));
  }

  /** Finished in every respect since before `before`: also its receipt is printed. */
  isOver(transaction: JournalledTransaction, before: Date): boolean {
    if (isToBeReturned(transaction)) return false;
    return isOlder(transaction, before) && this.#has(transaction.id, `receipt IS NOT 'queued' AND ${isSettledSql}`);
  }

  /** Whether something of them is still to be settled with the customer: the operator's list needs them. */
  hasOpenMatter(family: readonly JournalledTransaction[]): boolean {
    const trees = new FamilyTrees(family);
    return family.some(({ id }) => {
      const tree = trees.of(id);
      const originalId = tree?.record.request.originalId;
      const matters = tree ? customerMatters(tree, originalId === undefined ? undefined : trees.of(originalId)) : [];
      return matters.some(({ state }) => state === 'open');
    });
  }

  /**
   * Whether no message about any of them needs the card since before `before`: all are settled, and no authorization
   * still holds money, which could be completed or released.
   */
  needsNoCard(family: readonly JournalledTransaction[], before: Date): boolean {
    if (!family.every((each) => isOlder(each, before) && this.#has(each.id, isSettledSql))) return false;
    const trees = new FamilyTrees(family);
    // If its request can't be read, it may hold money.
    return family.every(({ id }) => !mayHoldMoney(trees.of(id)));
  }

  #has(id: TerminalTransactionId, condition: string): boolean {
    return this.#statements.ids(`SELECT id FROM txn WHERE id = ? AND ${condition}`, id).length === 1;
  }
}

function isOlder({ events }: JournalledTransaction, before: Date): boolean {
  const last = events.at(-1);
  return last !== undefined && new Date(last.at) < before;
}

/** An extra payment that has not been returned to the customer: the operator's list still needs it. */
function isToBeReturned({ id, events }: JournalledTransaction): boolean {
  const record = readableRecord(id, events);
  return record !== undefined && extraPaymentOf(record)?.state === 'toBeReturned';
}

/** Whether it is an authorization that still holds money. */
function mayHoldMoney(tree: RecordTree | undefined): boolean {
  return tree === undefined || (tree.record.request.type === 'AUTH' && isHeldAuth(tree));
}

/** The trees of a family. Each record is folded, and each tree made, once: there may be thousands. */
class FamilyTrees {
  readonly #family: ReadonlyMap<TerminalTransactionId, JournalledTransaction>;
  readonly #referring: Map<TerminalTransactionId | undefined, readonly JournalledTransaction[]>;
  readonly #trees = new Map<TerminalTransactionId, RecordTree | undefined>();

  constructor(family: readonly JournalledTransaction[]) {
    this.#family = new Map(family.map((each) => [each.id, each]));
    this.#referring = Map.groupBy(family, (each) => {
      const request = requestOf(each);
      return request?.isStray ? undefined : request?.originalId;
    });
  }

  /** Undefined if it is not of this family, or if the record of this transaction or of a later one can't be read. */
  of(id: TerminalTransactionId): RecordTree | undefined {
    if (this.#trees.has(id)) return this.#trees.get(id);
    // A reference of a damaged journal to itself ends here.
    this.#trees.set(id, undefined);
    const tree = this.#make(id);
    this.#trees.set(id, tree);
    return tree;
  }

  #make(id: TerminalTransactionId): RecordTree | undefined {
    const record = readableRecord(id, this.#family.get(id)?.events ?? []);
    const later = (this.#referring.get(id) ?? []).map((each) => this.of(each.id));
    if (!record || !later.every((each) => each !== undefined)) return undefined;
    return { record, later };
  }
}

function requestOf({ events }: JournalledTransaction): Accepted | undefined {
  const event = events[0]?.event;
  return event?.kind === 'accepted' ? event : undefined;
}
