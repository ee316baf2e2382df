import { accounts } from '../../base/domain/account.ts';
import type { CollectMode } from '../../base/domain/payment-scheme.ts';
import { issuerIdentification } from '../../base/domain/masking.ts';
import type { CardInterface, PresentedCard, CollectOutcome, RetryReason } from '../../base/ports/card-reader.ts';
import { DeviceError } from '../../base/ports/device.ts';
import type { Scene, ScreenAction, ScreenHint, ScreenView } from '../../payment/contracts/screen.ts';
import type { Answered, Authorization, Collecting, Question } from '../../payment/transaction/machine.ts';
import { Arming, type MethodSession } from '../../payment/method/payment-method.ts';
import { awaitScreen, endCollecting } from '../../payment/method/collecting.ts';
import type { Order } from '../../payment/method/order.ts';
import type { PresentedInstrument } from '../../payment/options/sale-option.ts';
import { authorizeCard, authorizeCardReference, brandOf } from './authorize.ts';
import { completeCard } from './complete.ts';
import { Collected } from './collected.ts';
import type { CardParts } from './parts.ts';
import type { Reason } from '../../base/domain/reason.ts';

const retryHints = {
  collision: 'oneCardOnly',
  'card-lost': 'holdCard',
  'read-error': 'presentAgain',
  'use-chip': 'insertCard',
  'use-magstripe': 'swipeCard',
} as const satisfies Record<RetryReason, ScreenHint>;

const refusals = {
  unsupported: 'cardNotSupported',
  expired: 'expiredCard',
  blocked: 'cardBlocked',
  'over-limit': 'contactlessLimitExceeded',
  declined: 'declinedByCard',
} as const satisfies Record<Extract<CollectOutcome, { kind: 'refused' }>['reason'], Reason>;

/**
 * Maps the reader's outcome when it read no card. `cancelled` without a cancel of the terminal is the reader's cancel
 * key.
 */
export function collectingWithout(outcome: Exclude<CollectOutcome, { kind: 'card' }>): Collecting {
  switch (outcome.kind) {
    case 'tryAgain':
      return { kind: 'again', hint: retryHints[outcome.reason] };
    case 'timeout':
      return endCollecting({ kind: 'timeout' });
    case 'cancelled':
      return endCollecting({ kind: 'cancelled', by: 'customer' });
    case 'refused':
      return endCollecting({ kind: 'refused', reason: refusals[outcome.reason], why: outcome.reason });
    default:
      return outcome satisfies never;
  }
}

/** The differences between a card payment and EPS. */
export interface CardTerms {
  /** The interfaces to arm, out of those that the reader has. */
  interfaces(all: readonly CardInterface[], isChipWanted: boolean): readonly CardInterface[];
  /** The first question to the cardholder after this card; undefined if there is none. */
  asks(order: Order, card: PresentedCard, parts: Pick<CardParts, 'reader' | 'cardAcquirers'>): Question | undefined;
  /** Sale options may ask about this card. */
  readonly isOpenToOptions?: true;
}

/** One payment with a card at the reader. */
export class CardSession implements MethodSession {
  #order: Order;
  readonly #parts: CardParts;
  readonly #terms: CardTerms;
  readonly #collected = new Collected();
  readonly #arming = new Arming();
  /** True while the customer is asked for the account. */
  #isChoosing = false;

  constructor(order: Order, parts: CardParts, terms: CardTerms) {
    this.#order = order;
    this.#parts = parts;
    this.#terms = terms;
  }

  async collect(_mode: CollectMode, signal: AbortSignal): Promise<Collecting> {
    const { reader, progress } = this.#parts;
    const { amount, kind, collectMs } = this.#order;
    const type = kind === 'REFUND' ? 'refund' : 'purchase';
    const interfaces = this.#interfaces();
    const request = { amount, type, timeoutMs: collectMs, interfaces } as const;
    const outcome = await this.#arming.arm(
      reader.collect(request, signal, (reason) => signal.aborted || progress(retryHints[reason])),
    );
    if (outcome.kind === 'card') {
      this.#collected.card = outcome.card;
      const asks = this.#terms.asks(this.#order, outcome.card, this.#parts);
      return { kind: 'collected', ...(asks === undefined ? {} : { asks }) };
    }
    if (outcome.kind === 'refused' && outcome.reason === 'over-limit' && mayInsertInstead(interfaces)) {
      this.#collected.wantChip();
      return { kind: 'again', hint: 'insertCard' };
    }
    return collectingWithout(outcome);
  }

  async ask(question: Question, again: boolean, signal: AbortSignal): Promise<Answered> {
    if (question === 'account') return this.#askAccount(signal);
    const { reader, timeouts } = this.#parts;
    if (!reader.pinPad) throw new DeviceError('absent', 'the reader has no PIN pad');
    const { amount } = this.#order;
    const outcome = await this.#arming.arm(
      reader.pinPad.enterPin({ amount, timeoutMs: timeouts.pinMs, again }, signal),
    );
    switch (outcome.kind) {
      case 'pin':
        this.#collected.enter(outcome.pin);
        return { kind: 'collected' };
      case 'timeout':
        return endCollecting({ kind: 'timeout' });
      case 'cancelled':
        return endCollecting({ kind: 'cancelled', by: 'customer' });
      default:
        return outcome satisfies never;
    }
  }

  act(action: ScreenAction): Answered | undefined {
    if (action.kind !== 'account' || !this.#isChoosing) return undefined;
    this.#collected.account = action.account;
    this.#isChoosing = false;
    return { kind: 'collected', asks: 'pin' };
  }

  authorize(): Promise<Authorization> {
    return authorizeCard(this.#order, this.#collected, this.#parts);
  }

  authorizeByReference(): Promise<Authorization> {
    return authorizeCardReference(this.#order, this.#parts);
  }

  complete(): Promise<Authorization> {
    return completeCard(this.#order, this.#collected, this.#parts);
  }

  get presented(): PresentedInstrument | undefined {
    const { card } = this.#collected;
    const scheme = card && brandOf(card, false);
    if (!card || scheme === undefined || !this.#terms.isOpenToOptions) return undefined;
    const { entryMode, maskedPan, emv } = card;
    const issuerDigits = issuerIdentification(maskedPan) ?? '';
    // The cryptogram covers the amount (9F02); a stripe covers none.
    return { scheme, entryMode, maskedNumber: maskedPan, issuerDigits, coversAmount: emv.has('9F26') };
  }

  replan(order: Order): void {
    this.#order = order;
  }

  dropMeans(): void {
    this.#collected.dropCard();
  }

  disarm(): Promise<void> {
    return this.#arming.disarm();
  }

  /** Releases a card that waits in its slot, and tells the reader what to show. */
  async forget(): Promise<void> {
    const { reader, onFailure } = this.#parts;
    const { card, decision = { kind: 'unreachable' } } = this.#collected;
    this.#collected.forget();
    const reported = card?.awaitsOutcome
      ? reader.show?.(decision)
      : card?.awaitsDecision && reader.complete?.(decision);
    if (reported) await reported.catch((error: unknown) => onFailure?.(error));
  }

  details(_mode: CollectMode, scene: Scene): Partial<ScreenView> {
    switch (scene) {
      case 'chooseMethod':
      case 'presentCard':
        return { interfaces: this.#interfaces() };
      case 'chooseAccount':
        return { accounts };
      default:
        return {};
    }
  }

  /** Customers tend to pull the card out while the host is asked, so the screen says whether they may. */
  hintAt(moment: 'atHost' | 'asking'): ScreenHint | undefined {
    const { card } = this.#collected;
    const isHeld = card?.awaitsDecision === true;
    if (isHeld) return 'leaveCardIn';
    // A chip that is not needed any more may be removed before the host has answered.
    return moment === 'atHost' && card?.entryMode === 'CHIP' ? 'removeCard' : undefined;
  }

  #interfaces(): readonly CardInterface[] {
    const { interfaces = ['contactless'] } = this.#parts.reader;
    return this.#terms.interfaces(interfaces, this.#collected.chipWanted);
  }

  async #askAccount(signal: AbortSignal): Promise<Answered> {
    this.#isChoosing = true;
    const end = await awaitScreen(signal);
    this.#isChoosing = false;
    return end;
  }
}

/** The limit applies to contactless only: through its contacts the same card may pay. */
function mayInsertInstead(interfaces: readonly CardInterface[]): boolean {
  return interfaces.includes('contactless') && interfaces.includes('chip');
}
