import type { Reason } from '../../base/domain/reason.ts';
import type { FinancialImpact } from '../../base/domain/response-code.ts';
import type { TransactionKind } from '../../base/domain/transaction-kind.ts';
import { toldReason } from './envelope.ts';

/** The kinds whose failure leaves an earlier transaction as it was, in words for the cashier. */
const changes: readonly (readonly [RegExp, en: string, zhHant: string])[] = [
  [/^VOID_/, 'void', '撤銷交易'],
  [/^REFUND$/, 'refund', '退款'],
  [/^TIP_ADJUST$/, 'tip', '小費調整'],
  [/^AUTH_COMP$/, 'completion', '預先授權完成'],
];

/** With these the reason's own words fit every kind. */
const confirmed: readonly Reason[] = ['confirmedPosted', 'confirmedReturned'];

/**
 * The reason of a transaction that ended without SUCCESS. The words of most reasons speak of a payment: for a void, a
 * refund, a tip or a completion the cashier is told whether it was carried out, so that nobody gives goods or money back
 * twice.
 */
export function whyOf(kind: TransactionKind, reason: Reason, impact: FinancialImpact) {
  const why = toldReason(reason, impact);
  const [, en, zhHant] = changes.find(([kinds]) => kinds.test(kind)) ?? [];
  if (en === undefined || why.retryable === 'CALL_OPERATOR' || confirmed.includes(reason)) return why;
  const text =
    why.retryable === 'ENQUIRE'
      ? {
          en: `It is not certain yet whether the ${en} was carried out. Ask again, and do nothing meanwhile.`,
          'zh-Hant': `尚未確定${zhHant}是否完成。請稍後再查詢，期間請勿處理。`,
        }
      : {
          en: `The ${en} was not carried out: the earlier transaction stands.`,
          'zh-Hant': `${zhHant}未能完成：原交易維持不變。`,
        };
  return { ...why, text };
}
