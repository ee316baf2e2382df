import type { Amount } from '../../base/domain/amount.ts';
import type { EntryMode, PaymentScheme } from '../../base/domain/payment-scheme.ts';
import type { Refusal } from '../../base/domain/reason.ts';
import type { TransactionType } from '../../base/domain/transaction-kind.ts';
import type { JournalEvent } from '../events/event.ts';
import type { ApprovalOption } from './approval-option.ts';
import type { OptionAnswer, OptionQuestion } from './option-question.ts';

/**
 * When an option asks. beforeCollecting: before anything is armed. cardKnown: after a card was presented, before
 * anything is sent (docs/decisions/0073-amount-after-the-card.md). Each answer is durable before the payment continues.
 */
export type OptionMoment = 'beforeCollecting' | 'cardKnown';

/** A request, as an option sees it. Earlier answers are applied to it. */
export interface OptionTerms {
  readonly type: TransactionType;
  /** The total. */
  readonly amount: Amount;
  readonly tipMinor?: bigint | undefined;
  readonly cashbackMinor?: bigint | undefined;
  /** The customer is asked for a tip, which is added to the amount. */
  readonly askTip?: boolean | undefined;
}

/** Why the question of an option can't be asked, and the field of the request that asks for it. */
export interface OptionRefusal extends Refusal {
  readonly pointer: string;
}

/** The presented card. The number is masked. */
export interface PresentedInstrument {
  readonly scheme: PaymentScheme;
  readonly entryMode: EntryMode;
  readonly maskedNumber: string;
  /** The first six digits. */
  readonly issuerDigits: string;
  /** The data that was read covers the amount: another amount needs another reading. */
  readonly coversAmount: boolean;
}

/** A payment that has not been sent yet. */
export interface OptionSale {
  readonly terms: OptionTerms;
  /** Only at cardKnown. */
  readonly presented?: PresentedInstrument;
  /** Why the payment would not be possible if the answer added this; undefined if it would be. */
  readonly faultOf: (addedMinor: bigint) => OptionRefusal | undefined;
}

/** A question that can be asked. `begin`: once for each payment. */
export interface PlannedQuestion {
  begin(): OptionQuestion;
}

/** An option of this terminal that asks before the payment is sent: a tip, a donation, a surcharge. */
export interface AmountOption {
  /** Its name in the journal, in answers and in reports. */
  readonly name: string;
  readonly asks: OptionMoment;
  /**
   * Plans the question for one payment. Undefined if this payment is not asked. A fault refuses a request that demands
   * the question; at cardKnown it leaves the question out.
   */
  plan(sale: OptionSale): PlannedQuestion | OptionRefusal | undefined;
  /** The request with this answer. Without this function only the amount changes, by the amount of the answer. */
  apply?<Terms extends OptionTerms>(terms: Terms, answer: OptionAnswer): Terms;
  /** The event of an answer; `optionAnswered` without this function. */
  readonly eventOf?: (answer: OptionAnswer) => JournalEvent;
  /** Fields of GET /sp/v1/capabilities. */
  capabilities?(): Readonly<Record<string, unknown>>;
}

/** An option of this terminal. */
export type SaleOption = AmountOption | ApprovalOption;

/** The request with this answer. */
export function withAnswer<Terms extends OptionTerms>(option: AmountOption, terms: Terms, answer: OptionAnswer): Terms {
  if (option.apply) return option.apply(terms, answer);
  return { ...terms, amount: { ...terms.amount, minor: terms.amount.minor + answer.addedMinor } };
}

/** The event that makes this answer durable. */
export function answerEvent({ name, eventOf }: AmountOption, answer: OptionAnswer): JournalEvent {
  const { addedMinor, data } = answer;
  return eventOf?.(answer) ?? { kind: 'optionAnswered', name, addedMinor: addedMinor.toString(), data };
}
