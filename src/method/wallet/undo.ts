import type { JournalEvent } from '../../events/event.ts';
import type { WalletIntent } from '../../events/intent.ts';
import type { WalletClosing, WalletFinding, WalletHost, WalletOrder } from '../../ports/wallet-host.ts';
import type { Clock } from '../../ports/clock.ts';
import { conclusionOf } from '../../transaction/decide.ts';
import { failure } from '../../events/conclusion.ts';
import type { TransactionRecord } from '../../records/record.ts';
import { receipt } from '../commit-answer.ts';
import { isOver, isUnshown } from './enquiries.ts';
import { approvedOutcome, closedEvent, originalOrder, walletOrder } from './order.ts';
import { takeBackRefund } from './refund-void.ts';

const through: readonly JournalEvent[] = [{ kind: 'reversalAcknowledged', responseCode: '00' }];

/**
 * One try to undo what is unknown at a wallet's host: enquired first, closed where it waits, given back where it was paid. The
 * events that conclude it, or nothing when it is to be tried again.
 */
export async function undoWallet(
  record: TransactionRecord,
  host: WalletHost,
  clock: Clock,
  printsReceipt: boolean,
): Promise<readonly JournalEvent[] | undefined> {
  const { intent, ...order } = walletOrder(record);
  switch (intent.operation) {
    case 'sale':
      if (intent.isFinal) return resolveFinalSale(order, intent, host, printsReceipt);
      return undoSale(order, intent, host, clock);
    case 'refund':
    case 'void':
      return (await undoRefund(order, host)) ? through : undefined;
    case 'voidRefund':
      return resolveRefundVoid(record, host, printsReceipt);
    default:
      return intent.operation satisfies never;
  }
}

async function undoSale(
  order: WalletOrder,
  intent: WalletIntent,
  host: WalletHost,
  clock: Clock,
): Promise<readonly JournalEvent[] | undefined> {
  const { scheme } = intent.wallet;
  const over = (isOver: boolean) => (isOver ? [...through, closedEvent(intent)] : undefined);
  const finding = await host.enquire(order);
  switch (finding.kind) {
    case 'closed':
      return over(true);
    case 'declined':
    case 'refunded':
      return through;
    case 'waiting':
      await host.close({ ...order, scheme });
      return over(isOver((await host.enquire(order)).kind));
    case 'noSuchOrder':
    case 'notFound':
      return over(neverCame(await host.close({ ...order, scheme }), await host.enquire(order)));
    case 'approved':
      return (await giveBack(order, finding.hostNumber, host, clock)) ? through : undefined;
    case 'unknown':
      return undefined;
    default:
      return finding satisfies never;
  }
}

/**
 * The host did not show the order, and was asked to end it. That it shows none still is a proof only where the host also says that it
 * has none, or none any more; and one that is asked to end what it never had says so by a code of its own. Any other word, "paid
 * already" above all, says that there may be one: it is looked for again.
 */
function neverCame(closing: WalletClosing, { kind }: WalletFinding): boolean {
  if (kind === 'notFound') return closing.kind === 'noSuchOrder';
  if (kind === 'noSuchOrder') return ['closed', 'noSuchOrder', 'notOperational'].includes(closing.kind);
  return isOver(kind);
}

/** A wallet that gives nothing back: closed where nobody has paid yet, and what was paid stands. */
async function resolveFinalSale(
  order: WalletOrder,
  intent: WalletIntent,
  host: WalletHost,
  printsReceipt: boolean,
): Promise<readonly JournalEvent[] | undefined> {
  const { scheme } = intent.wallet;
  const first = await host.enquire(order);
  let last = first;
  let ended = isOver(first.kind);
  if (first.kind === 'waiting' || isUnshown(first)) {
    const closing = await host.close({ ...order, scheme });
    last = await host.enquire(order);
    ended = isUnshown(first) ? neverCame(closing, last) : isOver(last.kind);
  }
  if (last.kind === 'approved') return withReceipt(resolvedEvents(approvedOutcome(last)), printsReceipt);
  return ended
    ? [...resolvedEvents({ kind: 'notSent', reason: 'closed' }, nobodyPaid), closedEvent(intent)]
    : undefined;
}

/**
 * Its own order number, the same at every try: it is given back once. What a repeat is answered proves nothing: there may be too little
 * left because the first was carried out.
 */
async function giveBack(order: WalletOrder, originalNumber: string, host: WalletHost, clock: Clock): Promise<boolean> {
  const { hostAt: _ofThePayment, ...same } = order;
  const refund = { ...same, tradeNo: `${order.tradeNo}-R` };
  const earlier = await host.enquire(refund);
  if (earlier.kind === 'approved') return true;
  if (!isUnshown(earlier) && earlier.kind !== 'declined') return false;
  const outcome = await host.refund({ ...refund, at: clock.now(), originalNumber });
  return outcome.kind === 'approved' || (await host.enquire(refund)).kind === 'approved';
}

async function undoRefund(order: WalletOrder, host: WalletHost): Promise<boolean> {
  const finding = await host.enquire(order);
  switch (finding.kind) {
    case 'closed':
    case 'declined':
    case 'refunded':
      return true;
    case 'noSuchOrder':
    case 'notFound':
      return neverCame(await host.reverseRefund(order), await host.enquire(order));
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
async function resolveRefundVoid(
  { intent, amount }: TransactionRecord,
  host: WalletHost,
  printsReceipt: boolean,
): Promise<readonly JournalEvent[] | undefined> {
  const refund = intent && 'wallet' in intent ? originalOrder(intent, amount) : undefined;
  const outcome = refund && (await takeBackRefund(refund, host));
  if (!outcome) return undefined;
  return outcome.kind === 'approved' ? withReceipt(resolvedEvents(outcome), printsReceipt) : resolvedEvents(outcome);
}

const nobodyPaid = failure('ERROR', 'nobody has paid the code, and nobody can any more');

function resolvedEvents(
  outcome: Parameters<typeof conclusionOf>[0],
  conclusion = conclusionOf(outcome),
): readonly [answered: JournalEvent, ended: JournalEvent, known: JournalEvent] {
  return [{ kind: 'answered', outcome }, { kind: 'ended', ...conclusion }, { kind: 'resolved' }];
}

function withReceipt(
  [answered, ended, known]: ReturnType<typeof resolvedEvents>,
  printsReceipt: boolean,
): JournalEvent[] {
  return [answered, ended, ...receipt({ printsReceipt }), known];
}
