import type { AcquirerId } from '../../../src/base/domain/identifiers.ts';
import { failure } from '../../../src/payment/events/conclusion.ts';
import type { MethodIntent } from '../../../src/payment/events/intent.ts';
import { Arming, type MethodSession } from '../../../src/payment/method/payment-method.ts';
import { endCollecting } from '../../../src/payment/method/collecting.ts';
import type { Order, SessionParts } from '../../../src/payment/method/order.ts';
import { hostNumberOf } from '../../../src/payment/method/receipt-part.ts';
import { writeReferenceIntent, writeIntent } from '../../../src/payment/method/write-intent.ts';
import { commitConclusion, commitAnswer } from '../../../src/payment/method/commit-answer.ts';
import type { CodeScanner } from '../../../src/base/ports/code-scanner.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import type { Authorization, Collecting } from '../../../src/payment/transaction/machine.ts';
import { refOf } from './acquirer.ts';
import { type LoyaltyLink, tokenOf } from './host.ts';

type Draft = Omit<MethodIntent, 'kind' | 'trace'>;

const cardCode = /^LOYALTY:(\d{12,19})$/;

/** One payment with a loyalty card. */
export class LoyaltySession implements MethodSession {
  readonly #order: Order;
  readonly #parts: SessionParts;
  readonly #acquirerId: AcquirerId;
  readonly #link: LoyaltyLink;
  readonly #scanner: CodeScanner | undefined;
  readonly #arming = new Arming();
  #card: string | undefined;

  constructor(order: Order, parts: SessionParts, id: AcquirerId, link: LoyaltyLink, scanner: CodeScanner | undefined) {
    this.#order = order;
    this.#parts = parts;
    this.#acquirerId = id;
    this.#link = link;
    this.#scanner = scanner;
  }

  async collect(_mode: string, signal: AbortSignal): Promise<Collecting> {
    if (!this.#scanner) throw new DeviceError('absent', 'this terminal has no scanner');
    const outcome = await this.#arming.arm(this.#scanner.scan(signal));
    if (outcome.kind === 'cancelled') return endCollecting({ kind: 'cancelled', by: 'customer' });
    this.#card = outcome.kind === 'code' ? cardCode.exec(outcome.text)?.[1] : undefined;
    return this.#card === undefined ? { kind: 'again', hint: 'presentAgain' } : { kind: 'collected' };
  }

  async authorize(): Promise<Authorization> {
    const card = this.#card;
    if (card === undefined) throw new Error('no loyalty card was scanned');
    const { id, amount } = this.#order;
    const means = { ...loyaltyMeans, maskedNumber: card.slice(-4).padStart(card.length, '*') };
    const draft: Draft = { ...this.#books, operation: 'sale', method: means, own: { token: tokenOf(card) } };
    const turn = await writeIntent(this.#order, draft, this.#parts);
    if (turn.kind === 'over') return turn.end;
    const { trace } = turn;
    const fields = [card, String(amount.minor), amount.currency, String(trace.batch)];
    return commitAnswer(this.#order, await this.#link.order('SALE', refOf(id, trace), ...fields), this.#parts.journal);
  }

  /** A refund, or a void: the card need not be there. */
  async authorizeByReference(): Promise<Authorization> {
    const { id, kind, amount, original } = this.#order;
    const { journal } = this.#parts;
    const intent = original?.record.intent;
    if (!original || !intent || !('method' in intent)) {
      return commitConclusion(
        this.#order,
        failure('ERROR', 'acquirerGone', 'the original is no loyalty payment'),
        journal,
      );
    }
    const turn = await writeReferenceIntent(this.#order, original, this.#acquirerId, this.#parts);
    if (turn.kind === 'over') return turn.end;
    const { record } = turn.known;
    const operation = kind === 'REFUND' ? 'refund' : kind === 'VOID_REFUND' ? 'voidRefund' : 'void';
    const trace = await journal.intend(id, {
      ...this.#books,
      operation,
      method: intent.method,
      own: intent.own,
      original: { hostNumber: hostNumberOf(record), amountMinor: record.amount.minor.toString() },
    });
    const names = [refOf(id, trace), intent.own['token'] ?? '', refOf(record.id, intent.trace)];
    const fields = operation === 'refund' ? [...names, String(amount.minor), String(trace.batch)] : names;
    const outcome = await this.#link.order(operation === 'refund' ? 'REFUND' : 'VOID', ...fields);
    return commitAnswer(this.#order, outcome, journal);
  }

  disarm(): Promise<void> {
    return this.#arming.disarm();
  }

  async forget(): Promise<void> {
    this.#card = undefined;
  }

  get #books() {
    return { acquirerId: this.#acquirerId, mid: '', tid: '' };
  }
}

const loyaltyMeans = {
  name: 'loyalty',
  scheme: 'LOYALTY',
  entryMode: 'LOYALTY_CODE',
  instrumentType: 'LOYALTY',
  undo: 'reversal',
} as const;
