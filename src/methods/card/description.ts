import { cardEntryModes, cardBrands, type CardScheme } from '../../base/domain/payment-scheme.ts';
import type { CardIntent, CardSummary } from '../../payment/events/intent.ts';
import type { ReceiptCard, ReceiptOriginal } from '../../receipt/document.ts';
import { cardIntentOf } from '../../payment/records/payment.ts';
import { type TransactionRecord, mustSign } from '../../payment/records/record.ts';
import {
  type CardData,
  type MethodDescription,
  type MethodDetails,
  noDetails,
  type ScreenPart,
} from '../../payment/method/description.ts';
import { hostWords, receiptHost, receiptOriginal } from '../../payment/method/receipt-part.ts';
import { lastFourOnly } from '../../base/domain/masking.ts';
import { authenticationMethod } from '../../codecs/emv/cvm.ts';
import type { EmvData, PresentedCard } from '../../base/ports/card-reader.ts';

export const cardDescription: MethodDescription = {
  name: 'card',
  schemes: cardBrands,
  entryModes: cardEntryModes,
  describe(record) {
    const intent = cardIntentOf(record.intent);
    return intent ? cardDetails(intent, record) : noDetails;
  },
};

export function cardDetails(intent: CardIntent, record: TransactionRecord): MethodDetails {
  const { card, original } = intent;
  const inside = card.entryMode === 'CHIP' ? { cardInside: true as const } : {};
  return {
    receipt: {
      host: receiptHost(intent, record, hostWords(record)),
      ...(original ? { original: receiptOriginal(record, originalNames(original), original.amountMinor) } : {}),
      card: receiptCard(intent, record),
    },
    screen: { approved: approvedPart(record), declined: inside, error: inside },
    cardData: cardDataOf(intent, record),
  };
}

function approvedPart(record: TransactionRecord): ScreenPart {
  return {
    ...(record.cardCompletion ? { hint: 'removeCard' } : {}),
    ...(mustSign(record) && !record.signature ? { next: 'sign' } : {}),
  };
}

/** The chip's last values replace the first ones, if it gave any. */
function cardDataOf({ card }: CardIntent, { cardCompletion }: TransactionRecord): CardData {
  const { aid, appName, atc, authenticationMethod } = card;
  const last = cardCompletion?.emv ?? {};
  const [tc, tsi, tvr] = [last['9F26'] ?? card.tc, last['9B'] ?? card.tsi, last['95'] ?? card.tvr];
  return { aid, appName, atc, tc, tsi, tvr, authenticationMethod };
}

/** A transaction that refers to an earlier one has no cryptogram of its own. */
function receiptCard(intent: CardIntent, record: TransactionRecord): ReceiptCard {
  const { cardCompletion } = record;
  const { aid, appName, atc, tc, tsi, tvr } = cardDataOf(intent, record);
  const { maskedPan, authenticationMethod } = intent.card;
  const presented = intent.original === undefined;
  const kind = cardCompletion ? (cardCompletion.agreed ? 'TC' : 'AAC') : 'ARQC';
  return {
    maskedPan,
    ...(aid === '' ? {} : { aid }),
    ...(appName === '' ? {} : { appName }),
    ...(tc === '' || !presented ? {} : { cryptogram: { kind, value: tc } }),
    ...(atc === '' || !presented ? {} : { atc }),
    ...(tvr === '' || !presented ? {} : { tvr }),
    ...(tsi === '' || !presented ? {} : { tsi }),
    authenticationMethod,
    ...(record.signature ? { signature: record.signature } : {}),
  };
}

function originalNames({ trace, rrn, approvalCode }: NonNullable<CardIntent['original']>): ReceiptOriginal {
  return {
    invoice: trace.invoice,
    ...(rrn === '' ? {} : { rrn }),
    ...(approvalCode === '' ? {} : { approvalCode }),
  };
}

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
