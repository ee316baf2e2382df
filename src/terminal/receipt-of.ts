import type { Amount } from '../domain/amount.ts';
import type { ReceiptCard, ReceiptDocument, ReceiptHost, ReceiptOriginal, ReceiptShop } from '../receipt/document.ts';
import type { SettlementReport } from '../receipt/settlement.ts';
import type { CardSummary, JournalledSettlement, SettledBatch } from '../ports/journal.ts';
import type { TransactionRecord } from '../transaction/record.ts';
import { tipMinor } from '../transaction/standing.ts';

export interface ReceiptTerms {
  readonly copy: ReceiptDocument['copy'];
  /** A reprint. */
  readonly duplicate: boolean;
  readonly shop: ReceiptShop;
  readonly timeZone: string;
}

/** The receipt of a transaction that came to a host. Throws for a record without its intent. */
export function receiptOf(
  record: TransactionRecord,
  { copy, duplicate, shop, timeZone }: ReceiptTerms,
): ReceiptDocument {
  const { intent, request, conclusion, amount } = record;
  if (!intent) throw new Error(`transaction ${record.id} never reached a host, it has no receipt`);
  const tip = tipMinor(record);
  return {
    copy,
    ...(duplicate ? { duplicate } : {}),
    shop,
    transactionType: request.type,
    outcome:
      conclusion?.outcome === 'approved' ? 'APPROVED' : conclusion?.outcome === 'declined' ? 'DECLINED' : 'ERROR',
    amount,
    ...(tip === 0n ? {} : { tip: { ...amount, minor: tip } }),
    ...(intent.original ? { original: originalOf(record, intent.original) } : {}),
    paymentMethod: intent.card.brand,
    entryMode: intent.card.entryMode,
    at: record.createdAt,
    timeZone,
    terminalTransactionId: record.id,
    host: { mid: intent.mid, tid: intent.tid, ...intent.trace, ...hostWords(record) },
    card: receiptCard(intent.card, intent.original === undefined),
  };
}

function hostWords({ hostOutcome, adviceAnswer }: TransactionRecord): Partial<ReceiptHost> {
  switch (hostOutcome?.kind) {
    case 'approved':
      return { rrn: hostOutcome.rrn, approvalCode: hostOutcome.approvalCode };
    case 'offline':
      return { approvalCode: hostOutcome.approvalCode, ...(adviceAnswer?.rrn ? { rrn: adviceAnswer.rrn } : {}) };
    case 'declined':
      return { rrn: hostOutcome.rrn, responseCode: hostOutcome.responseCode };
    default:
      return {};
  }
}

function originalOf(
  { amount, request }: TransactionRecord,
  { trace, rrn, approvalCode, amountMinor }: NonNullable<NonNullable<TransactionRecord['intent']>['original']>,
): ReceiptOriginal {
  const before: Amount = { ...amount, minor: BigInt(amountMinor) };
  return {
    invoice: trace.invoice,
    ...(rrn === '' ? {} : { rrn }),
    ...(approvalCode === '' ? {} : { approvalCode }),
    ...(before.minor === amount.minor ? {} : { amount: before }),
    ...(request.originalId === undefined ? {} : { terminalTransactionId: request.originalId }),
  };
}

/** `presented`: the cryptogram is of this transaction, not of the original. */
function receiptCard(card: CardSummary, presented: boolean): ReceiptCard {
  return {
    maskedPan: card.maskedPan,
    aid: card.aid,
    appName: card.appName,
    // Contactless: the card asked the issuer and was not asked again.
    ...(card.tc === '' || !presented ? {} : { cryptogram: { kind: 'ARQC', value: card.tc } }),
    ...(card.atc === '' || !presented ? {} : { atc: card.atc }),
    ...(card.tvr === '' || !presented ? {} : { tvr: card.tvr }),
    ...(card.tsi === '' || !presented ? {} : { tsi: card.tsi }),
    authenticationMethod: card.authenticationMethod,
  };
}

export function settlementReportOf(
  { at, results = [] }: JournalledSettlement,
  shop: ReceiptShop,
  timeZone: string,
): SettlementReport {
  return { shop, at: new Date(at), timeZone, batches: results.map(reportedBatch) };
}

function reportedBatch(batch: SettledBatch): SettlementReport['batches'][number] {
  const { acquirerId: acquirer, mid, tid, batch: number, result, reason = 'no reason was given', totals } = batch;
  return {
    acquirer,
    mid,
    tid,
    batch: number,
    totals: totals.map(({ kind, currency, count, totalMinor }) => ({
      kind,
      count,
      total: { minor: BigInt(totalMinor), currency },
    })),
    result: result === 'FAILED' ? { kind: result, reason } : { kind: result },
  };
}
