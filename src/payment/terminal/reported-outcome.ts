import type { CollectMode } from '../../base/domain/entry-mode.ts';
import type { Reason } from '../../base/domain/reason.ts';
import type { TransactionKind, TransactionType } from '../../base/domain/transaction-kind.ts';
import type {
  Happening,
  MoneyState,
  MoneySubject,
  NextStep,
  ReportedMoney,
  ReportedOutcome,
} from '../contracts/reported-outcome.ts';
import { financialImpact } from '../records/impact.ts';
import type { TransactionRecord } from '../records/record.ts';
import { stands } from '../records/transaction-status.ts';
import { presentConclusion } from '../records/present-conclusion.ts';
import { reportedReasons } from './reported-reasons.ts';

/** How the payment was collected: `mode`, unless it went by its original; `ways`: the modes of other methods that work now. */
export interface Collected {
  readonly mode?: CollectMode | undefined;
  readonly ways: readonly CollectMode[];
}

/** What the customer is told of an outcome: what happened, what became of the money, what to do next. */
export function reportOutcome(record: TransactionRecord, { mode, ways }: Collected): ReportedOutcome {
  const { result, reason = 'unspecified' } = presentConclusion(record);
  const subject = subjectOf(record.request.type);
  if (result === 'SUCCESS') return { money: approvalMoney(record.request.type), next: 'thanks' };
  const state = moneyState(record);
  const [happened, next] = reportedReasons[reason];
  const able = next === 'waysThatWork' && ways.length === 0 ? 'tryLater' : next;
  return {
    happened: happened === 'bankFirst' ? bankFirst(mode) : happened,
    money: `${subject}-${state}`,
    next: nextOf(able, subject, state),
  };
}

/** Of an outcome that can't be read: nobody knows what became of the money. */
export function reportUnknown(type: TransactionType, reason: Reason = 'recordUnreadable'): ReportedOutcome {
  const subject = subjectOf(type);
  const [happened, next] = reportedReasons[reason];
  return { happened, money: `${subject}-UNKNOWN`, next: nextOf(next, subject, 'UNKNOWN') };
}

/** Whether nobody paid because nobody wanted to, and nothing is in doubt: that is no error. */
export function isCancelled(record: TransactionRecord): boolean {
  const { reason = 'unspecified' } = presentConclusion(record);
  const state = moneyState(record);
  const nothingMoved = state === 'NONE' || state === 'IF_PAID_RETURNED' || state === 'IF_PAID_ASK';
  return nothingMoved && wished.has(reason);
}

const wished = new Set<Reason>(['cancelledByPos', 'cancelledByMerchant', 'cancelledByCustomer', 'customerTimeout']);

function subjectOf(type: TransactionType): MoneySubject {
  if (type === 'REFUND') return 'refund';
  if (type === 'TIP_ADJUST') return 'tip';
  return type.startsWith('VOID') ? 'void' : 'charge';
}

function approvalMoney(type: TransactionKind): ReportedMoney {
  return type === 'AUTH' ? 'hold-DONE' : `${subjectOf(type)}-DONE`;
}

/** As the POS is told; a wallet that is asked once more may still say that it was paid. */
function moneyState(record: TransactionRecord): MoneyState {
  if (stands(record) && record.returned === undefined) return 'DONE';
  const impact = financialImpact(record);
  if (impact !== 'NONE' || !record.unlooked?.length) return impact;
  return record.unlooked.some(({ isFinal }) => isFinal) ? 'IF_PAID_ASK' : 'IF_PAID_RETURNED';
}

/** Who does not know whether the money has moved must not be invited to pay again, nor who was not to pay anything. */
function nextOf(next: NextStep, subject: MoneySubject, state: MoneyState): NextStep {
  if (state === 'UNKNOWN' || state === 'DONE') return subject === 'charge' ? 'askBeforePaying' : 'askForHelp';
  if (subject === 'charge') return next;
  switch (next) {
    case 'askBeforePaying':
      return 'askForHelp';
    case 'payOtherWay':
    case 'tryAgain':
    case 'tryLater':
    case 'insertCard':
    case 'waysThatWork':
      return 'repeat';
    case 'useThatCard':
    case 'startAgain':
    case 'repeat':
    case 'askForHelp':
    case 'thanks':
    case 'sign':
      return next;
    default:
      return next satisfies never;
  }
}

/** What can't be taken until the bank has answered. */
function bankFirst(mode: CollectMode | undefined): Happening {
  switch (mode) {
    case 'CARD':
      return 'cardsBankFirst';
    case 'QR_SCAN':
    case 'QR_PRESENT':
      return 'walletsBankFirst';
    case 'EPS':
      return 'epsBankFirst';
    default:
      return 'bankFirst';
  }
}
