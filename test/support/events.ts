import { acquirerId } from '../../src/base/domain/identifiers.ts';
import type { Accepted } from '../../src/payment/events/accepted.ts';
import type { CashIntent } from '../../src/methods/cash/contract.ts';
import type { OctopusIntent } from '../../src/methods/octopus/contract.ts';
import type { WalletIntent } from '../../src/methods/wallet/contract.ts';
import type { CardIntent } from '../../src/payment/events/intent.ts';

/** A sale of 30.00 HKD, as it is accepted. */
export const accepted: Accepted = {
  kind: 'accepted',
  posId: 'POS-1',
  messageId: 'M-1',
  digest: 'd',
  type: 'SALE',
  amountMinor: '3000',
  currency: 'HKD',
  shape: 'A',
  printedBy: 'terminal',
};

/** The intent of a Visa card that is held to the reader. The other intents are as each method writes them. */
export const intent: CardIntent = {
  kind: 'intent',
  operation: 'sale',
  acquirerId: acquirerId('EDC'),
  mid: '000000000000001',
  tid: '00000001',
  trace: { stan: 1, invoice: 1, batch: 1 },
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

export const chip: CardIntent = { ...intent, card: { ...intent.card, entryMode: 'CHIP' } };

export const eps: CardIntent = {
  ...intent,
  acquirerId: acquirerId('EPS'),
  card: { ...intent.card, brand: 'EPS', entryMode: 'MAGSTRIPE', aid: '', appName: '' },
  account: 'SAVINGS',
};

const books = { kind: 'intent', operation: 'sale', mid: '', tid: '', trace: intent.trace } as const;

export const wallet: WalletIntent = {
  ...books,
  acquirerId: acquirerId('QR'),
  wallet: { scheme: 'ALIPAY', entryMode: 'QR_PRESENT' },
  sentAt: '2026-01-01T00:00:00.000Z',
};

export const octopus: OctopusIntent = {
  ...books,
  acquirerId: acquirerId('OCTOPUS'),
  octopus: { maskedNumber: '****5678' },
};

export const cash: CashIntent = { ...books, acquirerId: acquirerId('CASH'), cash: { tenderedMinor: '5000' } };
