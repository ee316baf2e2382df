import { lastFourOnly } from '../../base/domain/masking.ts';
import type { CardScheme } from '../../base/domain/payment-scheme.ts';
import { authenticationMethod } from '../../codecs/emv/cvm.ts';
import type { EmvData, PresentedCard } from '../../base/ports/card-reader.ts';
import type { CardSummary } from '../../payment/events/intent.ts';

/** The card data that may be kept. */
export function cardSummary(card: PresentedCard, brand: CardScheme): CardSummary {
  const sequence = card.emv.get('5F34');
  return {
    brand,
    entryMode: card.entryMode,
    maskedPan: lastFourOnly(card.maskedPan),
    aid: card.aid,
    appName: card.appName,
    ...(sequence ? { panSequenceNumber: hex(sequence) } : {}),
    // A magstripe carries no verification method: without a PIN the customer signs.
    authenticationMethod: card.aid === '' ? 'SIGNATURE' : authenticationMethod(card.emv),
    atc: object(card.emv, '9F36'),
    tc: object(card.emv, '9F26'),
    tsi: object(card.emv, '9B'),
    tvr: object(card.emv, '95'),
  };
}

/** Compares brand and last four digits, which is all that this side can see. The host has the number and decides. */
export function sameCard(card: PresentedCard, brand: CardScheme, kept: CardSummary | undefined): boolean {
  return kept !== undefined && kept.brand === brand && kept.maskedPan === lastFourOnly(card.maskedPan);
}

export function hexByTag(emv: EmvData): Record<string, string> {
  return Object.fromEntries([...emv].map(([tag, value]) => [tag, hex(value)]));
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}

function object(emv: EmvData, tag: string): string {
  return hex(emv.get(tag) ?? new Uint8Array());
}
