import { terminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import type { Accepted, AnswerShape } from '../../../src/payment/events/accepted.ts';
import type { CardIntent, Intent } from '../../../src/payment/events/intent.ts';
import type { Conclusion } from '../../../src/payment/events/conclusion.ts';
import type { JournalEvent } from '../../../src/payment/events/event.ts';
import type { JournalledOutcome } from '../../../src/payment/events/answer.ts';
import { transactionRecord, type TransactionRecord } from '../../../src/payment/records/record.ts';
import * as events from '../../support/events.ts';

const at = '2026-11-21T09:30:00.123Z';
export const id = terminalTransactionId(new Date(at), new Uint8Array(10));

const numbers = { trace: { stan: 7, invoice: 8, batch: 9 } } as const;

const intent: CardIntent = {
  ...events.intent,
  ...numbers,
  mid: '123456789012345',
  tid: '12345678',
  card: {
    ...events.intent.card,
    appName: 'Visa Credit',
    panSequenceNumber: '01',
    atc: '0001',
    tc: '1122334455667788',
    tsi: '0000',
    tvr: '0000000000',
  },
  encryptedPan: '00112233445566778899AABBCCDDEEFF',
};

/** How a payment by each method is written down. */
export const intents = {
  card: intent,
  chip: { ...intent, card: { ...intent.card, entryMode: 'CHIP' } },
  wallet: {
    ...events.wallet,
    ...numbers,
    tid: 'T0000042',
    wallet: { scheme: 'ALIPAY', entryMode: 'QR_SCAN' },
    sentAt: at,
  },
  octopus: { ...events.octopus, ...numbers },
  cash: { ...events.cash, ...numbers },
  eps: {
    ...intent,
    acquirerId: events.eps.acquirerId,
    card: { ...intent.card, brand: 'EPS', entryMode: 'MAGSTRIPE', aid: '', appName: '' },
    account: 'SAVINGS',
    cashbackMinor: '1000',
  },
} as const satisfies Record<string, Intent>;

/** A transaction of 30.00 HKD as its events after the acceptance tell it. */
export function recordOf(later: readonly JournalEvent[], shape: AnswerShape = 'A', cashbackMinor?: string) {
  const cash = cashbackMinor === undefined ? {} : { cashbackMinor };
  return transactionRecord(
    id,
    [{ ...accepted(shape), ...cash }, ...later].map((event) => ({ at, event })),
  );
}

interface Ending {
  readonly outcome?: JournalledOutcome;
  readonly conclusion: Conclusion;
  readonly reversal?: 'queued' | 'acknowledged';
  readonly shape?: AnswerShape;
}

/** A card transaction of 30.00 HKD that went to the host, as the journal tells it. */
export function authorizedRecord({ outcome, conclusion, reversal, shape = 'A' }: Ending): TransactionRecord {
  return recordOf(
    [
      intent,
      ...(outcome ? [{ kind: 'answered', outcome } as const] : []),
      ...(reversal ? [{ kind: 'reversalQueued', reason: 'no-answer' } as const] : []),
      ...(reversal === 'acknowledged' ? [{ kind: 'reversalAcknowledged', responseCode: '00' } as const] : []),
      { kind: 'ended', ...conclusion },
    ],
    shape,
  );
}

/** One that ended before any card was there. */
export function uncollectedRecord(conclusion: Conclusion, shape: AnswerShape = 'A'): TransactionRecord {
  return recordOf([{ kind: 'ended', ...conclusion }], shape);
}

function accepted(shape: AnswerShape): Accepted {
  return { ...events.accepted, digest: '', shape, printedBy: shape === 'B' ? 'pos' : 'terminal' };
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
