import { majorText } from '../base/domain/amount.ts';
import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { TransactionType } from '../base/domain/transaction-kind.ts';
import type { Intent } from '../payment/events/intent.ts';
import type { MethodLabel } from '../payment/method/description.ts';
import { labelOf } from '../payment/method/descriptions.ts';
import { presentImpact } from '../payment/records/impact.ts';
import { instrumentOf } from '../payment/records/payment.ts';
import { type Present, type PresentAmounts, presentConclusion } from '../payment/records/present.ts';
import type { TransactionRecord } from '../payment/records/record.ts';

/** A transaction in a list for the operator. */
export interface Listed {
  readonly id: TerminalTransactionId;
  /** Empty for one that can't be read. */
  readonly kind: TransactionType | '';
  readonly method: string;
  /** The method's name, if `method` is a code of an added method. */
  readonly label?: MethodLabel;
  readonly lastDigits: string;
  readonly amount: string;
  readonly currency: string;
  readonly at: string;
  /** The final amount, and the sum of its refunds: absent if the amount has not changed. */
  readonly final?: string | undefined;
  readonly refunded?: string | undefined;
}

export function listedMeans(intent: Intent): Pick<Listed, 'method' | 'label' | 'lastDigits'> {
  const { scheme, maskedNumber } = instrumentOf(intent);
  const label = labelOf(scheme);
  return { method: scheme, ...(label ? { label } : {}), lastDigits: maskedNumber.slice(-4) };
}

/** A record as a list shows it, with its original amount. */
export function listRecord(
  { id, request, intent, amount, createdAt }: TransactionRecord,
  { final, refunded }: PresentAmounts = {},
): Listed {
  return {
    id,
    kind: request.type,
    ...(intent ? listedMeans(intent) : { method: '', lastDigits: '' }),
    amount: majorText(amount),
    currency: amount.currency,
    at: createdAt.toISOString(),
    ...(final ? { final: majorText(final) } : {}),
    ...(refunded ? { refunded: majorText(refunded) } : {}),
  };
}

type Status = Present['status'];

/** Its state for the operator: an error is divided by the state of the money. */
export type MenuState = Status | 'UNKNOWN' | 'REVERSING' | 'CANCELLED' | 'TIMED_OUT' | 'UNREADABLE';

export function menuState(record: TransactionRecord, status: Status): MenuState {
  const impact = presentImpact(record);
  if (impact === 'UNKNOWN') return 'UNKNOWN';
  if (impact === 'REVERSAL_PENDING' && status !== 'APPROVED') return 'REVERSING';
  if (status !== 'ERROR') return status;
  const { result } = presentConclusion(record);
  if (result === 'TRANSACTION_ALREADY_CANCEL') return 'CANCELLED';
  return result === 'TIMEOUT' ? 'TIMED_OUT' : status;
}
