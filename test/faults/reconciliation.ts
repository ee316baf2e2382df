import type { TerminalTransactionId } from '../../src/domain/identifiers.ts';
import { financialImpact, type TransactionRecord } from '../../src/transaction/record.ts';
import { standing, succeeded, type RecordTree } from '../../src/transaction/standing.ts';
import { short } from './disk.ts';
import type { World } from './world.ts';

/** The three books after everything is over: what the POS was told, the journal, and who has the money. */
export function reconciled(world: World): string[] {
  const { disk } = world;
  return disk.transactions.flatMap((id) => {
    const tree = treeOf(id, world);
    return [...transactionFaults(tree, world), ...referenceFaults(tree)].map(
      (fault) => `${fault} (${tree.record.request.messageId} ${tree.record.request.type} ${short(id)})`,
    );
  });
}

function treeOf(id: TerminalTransactionId, world: World): RecordTree {
  const { store } = world.disk;
  return { record: world.disk.record(id), later: store.later(id).map((each) => treeOf(each.id, world)) };
}

function transactionFaults(tree: RecordTree, world: World): string[] {
  const { record } = tree;
  const faults: string[] = [];
  const { conclusion, intent, id } = record;
  if (!conclusion) return ['I3: it never ended'];
  const told = world.rules.lastTold(id);
  const result = conclusion.result;
  if (told === 'SUCCESS' && result !== 'SUCCESS') faults.push(`I5: told SUCCESS, and the journal has ${result}`);
  const impact = financialImpact(record);
  if (result !== 'SUCCESS' && impact !== 'NONE' && impact !== 'REVERSED') faults.push(`I5: it is ${impact} for ever`);
  if (result === 'SUCCESS' && !world.paper.printed.has(id)) faults.push('a receipt was never printed');
  const outcome = record.hostOutcome;
  const names = outcome?.kind === 'approved' ? world.ledger.postings(id).map(({ rrn }) => rrn) : [];
  if (outcome?.kind === 'approved' && names.length > 0 && !names.includes(outcome.rrn)) {
    faults.push(`I5: its approval is that of ${outcome.rrn}, the books have it as ${names.join()}`);
  }
  if (intent && 'cash' in intent) return faults;
  const expected = expectation(tree);
  const stands = whatStands(record, world);
  if (stands !== expected) faults.push(`I5: ${result} ${impact}: expected ${expected}, the books have ${stands}`);
  return faults;
}

/** What the journal says that the books of the money must say. */
function expectation(tree: RecordTree): string {
  const { record, later } = tree;
  if (!succeeded(record)) return 'nothing';
  const { intent, request } = record;
  const now = standing(tree);
  if (request.type.startsWith('VOID_') || request.type === 'TIP_ADJUST') return 'nothing';
  if (intent && 'octopus' in intent) return `deducted ${record.amount.minor}`;
  if (intent && 'wallet' in intent) {
    if (request.type === 'REFUND') return now.voided ? 'nothing' : `refunded ${record.amount.minor}`;
    const given = later
      .filter((each) => succeeded(each.record) && (each.record.request.type !== 'REFUND' || !standing(each).voided))
      .reduce((sum, each) => sum + each.record.amount.minor, 0n);
    const net = record.amount.minor - given;
    return net === 0n ? 'nothing' : `paid ${net}`;
  }
  const status = now.voided ? 'VOIDED' : now.completed ? 'COMPLETED' : 'POSTED';
  return `${status} ${now.total.minor}`;
}

function whatStands(record: TransactionRecord, { ledger }: World): string {
  const { id } = record;
  // A void of a payment is a refund at the wallet's service: there it counts with what it takes back.
  const isWalletVoid = record.request.type === 'VOID_SALE' && succeeded(record);
  const refunds = isWalletVoid ? [] : ledger.refunds(id).filter(({ state }) => state === 'paid');
  const postings = ledger.postings(id).filter(({ status }) => status !== 'REVERSED');
  const orders = ledger.orders(id).filter((entry) => ledger.netMinor(entry) > 0n);
  const parts = [
    ...postings.map(({ status, amountMinor }) => `${status} ${amountMinor}`),
    ...orders.map((entry) => `paid ${ledger.netMinor(entry)}`),
    ...refunds.map(({ amountMinor }) => `refunded ${amountMinor}`),
    ...ledger.deductions(id).map((minor) => `deducted ${minor}`),
  ];
  return parts.length === 0 ? 'nothing' : parts.join(' and ');
}

/** I6, from what stands: nothing is given back, tipped or completed twice or above what it was. */
function referenceFaults(tree: RecordTree): string[] {
  const { record } = tree;
  const effective = tree.later.filter((each) => succeeded(each.record));
  const count = (is: (record: TransactionRecord) => boolean) => effective.filter((each) => is(each.record)).length;
  const now = standing(tree);
  const faults: string[] = [];
  if (now.refundedMinor > now.total.minor) faults.push('I6: more is refunded than it was');
  if (count(({ request }) => request.type.startsWith('VOID_')) > 1) faults.push('I6: it is voided twice');
  if (count(({ request }) => request.type === 'TIP_ADJUST') > 1) faults.push('I6: its tip is adjusted twice');
  if (now.voided && now.refundedMinor > 0n) faults.push('I6: it is voided and refunded');
  const completions = effective.filter((each) => each.record.request.type === 'AUTH_COMP' && !standing(each).voided);
  if (completions.length > 1) faults.push('I6: it is completed twice');
  if (effective.length > 0 && !succeeded(record)) faults.push('I6: something refers to what was not approved');
  return faults;
}
