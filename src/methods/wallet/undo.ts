import type { JournalEvent } from '../../payment/events/event.ts';
import type { WalletIntent } from './contract.ts';
import type { WalletClosing, WalletHost, WalletOrder, WalletApproved } from '../../payment/contracts/wallet-host.ts';
import type { Clock } from '../../base/ports/clock.ts';
import { conclusionEvents, conclusionOf } from '../../payment/transaction/decide.ts';
import { failure } from '../../payment/events/conclusion.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import { isEnded, isOver, isPayable, isUnshown, staysOpen } from './enquiries.ts';
import { approvedOutcome, closedEvent, declinedEvent, originalOrder, walletOrder } from './order.ts';
import { neverCame } from './never-came.ts';
import type { UndoEnd } from '../../payment/method/undo-attempt.ts';
import type { RefundEndings } from './refund-endings.ts';
import { takeBackRefund } from './refund-void.ts';

interface Resolving {
  readonly host: WalletHost;
  readonly printsReceipt: boolean;
  readonly endings: RefundEndings;
}

const through: readonly JournalEvent[] = [{ kind: 'reversalAcknowledged', responseCode: '00' }];

/**
 * One attempt to undo an unknown order at a wallet's host: enquires first, closes it if it waits, refunds it if it was
 * paid.
 */
export async function undoWallet(
  record: TransactionRecord,
  host: WalletHost,
  clock: Clock,
  printsReceipt: boolean,
  endings: RefundEndings,
): Promise<UndoEnd> {
  const { intent, ...order } = walletOrder(record);
  switch (intent.operation) {
    case 'sale':
      if (intent.isFinal) return resolveFinalSale(order, intent, host, printsReceipt);
      return undoSale(order, intent, host, clock);
    case 'refund':
    case 'void':
      if (isRefundToResolve(record)) return resolveRefund(record, order, { host, printsReceipt, endings });
      return undoRefund(order, host);
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
  const over = (isOver: boolean, open?: true) =>
    isOver ? [...through, closedEvent(intent, undefined, open)] : undefined;
  const closeDeclined = async (closing: WalletClosing) => {
    const last = await host.enquire(order);
    return over(isEnded(closing, last, intent), staysOpen(closing, last, intent).isOpen);
  };
  const finding = await host.enquire(order);
  switch (finding.kind) {
    case 'closed':
      return over(true);
    case 'declined':
      if (!isPayable(finding, intent)) return [...through, declinedEvent(intent)];
      return closeDeclined(await host.close({ ...order, scheme }));
    case 'refunded': {
      const refund = await host.enquire(refundOf(order));
      return givenBackEvents(finding.hostNumber, refund.kind === 'approved' ? refund : undefined);
    }
    case 'waiting':
      return over(isEnded(await host.close({ ...order, scheme }), await host.enquire(order), intent));
    case 'noSuchOrder':
    case 'notFound':
      return over(neverCame(await host.close({ ...order, scheme }), await host.enquire(order)));
    case 'approved': {
      const refund = await giveBack(order, finding.hostNumber, host, clock);
      return refund && givenBackEvents(finding.hostNumber, refund);
    }
    case 'unknown':
      return undefined;
    default:
      return finding satisfies never;
  }
}

/** Resolves a payment of a wallet that can't refund: closes it if nobody has paid yet. A paid one stands. */
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
  let open: { readonly isOpen?: true } = {};
  if (first.kind === 'waiting' || isPayable(first, intent) || isUnshown(first)) {
    const closing = await host.close({ ...order, scheme });
    last = await host.enquire(order);
    ended = isUnshown(first) ? neverCame(closing, last) : isEnded(closing, last, intent);
    open = staysOpen(closing, last, intent);
  }
  if (last.kind === 'approved') return resolvedEvents(approvedOutcome(last), printsReceipt);
  return ended
    ? [
        ...resolvedEvents({ kind: 'notSent', reason: 'closed' }, printsReceipt, nobodyPaid),
        closedEvent(intent, undefined, open.isOpen),
      ]
    : undefined;
}

/** Whether it is a refund or void whose outcome is resolved by enquiry. */
export function isRefundToResolve({ intent }: TransactionRecord): boolean {
  if (!intent || !('wallet' in intent) || intent.isResolved !== true) return false;
  return intent.operation === 'refund' || intent.operation === 'void';
}

/**
 * Resolves a refund or void by enquiry. Where the host shows nothing of it, it is ended, so that it can't come any more.
 * A refund that the host shows was made, unless an attempt to end it may have ended it since: the enquiry lags, so such
 * an attempt must be older than the lag, and must have been answered. Where one may still be on its way, the refund is
 * ended, and only the answer to that counts. However often the host answers that it has no such order, the refund stays
 * open: its request may be held on the network, and be carried out when it arrives.
 */
async function resolveRefund(
  record: TransactionRecord,
  order: WalletOrder,
  { host, printsReceipt, endings }: Resolving,
): Promise<UndoEnd> {
  const seen = endings.begin(record);
  const first = await host.enquire(order);
  if (seen !== 'onItsWay' && !isUnshown(first)) {
    if (first.kind === 'approved') return seen === 'shown' ? refundMade(first, printsReceipt) : 'open';
    if (first.kind === 'declined') return resolvedEvents({ ...first, rrn: '' }, printsReceipt);
    return isOver(first.kind) ? refundNotMade(printsReceipt) : undefined;
  }
  const closing = await endings.end(record, () => host.reverseRefund(order));
  const isTakenBack = first.kind === 'approved';
  if (closing.kind === 'closed') return refundNotMade(printsReceipt, isTakenBack);
  const last = await host.enquire(order);
  // Refused, and shown: the host has carried it out, and takes nothing back.
  if (last.kind === 'approved' && closing.kind === 'refused') return refundMade(last, printsReceipt);
  if (isOver(last.kind)) return refundNotMade(printsReceipt, isTakenBack);
  return isUnshown(first) || isUnshown(last) ? 'open' : undefined;
}

function refundMade(approved: WalletApproved, printsReceipt: boolean): readonly JournalEvent[] {
  return resolvedEvents(approvedOutcome(approved), printsReceipt);
}

/** `isTakenBack`: its host had shown that it was made. */
function refundNotMade(printsReceipt: boolean, isTakenBack = false): readonly JournalEvent[] {
  const conclusion = isTakenBack ? takenBack : nothingGivenBack;
  return resolvedEvents({ kind: 'notSent', reason: 'closed' }, printsReceipt, conclusion);
}

/** A refund of a journal before 'isResolved', whose POS was told that it is taken back. */
async function undoRefund(order: WalletOrder, host: WalletHost): Promise<UndoEnd> {
  const finding = await host.enquire(order);
  switch (finding.kind) {
    case 'closed':
    case 'declined':
    case 'refunded':
      return through;
    case 'noSuchOrder':
    case 'notFound': {
      const closing = await host.reverseRefund(order);
      const last = await host.enquire(order);
      return closing.kind === 'closed' || isOver(last.kind) ? through : 'open';
    }
    case 'approved':
      return (await host.reverseRefund(order)).kind === 'closed' ? through : undefined;
    case 'waiting':
    case 'unknown':
      return undefined;
    default:
      return finding satisfies never;
  }
}

/**
 * Repeats the void of a refund until the host tells the outcome. The host carries it out once, however often it is
 * asked.
 */
async function resolveRefundVoid(
  { intent, amount }: TransactionRecord,
  host: WalletHost,
  printsReceipt: boolean,
): Promise<readonly JournalEvent[] | undefined> {
  const refund = intent && 'wallet' in intent ? originalOrder(intent, amount) : undefined;
  const outcome = refund && (await takeBackRefund(refund, host));
  return outcome && resolvedEvents(outcome, printsReceipt);
}

const nobodyPaid = failure('ERROR', 'codeNotPaid', 'the code was not paid, and can’t be paid any more');

// The host may have carried it out before, and not have shown it.
const nothingGivenBack = failure('ERROR', 'refundNotMade', 'the refund does not stand: its host has ended it');

const takenBack = failure('ERROR', 'refundNotMade', 'the refund was made, and its host has taken it back since');

function resolvedEvents(
  outcome: Parameters<typeof conclusionOf>[0],
  printsReceipt: boolean,
  conclusion = conclusionOf(outcome),
): JournalEvent[] {
  return [...conclusionEvents(outcome, { printsReceipt, conclusion }), { kind: 'resolved' }];
}

/**
 * Refunds an order. The refund's own order number is the same at every attempt, so it is refunded once. The answer to a
 * repeat proves nothing: it may say that too little is left because the first one was carried out. Undefined: not yet.
 */
async function giveBack(
  order: WalletOrder,
  originalNumber: string,
  host: WalletHost,
  clock: Clock,
): Promise<WalletApproved | undefined> {
  const refund = refundOf(order);
  const earlier = await host.enquire(refund);
  if (earlier.kind === 'approved') return earlier;
  if (!isUnshown(earlier) && earlier.kind !== 'declined') return undefined;
  const outcome = await host.refund({ ...refund, at: clock.now(), originalNumber });
  if (outcome.kind === 'approved') return outcome;
  const last = await host.enquire(refund);
  return last.kind === 'approved' ? last : undefined;
}

/** The order of the refund that gives this one back. */
function refundOf({ hostAt: _ofThePayment, ...order }: WalletOrder): WalletOrder {
  return { ...order, tradeNo: `${order.tradeNo}-R` };
}

/** It is given back: with the numbers by which the host's statement has both. */
function givenBackEvents(rrn = '', refund: WalletApproved | undefined): readonly JournalEvent[] {
  const givenBack = { rrn, refundRrn: refund?.hostNumber ?? '' };
  return [{ kind: 'reversalAcknowledged', responseCode: '00', givenBack }];
}
