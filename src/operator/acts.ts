import { type Amount, majorText, percentOf } from '../base/domain/amount.ts';
import type { TransactionKind } from '../base/domain/transaction-kind.ts';
import { checkReferenceNow, type ReferenceParts } from '../payment/method/original.ts';
import { optionsSum } from '../payment/records/answered-option.ts';
import { type RecordTree, transactionStatus } from '../payment/records/transaction-status.ts';
import { isReferenceRefusal } from '../payment/transaction/reference.ts';
import type { MenuAsked } from './menu-request.ts';

type Act = MenuAsked<'act'>['act'];

/**
 * An action that is possible with a transaction now. `amount`: of the whole, in major units. `kind`: its name. `most`:
 * of a tip, the greatest; `amount` is then the sale without tip. `isWhole`: no other amount is possible.
 */
export interface PossibleAct {
  readonly act: Act;
  readonly kind: TransactionKind;
  readonly amount: string;
  readonly most?: string;
  readonly isWhole?: true;
}

/**
 * Everything that the rules allow for it now. The terminal decides again when it is asked. Rejects with JournalError.
 */
export async function possibleActs(tree: RecordTree, parts: ReferenceParts): Promise<PossibleAct[]> {
  const { total, tipMinor, refundedMinor } = transactionStatus(tree);
  const base = { ...total, minor: total.minor - tipMinor };
  const most = { ...base, minor: percentOf(base.minor - optionsSum(tree.record), parts.rules.tipPercentMax) };
  const asked: readonly (readonly [Act, Amount, Omit<PossibleAct, 'act' | 'kind'>])[] = [
    ['VOID', total, { amount: majorText(total), isWhole: true }],
    ['TIP_ADJUST', { ...base, minor: base.minor + 1n }, { amount: majorText(base), most: majorText(most) }],
    ['AUTH_COMP', total, { amount: majorText(total) }],
    ['OFFLINE_SALE', total, { amount: majorText(total) }],
    ...rest({ ...total, minor: total.minor - refundedMinor }),
  ];
  const acts: PossibleAct[] = [];
  for (const [type, amount, shown] of asked) {
    const answer = await checkReferenceNow({ type, amount }, tree.record.id, parts);
    if (!isReferenceRefusal(answer)) acts.push({ act: type, kind: answer.kind, ...shown });
  }
  return acts;
}

/** The amount that can still be refunded. */
function rest(left: Amount): readonly (readonly [Act, Amount, Omit<PossibleAct, 'act' | 'kind'>])[] {
  return left.minor > 0n ? [['REFUND', left, { amount: majorText(left) }]] : [];
}
