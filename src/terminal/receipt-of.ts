import type { ReceiptDocument, ReceiptShop } from '../receipt/document.ts';
import type { AuthenticationMethod } from '../receipt/document.ts';
import type { TransactionRecord } from '../transaction/record.ts';

/** The customer's receipt of an approved card payment. Throws for a record without its intent. */
export function receiptOf(record: TransactionRecord, shop: ReceiptShop, timeZone: string): ReceiptDocument {
  const { intent, hostOutcome, request } = record;
  if (!intent) throw new Error(`transaction ${record.id} never reached a host, it has no receipt`);
  const { card, trace } = intent;
  return {
    copy: 'CUSTOMER',
    shop,
    transactionType: request.type,
    outcome: 'APPROVED',
    amount: record.amount,
    paymentMethod: card.brand,
    entryMode: card.entryMode,
    at: record.createdAt,
    timeZone,
    terminalTransactionId: record.id,
    host: {
      mid: intent.mid,
      tid: intent.tid,
      ...trace,
      ...(hostOutcome?.kind === 'approved' ? { rrn: hostOutcome.rrn, approvalCode: hostOutcome.approvalCode } : {}),
    },
    card: {
      maskedPan: card.maskedPan,
      aid: card.aid,
      appName: card.appName,
      // Contactless: the card asked the issuer and was not asked again.
      ...(card.tc === '' ? {} : { cryptogram: { kind: 'ARQC', value: card.tc } }),
      ...(card.atc === '' ? {} : { atc: card.atc }),
      ...(card.tvr === '' ? {} : { tvr: card.tvr }),
      ...(card.tsi === '' ? {} : { tsi: card.tsi }),
      authenticationMethod: card.authenticationMethod as AuthenticationMethod,
    },
  };
}
