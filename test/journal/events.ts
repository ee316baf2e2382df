import { acquirerId, type TerminalTransactionId } from '../../src/domain/identifiers.ts';
import type { Random } from '../../src/ports/clock.ts';
import type { Accepted } from '../../src/events/accepted.ts';
import type { CardIntent } from '../../src/events/intent.ts';

/** Numbers begin at 1, so that a test can name them. */
export const fromOne: Random = { bytes: (length) => new Uint8Array(length) };

/** The identifier that sorts at `ordinal`. */
export function numbered(ordinal: number): TerminalTransactionId {
  return String(ordinal).padStart(26, '0') as TerminalTransactionId;
}

export function accepted(messageId: string): Accepted {
  return {
    kind: 'accepted',
    posId: 'POS-1',
    messageId,
    digest: `digest of ${messageId}`,
    type: 'SALE',
    amountMinor: '3000',
    currency: 'HKD',
    shape: 'A',
    printedBy: 'terminal',
  };
}

export function draft(acquirer = 'EDC'): Omit<CardIntent, 'kind' | 'trace'> {
  return {
    operation: 'sale',
    acquirerId: acquirerId(acquirer),
    mid: '000000000000001',
    tid: '00000001',
    card: {
      brand: 'VISA',
      entryMode: 'CONTACTLESS',
      maskedPan: '************0119',
      aid: 'A0000000031010',
      appName: 'VISA CREDIT',
      authenticationMethod: 'NO_CVM',
      atc: '',
      tc: '',
      tsi: '',
      tvr: '',
    },
    ksn: 'FFFF9876543210E00001',
    encryptedPan: 'C2C2',
  };
}
