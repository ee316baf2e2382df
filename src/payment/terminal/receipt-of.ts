import { posDetailsOf } from '../../base/domain/identifiers.ts';
import type { ResponseResult } from '../../base/domain/reason.ts';
import type { ReceiptAddition, ReceiptDocument, ReceiptMethod, ReceiptShop } from '../../receipt/document.ts';
import type { ReceiptLanguage } from '../../base/domain/receipt-language.ts';
import type { SettlementReport } from '../../receipt/settlement.ts';
import type { Intent } from '../events/intent.ts';
import type { JournalledSettlement, KindTotal, SettledBatch } from '../events/settlement.ts';
import type { MethodDetails } from '../method/description.ts';
import { descriptionOf } from '../method/descriptions.ts';
import { optionLabel } from '../options/descriptions.ts';
import { presentImpact } from '../records/impact.ts';
import { instrumentOf } from '../records/payment.ts';
import { type PresentAmounts, presentConclusion } from '../records/present.ts';
import type { TransactionRecord } from '../records/record.ts';
import { tipMinor } from '../records/transaction-status.ts';

export interface ReceiptTerms {
  readonly copy: ReceiptDocument['copy'];
  /** A reprint. */
  readonly duplicate: boolean;
  /** It was voided since, or its authorization released. */
  readonly voided?: boolean;
  /** The changes of its amount by later transactions. */
  readonly changed?: PresentAmounts;
  /** An earlier print of it was cut off. */
  readonly cutOff?: boolean;
  readonly shop: ReceiptShop;
  readonly timeZone: string;
  readonly language: ReceiptLanguage;
}

/** The receipt of a transaction with an intent. Throws for a record without one. */
export function receiptOf(record: TransactionRecord, terms: ReceiptTerms): ReceiptDocument {
  const { intent, request, amount } = record;
  const { outcome, result } = presentConclusion(record);
  const { copy, duplicate, voided = false, changed = {}, cutOff = false, shop, timeZone, language } = terms;
  if (!intent) throw new Error(`transaction ${record.id} never reached a host, it has no receipt`);
  const tip = tipMinor(record);
  const { scheme, entryMode } = instrumentOf(intent);
  const { receipt, own } = descriptionOf(intent).describe(record);
  return {
    copy,
    language,
    ...(duplicate ? { duplicate } : {}),
    ...(voided ? { voided } : {}),
    ...(cutOff ? { cutOff } : {}),
    shop,
    transactionType: request.type,
    ...moneyOf(record, outcome),
    outcome: outcome === 'error' ? errorOf(record, intent, result) : outcome === 'declined' ? 'DECLINED' : 'APPROVED',
    amount,
    ...changed,
    ...(tip === 0n ? {} : { tip: { ...amount, minor: tip } }),
    ...additionsOf(record, language),
    paymentMethod: scheme,
    entryMode,
    at: record.createdAt,
    timeZone,
    terminalTransactionId: record.id,
    pos: posDetailsOf(request),
    ...receipt,
    ...(own ? { method: methodPart(intent, own, language) } : {}),
  };
}

/** The amounts that sale options have added. */
function additionsOf(
  { options = [], amount }: TransactionRecord,
  language: ReceiptLanguage,
): { readonly additions?: readonly ReceiptAddition[] } {
  const added = options.filter(({ addedMinor }) => addedMinor > 0n);
  if (added.length === 0) return {};
  return {
    additions: added.map(({ name, addedMinor }) => ({
      label: optionLabel(name)[language],
      amount: { ...amount, minor: addedMinor },
    })),
  };
}

/** The present state of the money of a payment that did not succeed. */
function moneyOf(record: TransactionRecord, outcome: string): Pick<ReceiptDocument, 'money'> {
  const impact = presentImpact(record);
  if (outcome !== 'error' || impact === 'NONE') return {};
  if (isConfirmed(record)) return { money: 'confirmed' };
  return { money: impact === 'UNKNOWN' ? 'unknown' : 'takenBack' };
}

/** Only the bank has confirmed it, and it was not returned since. */
function isConfirmed({ setAside, reversal, returned }: TransactionRecord): boolean {
  return setAside === 'POSTED' && reversal === 'setAside' && returned === undefined;
}

/** UNKNOWN prints "present the same card again": only the card itself shows the outcome. */
function errorOf(record: TransactionRecord, intent: Intent, result: ResponseResult): 'ERROR' | 'UNKNOWN' {
  return instrumentOf(intent).undo === 'sameCard' && result === 'UNKNOWN' && !isConfirmed(record) ? 'UNKNOWN' : 'ERROR';
}

/** The receipt part of another method, in its own words. A code without a word is printed as it is. */
function methodPart(
  intent: Intent,
  { lines, balance }: NonNullable<MethodDetails['own']>,
  language: ReceiptLanguage,
): ReceiptMethod {
  const { scheme, entryMode } = instrumentOf(intent);
  const { labels } = descriptionOf(intent);
  const word = (code: string) => labels?.[code]?.[language] ?? code;
  return {
    scheme: word(scheme),
    entryMode: word(entryMode),
    lines: lines.map(([code, value]) => [word(code), value] as const),
    ...(balance ? { balance } : {}),
  };
}

export function settlementReportOf(
  { at, results = [] }: JournalledSettlement,
  shop: ReceiptShop,
  timeZone: string,
  language: ReceiptLanguage,
): SettlementReport {
  return { language, shop, at: new Date(at), timeZone, batches: results.map(reportedBatch) };
}

function reportedTotal({ kind, currency, count, totalMinor }: KindTotal) {
  return { kind, count, total: { minor: BigInt(totalMinor), currency } };
}

function reportedBatch(batch: SettledBatch): SettlementReport['batches'][number] {
  const { acquirerId: acquirer, mid, tid, batch: number, result, reason = 'no reason was given', totals } = batch;
  const { rejected = [] } = batch;
  return {
    acquirer,
    mid,
    tid,
    batch: number,
    totals: totals.map(reportedTotal),
    unresolved: (batch.unresolved ?? []).map(reportedTotal),
    openAuths: (batch.openAuths ?? []).map(reportedTotal),
    rejected: rejected.map(({ id, kind, currency, amountMinor, responseCode, afterSettlement }) => ({
      terminalTransactionId: id,
      kind,
      amount: { minor: BigInt(amountMinor), currency },
      responseCode,
      ...(afterSettlement ? { afterSettlement } : {}),
    })),
    result: result === 'BALANCED' ? { kind: batch.confirmed ? 'CONFIRMED' : result } : { kind: result, reason },
  };
}
