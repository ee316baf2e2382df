import type { CollectMode } from '../../base/domain/payment-scheme.ts';
import type { Refusal } from '../../base/domain/reason.ts';
import { failure } from '../events/conclusion.ts';
import type { Order } from '../method/order.ts';
import type { ScreenAction, ScreenView } from '../contracts/screen.ts';
import type { OptionAnswer, OptionQuestion } from '../options/option-question.ts';
import {
  answerEvent,
  type OptionRefusal,
  type PlannedQuestion,
  type PresentedInstrument,
  type AmountOption,
  withAnswer,
} from '../options/sale-option.ts';
import type { Collecting, Kept } from '../transaction/machine.ts';
import { type AskedOption, faultWith, isPlanRefusal, planPayment } from '../transaction/plan.ts';
import { isReferenceRefusal } from '../transaction/reference.ts';
import type { TerminalCapabilities } from '../transaction/terminal-capabilities.ts';
import { capabilitiesOf, orderOf } from './order-of.ts';
import type { RunParts } from './parts.ts';
import type { PaymentRequest } from './request.ts';
import type { Sessions } from './sessions.ts';

type Collected = Extract<Collecting, { kind: 'collected' }>;

/** The card that was presented when the questions about it began, and the amount. */
interface Known {
  readonly mode: CollectMode;
  readonly presented: PresentedInstrument;
  readonly readMinor: bigint;
}

/**
 * The questions of sale options, of one payment: one after the other, first those that are asked before collecting,
 * then those about a card that was presented. After the first message to a host nothing is asked: the amount is that of
 * its intent, and so is each later attempt (docs/decisions/0073-amount-after-the-card.md).
 */
export class OptionQuestions {
  #request: PaymentRequest;
  readonly #sessions: Sessions;
  readonly #parts: RunParts;
  /** The remaining questions; planned at the acceptance if they are asked before collecting. */
  #due: { readonly option: AmountOption; readonly planned?: PlannedQuestion }[];
  #current: { readonly option: AmountOption; readonly question: OptionQuestion } | undefined;
  /** Of the question that was asked last. */
  #steps: OptionQuestion['steps'] | undefined;
  #known: Known | undefined;
  /** A message may have been sent with the present amount. */
  #isFixed = false;

  constructor(request: PaymentRequest, first: readonly AskedOption[], sessions: Sessions, parts: RunParts) {
    this.#request = request;
    this.#sessions = sessions;
    this.#parts = parts;
    this.#due = first.map(({ option, question: planned }) => ({ option, planned }));
    this.#goOn();
  }

  /** How long the present question may take; undefined if there is none. */
  get questionMs(): number | undefined {
    return this.#current?.question.timeoutMs;
  }

  /** The name of a step of the machine while a question is answered. */
  stepAt(inner: string): string | undefined {
    if (inner === 'choosing') return this.#steps?.choosing;
    return inner === 'keeping' ? this.#steps?.keeping : undefined;
  }

  /** The screen's content for the present question. */
  get view(): (Pick<ScreenView, 'scene'> & Partial<ScreenView>) | undefined {
    return this.#current?.question.view;
  }

  act(action: ScreenAction): OptionAnswer | 'shown' | undefined {
    return this.#current?.question.act(action);
  }

  /** From now on the amount can't change, because a message may be sent with it. */
  fix(): void {
    this.#isFixed = true;
  }

  /**
   * A card or code was presented in this mode: asks about it, or has it presented again if it differs from the one that
   * was asked about.
   */
  async afterPresenting(mode: CollectMode, collected: Collected): Promise<Collecting> {
    const { current, order } = this.#sessions;
    const presented = current?.presented;
    if (this.#known) {
      if (presented && isSame(presented, this.#known.presented)) return collected;
      current?.dropMeans?.();
      return { kind: 'again', hint: 'sameCard' };
    }
    if (!presented || this.#isFixed || order.original) return collected;
    this.#known = { mode, presented, readMinor: order.amount.minor };
    // The POS's preferred start does not apply to a presented card.
    const { preferredEntryMode: _mode, preferredInstrument: _instrument, ...request } = this.#request;
    this.#request = request;
    const { options = [] } = this.#parts;
    this.#due = options.flatMap((option) => (option.asks === 'cardKnown' ? [{ option }] : []));
    this.#goOn();
    const { questionMs } = this;
    // Nothing is asked about this card, so another one may be presented.
    if (questionMs === undefined) this.#known = undefined;
    return questionMs === undefined ? collected : { ...collected, questionMs };
  }

  /** Plans the payment with this answer, and makes the answer durable. Rejects with JournalError. */
  async keep(given?: OptionAnswer): Promise<Kept> {
    if (!this.#current) throw new Error('this payment has no question');
    const { option, question } = this.#current;
    const answer = given ?? question.unanswered;
    const request = withAnswer(option, this.#request, answer);
    const order = await this.#orderFor(request);
    if ('reason' in order) {
      const conclusion = failure('ERROR', order.reason, `the payment can't be collected: ${order.message}`);
      if (answer.addedMinor === 0n) return { kind: 'ended', conclusion };
      question.refuse(answer);
      return { kind: 'again' };
    }
    await this.#parts.journal.append(order.id, [answerEvent(option, answer)]);
    this.#request = request;
    this.#sessions.replan(order);
    this.#goOn();
    const { modes, defaultMode, start, codeModes, wallets } = order.collects;
    const replanned = { kind: 'kept', amount: order.amount, modes, defaultMode, start, codeModes, wallets } as const;
    const { questionMs } = this;
    if (questionMs !== undefined) return { ...replanned, questionMs };
    return this.#isReadAgain(order) ? { ...replanned, presentAgain: true } : replanned;
  }

  /** Whether the data that was read covers another amount than the present one. Then it is erased. */
  #isReadAgain(order: Order): boolean {
    if (!this.#known?.presented.coversAmount || order.amount.minor === this.#known.readMinor) return false;
    this.#sessions.current?.dropMeans?.();
    return true;
  }

  /** Begins the next question. One that is not possible any more is left out. */
  #goOn(): void {
    this.#current = undefined;
    for (let next = this.#due.shift(); next; next = this.#due.shift()) {
      const { option } = next;
      if (!option.eventOf && !this.#parts.journal.takes('optionAnswered')) continue;
      const planned = next.planned ?? this.#planOf(option);
      // Later questions are planned with the answer to this one.
      this.#due = this.#due.map((each) => ({ option: each.option }));
      if (!planned || 'pointer' in planned) continue;
      const question = planned.begin();
      this.#current = { option, question };
      this.#steps = question.steps;
      return;
    }
  }

  #planOf(option: AmountOption): PlannedQuestion | OptionRefusal | undefined {
    const terms = this.#request;
    const capabilities = this.#means();
    return option.plan({
      terms,
      ...(this.#known ? { presented: this.#known.presented } : {}),
      faultOf: (addedMinor) => faultWith(option, addedMinor, terms, capabilities),
    });
  }

  /** Once a card is known, only the acquirers that accept it. */
  #means(): TerminalCapabilities {
    const capabilities = capabilitiesOf(this.#parts);
    const scheme = this.#known?.presented.scheme;
    return scheme === undefined
      ? capabilities
      : { ...capabilities, profiles: capabilities.profiles.filter(({ brands }) => brands.includes(scheme)) };
  }

  async #orderFor(request: PaymentRequest): Promise<Order | Refusal> {
    if (!this.#known) return this.#planAnew(request);
    const { mode } = this.#known;
    const { order: before } = this.#sessions;
    // An answer that adds nothing leaves everything as it was planned. Otherwise a partial approval is not allowed: it
    // would not show whether it includes the added amount.
    const { allowPartial: _whole, ...whole } = request;
    const order = request.amount.minor === before.amount.minor ? before : await this.#planAnew(whole);
    if ('reason' in order) return order;
    // The answer is about this card: no other means of payment is taken with it.
    return { ...order, collects: { modes: [mode], start: mode, codeModes: [], wallets: [] } };
  }

  async #planAnew(request: PaymentRequest): Promise<Order | Refusal> {
    const plan = planPayment(request, this.#means());
    if (isPlanRefusal(plan)) return plan;
    if (plan.collects.notReady) return plan.collects.notReady;
    const order = await orderOf(this.#sessions.order.id, request, plan, this.#parts);
    if (isReferenceRefusal(order)) return order;
    return 'notReady' in order ? order.notReady : order;
  }
}

function isSame(one: PresentedInstrument, other: PresentedInstrument): boolean {
  return one.scheme === other.scheme && one.maskedNumber === other.maskedNumber;
}
