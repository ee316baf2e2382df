import type { JournalEvent } from '../../ports/journal.ts';
import type { WalletClosing, WalletHost, WalletOrder } from '../../ports/wallet-host.ts';
import type { Clock } from '../../ports/clock.ts';
import { concluded, failure } from '../../transaction/decide.ts';
import type { TransactionRecord } from '../../transaction/record.ts';
import { takenBack } from './by-reference.ts';
import { receipt } from '../authorization/written.ts';
import { approvedOutcome, originalOrder, walletOrder } from './order.ts';

const through: readonly JournalEvent[] = [{ kind: 'reversalAcknowledged', responseCode: '00' }];

/**
 * One try to undo what is unknown at a wallet's host: enquired first, closed where it waits, given back where it was paid. The
 * events that conclude it, or nothing when it is to be tried again.
 */
export async function walletUndone(
  record: TransactionRecord,
  host: WalletHost,
  clock: Clock,
  printsReceipt: boolean,
): Promise<readonly JournalEvent[] | undefined> {
  const { intent, ...order } = walletOrder(record);
  switch (intent.operation) {
    case 'sale':
      if (intent.isFinal) return saleFound(order, intent.wallet.scheme, host, printsReceipt);
      return (await saleUndone(order, intent.wallet.scheme, host, clock)) ? through : undefined;
    case 'refund':
    case 'void':
      return (await refundUndone(order, host)) ? through : undefined;
    case 'voidRefund':
      return refundVoidFound(record, host, printsReceipt);
    default:
      return intent.operation satisfies never;
  }
}

async function saleUndone(
  order: WalletOrder,
  scheme: Parameters<WalletHost['close']>[0]['scheme'],
  host: WalletHost,
  clock: Clock,
): Promise<boolean> {
  const finding = await host.enquire(order);
  switch (finding.kind) {
    case 'closed':
    case 'declined':
    case 'refunded':
      return true;
    case 'waiting':
      await host.close({ ...order, scheme });
      return isOver((await host.enquire(order)).kind);
    case 'notFound':
      return neverCame(await host.close({ ...order, scheme }), order, host);
    case 'approved':
      return givenBack(order, finding.hostNumber, host, clock);
    case 'unknown':
      return false;
    default:
      return finding satisfies never;
  }
}

/**
 * The host does not know the order, and was asked to end it: what is on its way still would come to an order that is ended
 * already. Where that was not answered, it is no proof that the host does not know the order yet.
 */
async function neverCame(closing: WalletClosing, order: WalletOrder, host: WalletHost): Promise<boolean> {
  if (closing.kind === 'unanswered') return false;
  const { kind } = await host.enquire(order);
  return isOver(kind) || kind === 'notFound';
}

/** A wallet that gives nothing back: closed where nobody has paid yet, and what was paid stands. */
async function saleFound(
  order: WalletOrder,
  scheme: Parameters<WalletHost['close']>[0]['scheme'],
  host: WalletHost,
  printsReceipt: boolean,
): Promise<readonly JournalEvent[] | undefined> {
  let finding = await host.enquire(order);
  if (finding.kind === 'waiting' || finding.kind === 'notFound') {
    const closing = await host.close({ ...order, scheme });
    finding = await host.enquire(order);
    if (finding.kind === 'notFound' && closing.kind === 'unanswered') return undefined;
  }
  if (finding.kind === 'approved') {
    return withReceipt(resolved(approvedOutcome(finding)), printsReceipt);
  }
  return isOver(finding.kind) || finding.kind === 'notFound'
    ? resolved({ kind: 'notSent', reason: 'closed' }, nobodyPaid)
    : undefined;
}

/** Its own order number, the same at every try: it is given back once. */
async function givenBack(order: WalletOrder, originalNumber: string, host: WalletHost, clock: Clock): Promise<boolean> {
  const refund = { tradeNo: `${order.tradeNo}-R`, amount: order.amount, at: clock.now() };
  const earlier = await host.enquire(refund);
  if (earlier.kind === 'approved') return true;
  if (earlier.kind !== 'notFound' && earlier.kind !== 'declined') return false;
  const outcome = await host.refund({ ...refund, originalNumber });
  return outcome.kind === 'approved' || (await host.enquire(refund)).kind === 'approved';
}

async function refundUndone(order: WalletOrder, host: WalletHost): Promise<boolean> {
  const finding = await host.enquire(order);
  switch (finding.kind) {
    case 'closed':
    case 'declined':
    case 'refunded':
      return true;
    case 'notFound':
      return neverCame(await host.reverseRefund(order), order, host);
    case 'approved':
      return (await host.reverseRefund(order)).kind === 'closed';
    case 'waiting':
    case 'unknown':
      return false;
    default:
      return finding satisfies never;
  }
}

/** Asked for again until the host says what became of it: it may be asked for twice, and is done once. */
async function refundVoidFound(
  { intent, amount }: TransactionRecord,
  host: WalletHost,
  printsReceipt: boolean,
): Promise<readonly JournalEvent[] | undefined> {
  const refund = intent && 'wallet' in intent ? originalOrder(intent, amount) : undefined;
  if (!refund) return undefined;
  const closing = await host.reverseRefund(refund);
  const finding = closing.kind === 'closed' ? closing : await host.enquire(refund);
  if (isOver(finding.kind)) return withReceipt(resolved(takenBack), printsReceipt);
  if (closing.kind !== 'refused' || finding.kind !== 'approved') return undefined;
  return resolved({ kind: 'declined', responseCode: closing.responseCode, rrn: '' });
}

const nobodyPaid = failure('ERROR', 'nobody has paid the code, and nobody can any more');

function resolved(
  outcome: Parameters<typeof concluded>[0],
  conclusion = concluded(outcome),
): readonly [answered: JournalEvent, ended: JournalEvent, known: JournalEvent] {
  return [{ kind: 'answered', outcome }, { kind: 'ended', ...conclusion }, { kind: 'resolved' }];
}

function withReceipt([answered, ended, known]: ReturnType<typeof resolved>, printsReceipt: boolean): JournalEvent[] {
  return [answered, ended, ...receipt({ printsReceipt }), known];
}

function isOver(kind: string): boolean {
  return kind === 'closed' || kind === 'declined' || kind === 'refunded';
}
