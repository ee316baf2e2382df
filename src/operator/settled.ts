import { majorText, parseMajor } from '../base/domain/amount.ts';
import { isCurrencyCode } from '../base/domain/currency.ts';
import { type SettlementFault, settlementFaultOf } from '../base/domain/settlement-fault.ts';
import type { TransactionKind } from '../base/domain/transaction-kind.ts';
import type { SettledBatch } from '../payment/events/settlement.ts';
import type { MenuAnswer } from '../payment/contracts/operator-menu.ts';

/** A total of the settlement's answer, whose amount is a number. */
interface ReportedTotal {
  readonly transactionType: TransactionKind;
  readonly currency: string;
  readonly count: number;
  readonly totalAmount: number;
}

/** A batch of the settlement's answer, as far as it is read here and by the page. */
interface ReportedBatch extends Pick<SettledBatch, 'batch' | 'result' | 'empty'> {
  readonly acquirer: string;
  readonly message?: string;
  readonly totals: readonly ReportedTotal[];
  readonly unresolved?: readonly ReportedTotal[];
}

type TotalText = Omit<ReportedTotal, 'totalAmount'> & { readonly totalAmount: string };

/** The same with its amounts as texts, and why it failed as a code. */
export interface SettledText extends Omit<ReportedBatch, 'totals' | 'unresolved'> {
  readonly totals: readonly TotalText[];
  readonly unresolved?: readonly TotalText[];
  readonly trouble?: SettlementFault;
}

/** The answer of a settlement with its amounts as texts that have their currency's decimals, and why one failed as a code. */
export function describeSettlement({ status, body }: MenuAnswer): MenuAnswer {
  const { settlements } = body;
  if (!Array.isArray(settlements)) return { status, body };
  return { status, body: { ...body, settlements: (settlements as readonly ReportedBatch[]).map(describeBatch) } };
}

function describeBatch({ totals, unresolved, ...batch }: ReportedBatch): SettledText {
  const fault = batch.result === 'FAILED' ? settlementFaultOf(String(batch.message)) : undefined;
  return {
    ...batch,
    totals: totals.map(describeTotal),
    ...(unresolved === undefined ? {} : { unresolved: unresolved.map(describeTotal) }),
    ...(fault === undefined ? {} : { trouble: fault }),
  };
}

function describeTotal(total: ReportedTotal): TotalText {
  const amount = isCurrencyCode(total.currency) ? parseMajor(String(total.totalAmount), total.currency) : undefined;
  return { ...total, totalAmount: typeof amount === 'object' ? majorText(amount) : String(total.totalAmount) };
}
