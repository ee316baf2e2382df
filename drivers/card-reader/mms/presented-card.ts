import { brandOfNumber } from '../../../src/codecs/emv/aid.ts';
import type { CardEntryMode } from '../../../src/base/domain/payment-scheme.ts';
import type { CollectOutcome, CollectRequest, PresentedCard } from '../../../src/base/ports/card-reader.ts';
import { cardApplication, armedInterfaces, refuseOther } from '../transaction-request.ts';
import { cryptogramOf } from '../device-lane.ts';
import { protocolError } from '../protocol-error.ts';
import { readCardData, type CardData } from './card-data.ts';

/**
 * Interface by the first byte of a notification's code, and the card type that its data must have
 * (fixtures/README.md).
 */
const technology = {
  magstripe: { code: 0x08, cardType: 0x01 },
  chip: { code: 0x10, cardType: 0x05 },
  contactless: { code: 0x20, cardType: 0x06 },
} as const;

/** DFDF52: contactless, read as a magstripe. It has no cryptogram for the issuer to check. */
const contactlessMagstripe = 0x08;

/** A card's outcome. `waits`: the transaction stays open until the decision is sent. */
export interface Presented {
  readonly outcome: CollectOutcome;
  readonly waits: boolean;
  /** Serial number of the device. */
  readonly serial: Uint8Array;
}

/**
 * A card in the payload of a notification: 'asks' is 080202, a request for authorization; 'ended' is 080302, its batch
 * data. Throws DeviceError 'protocol' if the data breaks the protocol, has another amount than `request`, or comes
 * from an interface that was not armed.
 */
export function readPresentedCard(
  code: number,
  stage: 'asks' | 'ended',
  payload: Uint8Array,
  request: CollectRequest,
): Presented {
  const used = (['magstripe', 'chip', 'contactless'] as const).find((name) => technology[name].code === code);
  if (used === undefined || !armedInterfaces(request).has(used)) throw protocolError('an interface that was not armed');
  const card = readCardData(payload);
  const { serial } = card;
  refuseOther(request, card.emv);
  const waits = stage === 'asks';
  if (used === 'contactless' && card.cardType === contactlessMagstripe) {
    return { outcome: { kind: 'refused', reason: 'unsupported' }, waits, serial };
  }
  // Data that ends a chip's transaction without a request for authorization need not repeat the card type.
  if (card.cardType !== technology[used].cardType && (waits || used === 'magstripe')) {
    throw protocolError('a card of another interface');
  }
  if (used === 'magstripe') {
    if (waits) throw protocolError('a magstripe that asks for authorization');
    return { outcome: { kind: 'card', card: magstripeCard(card) }, waits, serial };
  }
  const cryptogram = cryptogramOf(card.emv);
  switch (cryptogram) {
    case 'ARQC':
      if (!waits) throw protocolError('an ARQC without an authorization request');
      return {
        outcome: { kind: 'card', card: chipCard(used === 'chip' ? 'CHIP' : 'CONTACTLESS', card) },
        waits,
        serial,
      };
    case 'AAC':
      return { outcome: { kind: 'refused', reason: 'declined' }, waits, serial };
    case 'TC':
      // The card approved offline. This terminal accepts only online approvals, so it must not lead to a payment.
      return { outcome: { kind: 'refused', reason: 'unsupported' }, waits, serial };
    default:
      return cryptogram satisfies never;
  }
}

function chipCard(entryMode: 'CONTACTLESS' | 'CHIP', card: CardData): PresentedCard {
  const application = cardApplication(card.emv);
  const awaits = entryMode === 'CHIP' ? { awaitsDecision: true as const } : { awaitsOutcome: true as const };
  return { ...common(entryMode, card), ...application, ...awaits };
}

/**
 * DFDF53: no fallback, technical fallback, MSR fallback (D100005000, Table 4.51). The liability for fraud depends on
 * it: a fallback must not be taken for a plain swipe.
 */
const magstripeEntryMode: ReadonlyMap<number | undefined, CardEntryMode> = new Map([
  [0x00, 'MAGSTRIPE'],
  [0x01, 'FALLBACK'],
  [0x81, 'FALLBACK'],
]);

function magstripeCard(card: CardData): PresentedCard {
  const entryMode = magstripeEntryMode.get(card.fallback);
  if (entryMode === undefined) throw protocolError('a magstripe without its entry mode');
  if (card.emv.has('9F26') || card.emv.has('9F27')) throw protocolError('a magstripe with a cryptogram');
  const known = common(entryMode, card);
  return { ...known, aid: '', appName: brandOfNumber(known.maskedPan) ?? '' };
}

function common(entryMode: CardEntryMode, { emv, maskedPan, encrypted }: CardData) {
  if (maskedPan === undefined) throw protocolError('no masked card number');
  if (!encrypted) throw protocolError('nothing encrypted');
  return { entryMode, maskedPan, emv, encrypted: { scheme: 'TDES-DUKPT', ...encrypted } } as const;
}
