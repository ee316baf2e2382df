import { majorText, parseMajor } from '../domain/amount.ts';
import { isCurrencyCode } from '../domain/currency.ts';
import { settlementTroubleOf } from '../domain/settlement-trouble.ts';
import type { DeskAnswer } from '../ports/desk.ts';

/** A total of the settlement's answer, whose amount is a number. */
interface ToldTotal {
  readonly currency: string;
  readonly totalAmount: number;
}

/** The answer of a settlement with its amounts as texts that have their currency's decimals, and why one failed as a code. */
export function tellSettlement({ status, body }: DeskAnswer): DeskAnswer {
  const { settlements } = body;
  if (!Array.isArray(settlements)) return { status, body };
  return { status, body: { ...body, settlements: settlements.map(tellBatch) } };
}

function tellBatch(batch: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const texts = (['totals', 'unresolved'] as const).flatMap((name) => {
    const totals = batch[name];
    return Array.isArray(totals) ? [[name, (totals as readonly ToldTotal[]).map(tellTotal)]] : [];
  });
  const trouble = batch['result'] === 'FAILED' ? settlementTroubleOf(String(batch['message'])) : undefined;
  return { ...batch, ...Object.fromEntries(texts), ...(trouble === undefined ? {} : { trouble }) };
}

function tellTotal(total: ToldTotal) {
  const amount = isCurrencyCode(total.currency) ? parseMajor(String(total.totalAmount), total.currency) : undefined;
  return { ...total, totalAmount: typeof amount === 'object' ? majorText(amount) : String(total.totalAmount) };
}
