import type { WalletEntryMode, PaymentScheme, WalletScheme } from '../../base/domain/payment-scheme.ts';
import { commissioningReasons } from '../../base/domain/decline-reason.ts';
import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { JournalEvent } from '../../payment/events/event.ts';
import type { JournalledOutcome } from '../../payment/events/answer.ts';
import type { WalletIntent } from './contract.ts';
import type { WalletApproved, WalletFinding } from '../../payment/contracts/wallet-host.ts';
import { conclusionOf, localDecline } from '../../payment/transaction/decide.ts';
import { failure } from '../../payment/events/conclusion.ts';
import type { Authorization, Presentation, Withdrawal } from '../../payment/transaction/machine.ts';
import { type TransactionRecord, transactionRecord } from '../../payment/records/record.ts';
import { commitConclusion, unwrittenAnswer, type Written, commitAnswer } from '../../payment/method/commit-answer.ts';
import { blockedBy } from '../../payment/method/what-waits.ts';
import { selectAcquirer } from '../../payment/method/methods.ts';
import type { Order, SessionParts } from '../../payment/method/order.ts';
import type { CodeSession } from '../../payment/method/payment-method.ts';
import { withinMs } from '../../base/ports/pause.ts';
import { closeOrder, type ClosingEnd } from './closing.ts';
import { enquireUntil, isOver, isPayable } from './enquiries.ts';
import { guard } from './guarded.ts';
import type { WalletParts } from './parts.ts';
import {
  approvedOutcome,
  hostTimeAt,
  journalledWallet,
  closedEvent,
  declinedEvent,
  orderOf,
  tradeNo,
  walletOrder,
} from './order.ts';

/** One payment by QR wallet, from its code to its record in the host's books. */
export class WalletPayment implements CodeSession {
  readonly #order: Order;
  readonly #parts: WalletParts;
  /** The request in flight. The order gets no other request before it is answered. */
  #asking: Promise<unknown> = Promise.resolve();
  /** The wallet can't refund. */
  #isFinal = false;
  /** Orders that nobody can pay any more, according to their host. */
  readonly #closed: WalletIntent[] = [];

  constructor(order: Order, parts: WalletParts) {
    this.#order = order;
    this.#parts = parts;
  }

  /** Pays with a code scanned from the customer's phone. Rejects only if the intent could not be written. */
  async payScanned(scheme: WalletScheme, authCode: string): Promise<Authorization> {
    const { waits, clock } = this.#parts;
    const begun = await this.#begin(scheme, 'QR_SCAN');
    if ('kind' in begun) return begun;
    const { host, order } = begun;
    const outcome = await host.pay({ ...order, scheme, authCode });
    if (outcome.kind === 'waiting') return outcome;
    if (outcome.kind === 'declined') return this.#commitDeclined(outcome, begun.intent);
    if (outcome.kind !== 'unknown') return this.#commit(journalledWallet(outcome));
    const finding = await enquireUntil(order, host, {
      clock,
      pollMs: waits.walletPollMs,
      mostMs: waits.walletResolveMs,
    });
    return finding.kind === 'waiting' ? finding : this.#conclude(finding, journalledWallet(outcome));
  }

  /** Requests a code for the customer to scan. Rejects only if the intent could not be written. */
  present(scheme: PaymentScheme | undefined): Promise<Presentation> {
    const asking = this.#present(scheme);
    this.#asking = asking;
    return asking;
  }

  /**
   * Resolves once the customer has paid, or can't pay any more. Writes nothing after the signal: `withdraw` does that.
   */
  awaitPayment(signal: AbortSignal): Promise<Withdrawal> {
    const asking = this.#awaitPayment(signal);
    this.#asking = asking;
    return asking;
  }

  /**
   * Closes the order, and learns from the host whether the customer had paid before. Rejects if the journal can't be
   * read or written: then the order must not count as closed.
   */
  async withdraw(): Promise<Withdrawal> {
    await this.#asking.catch(() => undefined);
    const record = await this.#record();
    if (record.conclusion) return { kind: 'concluded', conclusion: record.conclusion };
    if (!record.intent) return { kind: 'closed' };
    // Already unknown: the queue has taken it over, and closes or refunds it.
    if (record.reversal && record.hostOutcome) {
      return { kind: 'unknown', conclusion: this.#isFinal ? unknownYet : conclusionOf(record.hostOutcome) };
    }
    const { intent } = walletOrder(record);
    const end = await this.#close(record);
    if (end.kind === 'approved') return this.#conclude(end);
    if (end.kind === 'open') return this.#commit({ kind: 'unknown', reason: 'not-closed', ...end.said });
    return this.#commitWithdrawal(intent, end.isOpen);
  }

  async findLatePayment(): Promise<Written | undefined> {
    const { clock, waits, journal } = this.#parts;
    const { id, amount } = this.#order;
    let paid: { readonly intent: WalletIntent; readonly finding: WalletApproved } | undefined;
    const enquiries = this.#closed.map(async (intent) => {
      const finding = await this.#host(intent.acquirerId)?.enquire(orderOf(id, intent, amount));
      if (finding?.kind === 'approved') paid ??= { intent, finding };
    });
    // The customer is waiting to pay by another method. A later payment is found like that of any closed order.
    await withinMs(Promise.all(enquiries), waits.walletResolveMs, clock);
    if (!paid) return undefined;
    const { intent, finding } = paid;
    this.#isFinal = intent.isFinal === true;
    await journal.append(id, [intent]);
    return this.#commit(approvedOutcome(finding), undefined, [
      { kind: 'orderLookedAt', acquirerId: intent.acquirerId, stan: intent.trace.stan, isLast: true },
    ]);
  }

  /** The order came to nothing: another way to pay may follow. */
  async #commitWithdrawal(intent: WalletIntent, isOpen?: true): Promise<Withdrawal> {
    const closed = closedEvent(intent, this.#parts.wallets, isOpen);
    await this.#parts.journal.append(this.#order.id, [{ kind: 'withdrawn' }, closed]);
    this.#closed.push(intent);
    return { kind: 'closed' };
  }

  #close(record: TransactionRecord, signal?: AbortSignal): Promise<ClosingEnd> {
    return closeOrder(record, this.#host(walletOrder(record).intent.acquirerId), this.#parts, signal);
  }

  async #present(scheme: PaymentScheme | undefined): Promise<Presentation> {
    if (scheme === undefined) return this.#refuse('no acquirer shows a code for this wallet');
    const begun = await this.#begin(scheme, 'QR_PRESENT');
    if ('kind' in begun) return begun;
    const presentation = await begun.host.present({ ...begun.order, scheme });
    if (presentation.kind === 'code') return { kind: 'shown', payload: presentation.payload };
    return this.#commit(journalledWallet(presentation));
  }

  async #awaitPayment(signal: AbortSignal): Promise<Withdrawal> {
    const { clock, waits } = this.#parts;
    const record = await this.#record();
    const { intent, ...order } = walletOrder(record);
    const host = this.#host(intent.acquirerId);
    if (!host) throw new Error(`acquirer ${intent.acquirerId} is not configured`);
    const finding = await enquireUntil(order, host, { clock, pollMs: waits.walletPollMs, signal });
    if (signal.aborted) return { kind: 'closed' };
    if (finding.kind === 'declined' && isPayable(finding, intent)) return this.#closeDeclined(record, finding, signal);
    if (!isOver(finding.kind) || finding.kind === 'declined') return this.#conclude(finding);
    return this.#commitWithdrawal(intent);
  }

  /** Closes the order of a declined shown code, which may still be paid. The decline counts only after that. */
  async #closeDeclined(record: TransactionRecord, declined: Declined, signal: AbortSignal): Promise<Withdrawal> {
    const end = await this.#close(record, signal);
    if (signal.aborted) return { kind: 'closed' };
    if (end.kind === 'approved') return this.#conclude(end);
    if (end.kind === 'open') return this.#commit({ kind: 'unknown', reason: 'not-closed', ...end.said });
    const closed = closedEvent(walletOrder(record).intent, this.#parts.wallets, end.isOpen);
    return this.#commit({ ...declined, rrn: '' }, undefined, [closed]);
  }

  /** Selects the host, sends its queue, and makes the intent durable. Returns the conclusion instead if that fails. */
  async #begin(scheme: WalletScheme, entryMode: WalletEntryMode) {
    const { journal, forwarder, wallets, profiles, clock } = this.#parts;
    const { id, kind, amount } = this.#order;
    const takers = this.#order.takers.filter(({ scanned = [], presented = [] }) =>
      (entryMode === 'QR_SCAN' ? scanned : presented).includes(scheme),
    );
    const taker = selectAcquirer({ kind, takers }, scheme);
    const host = taker && wallets.get(taker.id);
    if (!host) return this.#refuse('no acquirer accepts this wallet');
    if (!(await forwarder.clear(host.id))) return this.#commit(await blockedBy(host.id, journal));
    const at = clock.now();
    this.#isFinal = !givesBack(scheme, host.id, profiles);
    const draft = {
      operation: 'sale',
      acquirerId: host.id,
      mid: host.mid,
      tid: host.tid,
      wallet: { scheme, entryMode },
      ...(this.#isFinal ? { isFinal: true as const } : {}),
      sentAt: at.toISOString(),
      ...hostTimeAt(host),
    } as const satisfies Omit<WalletIntent, 'kind' | 'trace'>;
    const trace = await journal.intend(id, draft);
    if (!(await forwarder.isStillClear(host.id))) return this.#commit(await blockedBy(host.id, journal));
    const intent: WalletIntent = { kind: 'intent', ...draft, trace };
    const order = { tradeNo: tradeNo(id, { trace }), amount, at };
    return { host: guard(host, this.#parts.onFailure), order, intent };
  }

  /** Concludes by the host's final finding. `otherwise`: the outcome if the finding is not final. */
  async #conclude(
    finding: WalletFinding,
    otherwise = journalledWallet({ kind: 'unknown', reason: 'unknown-at-host' }),
  ): Promise<Written> {
    switch (finding.kind) {
      case 'approved':
        return this.#commit(approvedOutcome(finding satisfies WalletApproved));
      case 'declined':
        return this.#commitDeclined(finding, walletOrder(await this.#record()).intent);
      case 'closed':
      case 'refunded':
        return this.#commit({ kind: 'notSent', reason: 'closed' }, closedByHost, [
          closedEvent(walletOrder(await this.#record()).intent, this.#parts.wallets),
        ]);
      case 'waiting':
      case 'noSuchOrder':
      case 'notFound':
      case 'unknown':
        return this.#commit(otherwise);
      default:
        return finding satisfies never;
    }
  }

  /** A host may post a declined payment late, so the order is enquired again, unless the host does not know this terminal. */
  #commitDeclined({ reason, ...declined }: Declined, intent: WalletIntent): Promise<Written> {
    const isKept = intent.wallet.entryMode === 'QR_SCAN' && !commissioningReasons.includes(reason);
    const kept = isKept ? [declinedEvent(intent, this.#parts.wallets)] : [];
    return this.#commit({ ...declined, reason, rrn: '' }, undefined, kept);
  }

  /** If the wallet can't refund, the answer must not say that the payment is reversed. */
  #commit(
    outcome: JournalledOutcome,
    conclusion = conclusionOf(outcome),
    more: readonly JournalEvent[] = [],
  ): Promise<Written> {
    const { journal } = this.#parts;
    if (!this.#isFinal) return commitAnswer(this.#order, outcome, journal, conclusion, unwrittenAnswer, more);
    const reported = outcome.kind === 'unknown' ? unknownYet : conclusion;
    return commitAnswer(this.#order, outcome, journal, reported, unknownYet, more);
  }

  #refuse(why: string): Promise<Written> {
    return commitConclusion(this.#order, localDecline('notAccepted', why), this.#parts.journal);
  }

  #host(id: AcquirerId) {
    const host = this.#parts.wallets.get(id);
    return host && guard(host, this.#parts.onFailure);
  }

  async #record(): Promise<TransactionRecord> {
    return transactionRecord(this.#order.id, await this.#parts.journal.read(this.#order.id));
  }
}

type Declined = Extract<WalletFinding, { kind: 'declined' }>;

const unknownYet = failure(
  'UNKNOWN',
  'walletUnknown',
  'it is not known yet whether the customer has paid: enquire before you charge again',
);

/** Not every wallet can refund: an FPS payment is final. */
function givesBack(scheme: WalletScheme, id: AcquirerId, profiles: SessionParts['profiles']): boolean {
  return !profiles.some((profile) => profile.id === id && profile.lacking?.[scheme]?.includes('REFUND'));
}

const closedByHost = failure('ERROR', 'walletClosed', 'the wallet closed the payment, nothing was charged');
