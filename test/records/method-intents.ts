import { acquirerId } from '../../src/domain/identifiers.ts';
import type { CardIntent, CashIntent, OctopusIntent, WalletIntent } from '../../src/events/intent.ts';
import { intent } from './records.ts';

const common = { kind: 'intent', mid: '', tid: '', trace: { stan: 1, invoice: 1, batch: 1 } } as const;

export const chip: CardIntent = { ...intent, card: { ...intent.card, entryMode: 'CHIP' } };

export const eps: CardIntent = {
  ...intent,
  acquirerId: acquirerId('EPS'),
  card: { ...intent.card, brand: 'EPS', entryMode: 'MAGSTRIPE' },
  account: 'SAVINGS',
};

export const wallet: WalletIntent = {
  ...common,
  operation: 'sale',
  acquirerId: acquirerId('QR'),
  wallet: { scheme: 'ALIPAY', entryMode: 'QR_PRESENT' },
  sentAt: '2026-01-01T00:00:00.000Z',
};

export const octopus: OctopusIntent = {
  ...common,
  operation: 'sale',
  acquirerId: acquirerId('OCTOPUS'),
  octopus: { maskedNumber: '****5678' },
};

export const cash: CashIntent = {
  ...common,
  operation: 'sale',
  acquirerId: acquirerId('CASH'),
  cash: { tenderedMinor: '5000' },
};
