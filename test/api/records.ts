import { terminalTransactionId } from '../../src/domain/identifiers.ts';
import type { Conclusion, Intent, JournalledOutcome } from '../../src/ports/journal.ts';
import { transactionRecord, type TransactionRecord } from '../../src/transaction/record.ts';
import type { AnswerShape } from '../../src/ports/journal.ts';

const at = '2026-11-21T09:30:00.123Z';
export const id = terminalTransactionId(new Date(at), new Uint8Array(10));

const intent: Intent = {
  kind: 'intent',
  operation: 'sale',
  acquirerId: 'EDC' as Intent['acquirerId'],
  mid: '123456789012345',
  tid: '12345678',
  trace: { stan: 7, invoice: 8, batch: 9 },
  card: {
    brand: 'VISA',
    entryMode: 'CONTACTLESS',
    maskedPan: '************0119',
    aid: 'A0000000031010',
    appName: 'Visa Credit',
    panSequenceNumber: '01',
    authenticationMethod: 'NO_CVM',
    atc: '0001',
    tc: '1122334455667788',
    tsi: '0000',
    tvr: '0000000000',
  },
  ksn: 'FFFF9876543210E00001',
  encryptedPan: '00112233445566778899AABBCCDDEEFF',
};

interface Ending {
  readonly outcome?: JournalledOutcome;
  readonly conclusion: Conclusion;
  readonly reversal?: 'queued' | 'acknowledged';
  readonly shape?: AnswerShape;
}

/** A card transaction of 30.00 HKD that went to the host, as the journal tells it. */
export function authorizedRecord({ outcome, conclusion, reversal, shape = 'A' }: Ending): TransactionRecord {
  return transactionRecord(
    id,
    [
      accepted(shape),
      intent,
      ...(outcome ? [{ kind: 'answered', outcome } as const] : []),
      ...(reversal ? [{ kind: 'reversalQueued', reason: 'no-answer' } as const] : []),
      ...(reversal === 'acknowledged' ? [{ kind: 'reversalAcknowledged', responseCode: '00' } as const] : []),
      { kind: 'ended', ...conclusion } as const,
    ].map((event) => ({ at, event })),
  );
}

/** One that ended before any card was there. */
export function uncollectedRecord(conclusion: Conclusion, shape: AnswerShape = 'A'): TransactionRecord {
  return transactionRecord(
    id,
    [accepted(shape), { kind: 'ended', ...conclusion } as const].map((event) => ({ at, event })),
  );
}

function accepted(shape: AnswerShape) {
  return {
    kind: 'accepted',
    posId: 'POS-1',
    messageId: 'M-1',
    digest: '',
    type: 'SALE',
    amountMinor: '3000',
    currency: 'HKD',
    shape,
  } as const;
}

export const approved = {
  kind: 'approved',
  responseCode: '00',
  approvalCode: 'ABC123',
  rrn: '632511000001',
  hostTime: '173000',
  hostDate: '1121',
} as const;
export const success: Conclusion = { outcome: 'approved', result: 'SUCCESS', code: 0, message: '' };
