import type { Amount } from '../domain/amount.ts';
import type { ResponseResult } from '../domain/response-code.ts';
import type {
  ReceiptCard,
  ReceiptDocument,
  ReceiptHost,
  ReceiptLanguage,
  ReceiptOriginal,
  ReceiptShop,
} from '../receipt/document.ts';
import type { SettlementReport } from '../receipt/settlement.ts';
import type { CardIntent, Intent, WalletIntent } from '../events/intent.ts';
import type { JournalledSettlement, KindTotal, SettledBatch } from '../events/settlement.ts';
import { entryModeOf, paymentSchemeOf } from '../records/payment.ts';
import type { TransactionRecord } from '../records/record.ts';
import { tipMinor } from '../records/standing.ts';
import { presentConclusion } from '../records/told.ts';

export interface ReceiptTerms {
  readonly copy: ReceiptDocument['copy'];
  /** A reprint. */
  readonly duplicate: boolean;
  readonly shop: ReceiptShop;
  readonly timeZone: string;
  readonly language: ReceiptLanguage;
}

/** The receipt of a transaction that came to a host, a purse or the till. Throws for a record without its intent. */
export function receiptOf(record: TransactionRecord, terms: ReceiptTerms): ReceiptDocument {
  const { intent, request, amount } = record;
  const { outcome, result } = presentConclusion(record);
  const { copy, duplicate, shop, timeZone, language } = terms;
  if (!intent) throw new Error(`transaction ${record.id} never reached a host, it has no receipt`);
  const tip = tipMinor(record);
  return {
    copy,
    language,
    ...(duplicate ? { duplicate } : {}),
    shop,
    transactionType: request.type,
    outcome: outcome === 'error' ? errorOf(intent, result) : outcome === 'declined' ? 'DECLINED' : 'APPROVED',
    amount,
    ...(tip === 0n ? {} : { tip: { ...amount, minor: tip } }),
    ...('original' in intent && intent.original ? { original: originalOf(record, intent.original) } : {}),
    paymentMethod: paymentSchemeOf(intent),
    entryMode: entryModeOf(intent),
    at: record.createdAt,
    timeZone,
    terminalTransactionId: record.id,
    ...('cash' in intent ? {} : { host: hostOf(intent, record) }),
    ...ofMethod(intent, record),
  };
}

function errorOf(intent: Intent, result: ResponseResult): 'ERROR' | 'UNKNOWN' {
  return 'octopus' in intent && result === 'UNKNOWN' ? 'UNKNOWN' : 'ERROR';
}

type OfMethod = Pick<ReceiptDocument, 'card' | 'wallet' | 'octopus' | 'cash' | 'eps'>;

/** What only this way of paying has. */
function ofMethod(intent: Intent, record: TransactionRecord): OfMethod {
  const { amount, hostOutcome } = record;
  if ('card' in intent) return { card: receiptCard(intent, record), ...epsOf(intent, amount) };
  const hostNumber = hostOutcome && 'rrn' in hostOutcome ? hostOutcome.rrn : '';
  if ('wallet' in intent) {
    const walletNumber = (hostOutcome?.kind === 'approved' ? hostOutcome.walletNumber : undefined) ?? '';
    return { wallet: { hostNumber, walletNumber } };
  }
  if ('octopus' in intent) {
    const balance = hostOutcome && 'balanceMinor' in hostOutcome ? hostOutcome.balanceMinor : undefined;
    return {
      octopus: {
        cardLastFour: intent.octopus.maskedNumber.slice(-4),
        receipt: hostNumber,
        ...(balance === undefined ? {} : { balance: { ...amount, minor: BigInt(balance) } }),
      },
    };
  }
  const tendered = BigInt(intent.cash.tenderedMinor);
  return {
    cash: { tendered: { ...amount, minor: tendered }, change: { ...amount, minor: tendered - amount.minor } },
  };
}

function epsOf({ account, cashbackMinor }: CardIntent, amount: Amount): Pick<ReceiptDocument, 'eps'> {
  if (account === undefined) return {};
  const cashback = cashbackMinor === undefined ? {} : { cashback: { ...amount, minor: BigInt(cashbackMinor) } };
  return { eps: { account, ...cashback } };
}

/** What this method's own part says already is not said twice. */
function hostOf(intent: Intent, record: TransactionRecord): ReceiptHost {
  const { mid, tid, trace } = intent;
  const common = { mid, tid, ...trace };
  return 'card' in intent ? { ...common, ...hostWords(record) } : { ...common, ...declinedWord(record) };
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

function declinedWord({ hostOutcome }: TransactionRecord): Partial<ReceiptHost> {
  return hostOutcome?.kind === 'declined' ? { responseCode: hostOutcome.responseCode } : {};
}

function originalOf(
  { amount, request }: TransactionRecord,
  original: NonNullable<CardIntent['original']> | NonNullable<WalletIntent['original']>,
): ReceiptOriginal {
  const before: Amount = { ...amount, minor: BigInt(original.amountMinor) };
  return {
    ...('hostNumber' in original ? { hostNumber: original.hostNumber } : cardOriginal(original)),
    ...(before.minor === amount.minor ? {} : { amount: before }),
    ...(request.originalId === undefined ? {} : { terminalTransactionId: request.originalId }),
  };
}

function cardOriginal({ trace, rrn, approvalCode }: NonNullable<CardIntent['original']>): ReceiptOriginal {
  return {
    invoice: trace.invoice,
    ...(rrn === '' ? {} : { rrn }),
    ...(approvalCode === '' ? {} : { approvalCode }),
  };
}

/** The chip's last word stands where it had one; what refers to an earlier transaction has no cryptogram of its own. */
function receiptCard({ card, original }: CardIntent, { cardCompletion }: TransactionRecord): ReceiptCard {
  const last = cardCompletion?.emv ?? {};
  const presented = original === undefined;
  const tc = last['9F26'] ?? card.tc;
  const kind = cardCompletion ? (cardCompletion.agreed ? 'TC' : 'AAC') : 'ARQC';
  const tvr = last['95'] ?? card.tvr;
  const tsi = last['9B'] ?? card.tsi;
  return {
    maskedPan: card.maskedPan,
    ...(card.aid === '' ? {} : { aid: card.aid }),
    ...(card.appName === '' ? {} : { appName: card.appName }),
    ...(tc === '' || !presented ? {} : { cryptogram: { kind, value: tc } }),
    ...(card.atc === '' || !presented ? {} : { atc: card.atc }),
    ...(tvr === '' || !presented ? {} : { tvr }),
    ...(tsi === '' || !presented ? {} : { tsi }),
    authenticationMethod: card.authenticationMethod,
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
