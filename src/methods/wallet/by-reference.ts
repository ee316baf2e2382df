import type { JournalledOutcome } from '../../payment/events/answer.ts';
import type { WalletIntent, WalletOperation } from './contract.ts';
import type { WalletOrder, WalletOutcome } from '../../payment/contracts/wallet-host.ts';
import { conclusionOf } from '../../payment/transaction/decide.ts';
import { failure } from '../../payment/events/conclusion.ts';
import type { Authorization } from '../../payment/transaction/machine.ts';
import { writeReferenceIntent } from '../../payment/method/write-intent.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import { commitConclusion, commitAnswer } from '../../payment/method/commit-answer.ts';
import { blockedBy } from '../../payment/method/what-waits.ts';
import type { Order } from '../../payment/method/order.ts';
import { enquireUntil } from './enquiries.ts';
import { guard } from './guarded.ts';
import { approvedOutcome, hostTimeAt, journalledWallet, originalOrder, tradeNo, walletOrder } from './order.ts';
import type { WalletParts } from './parts.ts';
import { takeBackRefund } from './refund-void.ts';

/**
 * Refund, void, and void of a refund: nothing is presented, the original's order is named. A void before settlement is
 * a full refund (the host's documents: a refund on the same day is treated as a void).
 */
export async function authorizeWalletReference(order: Order, parts: WalletParts): Promise<Authorization> {
  const { journal, forwarder, wallets, clock } = parts;
  const { id, amount, original } = order;
  const intent = original?.record.intent;
  const host = intent && wallets.get(intent.acquirerId);
  if (!original || !intent || !('wallet' in intent) || !host) {
    return commitConclusion(
      order,
      failure('ERROR', 'acquirerGone', 'the acquirer of the original is not configured any more'),
      journal,
    );
  }
  const turn = await writeReferenceIntent(order, original, host.id, parts);
  if (turn.kind === 'over') return turn.end;
  const { record } = turn.known;
  const named = walletOrder(record);
  const hostNumber = await hostNumberOf(record, guard(host, parts.onFailure));
  if (hostNumber === undefined) return commitConclusion(order, notShownAsPaid, journal);
  const at = clock.now();
  const draft = {
    operation: operationOf(order),
    isResolved: true,
    acquirerId: host.id,
    mid: host.mid,
    tid: host.tid,
    wallet: intent.wallet,
    sentAt: at.toISOString(),
    ...hostTimeAt(host),
    original: {
      tradeNo: named.tradeNo,
      hostNumber,
      sentAt: intent.sentAt,
      amountMinor: record.amount.minor.toString(),
    },
  } as const satisfies Omit<WalletIntent, 'kind' | 'trace'>;
  const trace = await journal.intend(id, draft).catch((error: unknown) => {
    // The commit may be on disk all the same, and a void that is on disk is carried out. So nobody is told that it is not.
    if (draft.operation !== 'voidRefund') throw error;
    return undefined;
  });
  if (trace === undefined) return { kind: 'unknown', conclusion: unknownYet };
  if (!(await forwarder.isStillClear(host.id))) {
    return commitAnswer(order, await blockedBy(host.id, journal), journal);
  }
  const asked = { tradeNo: tradeNo(id, { trace }), amount, at };
  return draft.operation === 'voidRefund'
    ? voidRefund({ ...draft, kind: 'intent', trace }, order, guard(host, parts.onFailure), parts)
    : refundWallet(asked, draft.original.hostNumber, order, guard(host, parts.onFailure), parts);
}

/**
 * The number of the original at its host. A payment that only the bank has confirmed has no number yet, so its host is
 * asked for it. Undefined if the host does not show the order as paid.
 */
async function hostNumberOf(record: TransactionRecord, host: ReturnType<typeof guard>): Promise<string | undefined> {
  const { hostOutcome } = record;
  if (hostOutcome && 'rrn' in hostOutcome) return hostOutcome.rrn;
  const { intent: _ours, ...order } = walletOrder(record);
  const finding = await host.enquire(order);
  return finding.kind === 'approved' ? finding.hostNumber : undefined;
}

const notShownAsPaid = failure(
  'ERROR',
  'originalNotApproved',
  'the wallet does not show the original as paid, so nothing was sent: ask the wallet’s operator',
);

function operationOf({ kind }: Order): WalletOperation {
  if (kind === 'REFUND') return 'refund';
  return kind === 'VOID_REFUND' ? 'voidRefund' : 'void';
}

async function refundWallet(
  asked: WalletOrder,
  originalNumber: string,
  order: Order,
  host: ReturnType<typeof guard>,
  { journal, clock, waits }: WalletParts,
): Promise<Authorization> {
  const outcome: WalletOutcome = await host.refund({ ...asked, originalNumber });
  if (outcome.kind !== 'unknown' && outcome.kind !== 'waiting') {
    return commitKnown(order, journalledWallet(outcome), journal);
  }
  const finding = await enquireUntil(asked, host, { clock, pollMs: waits.walletPollMs, mostMs: waits.walletResolveMs });
  switch (finding.kind) {
    case 'approved':
      return commitKnown(order, approvedOutcome(finding), journal);
    case 'declined':
      return commitKnown(order, { ...finding, rrn: '' }, journal);
    default: {
      const unknown = { ...codeOf(outcome), kind: 'unknown', reason: 'unknown-at-host' } as const;
      return commitAnswer(order, unknown, journal, refundUnknownYet, refundUnknownYet);
    }
  }
}

/** If the answer can't be written, the refund is unknown: it is enquired later, and never taken back. */
function commitKnown(order: Order, outcome: JournalledOutcome, journal: WalletParts['journal']) {
  return commitAnswer(order, outcome, journal, conclusionOf(outcome), refundUnknownYet);
}

/** What the host said first: its enquiries have not decided. */
function codeOf(outcome: WalletOutcome): { readonly responseCode?: string } {
  return 'responseCode' in outcome ? { responseCode: outcome.responseCode } : {};
}

/**
 * A void of a refund can't be undone, so an unknown one is resolved by enquiry. The POS is told UNKNOWN, and can
 * enquire later.
 */
async function voidRefund(
  intent: WalletIntent,
  order: Order,
  host: ReturnType<typeof guard>,
  { journal }: WalletParts,
): Promise<Authorization> {
  const refund = originalOrder(intent, order.amount);
  const outcome = refund && (await takeBackRefund(refund, host));
  if (outcome) return commitAnswer(order, outcome, journal, conclusionOf(outcome), unknownYet);
  return commitAnswer(order, { kind: 'unknown', reason: 'no-answer' }, journal, unknownYet, unknownYet);
}

const refundUnknownYet = failure(
  'UNKNOWN',
  'refundUnknown',
  'it is not known yet whether the money was given back: enquire before you give it back in another way',
);

const unknownYet = failure(
  'UNKNOWN',
  'refundVoidUnknown',
  'it is not known yet whether the refund was voided: enquire',
);
