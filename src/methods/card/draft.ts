import type { EncryptedPin } from '../../base/ports/pin-pad.ts';
import type { AcquirerHost, CardAtHand } from '../../payment/contracts/acquirer-host.ts';
import type { PresentedCard } from '../../base/ports/card-reader.ts';
import type { CardIntent } from '../../payment/events/intent.ts';

/** A card intent before its trace numbers are assigned. */
export type CardDraft = Omit<CardIntent, 'kind' | 'trace'> & { readonly invoice?: number };

export function cardAtHand(
  card: PresentedCard,
  { card: summary }: CardDraft,
  pin: EncryptedPin | undefined,
): CardAtHand {
  const { panSequenceNumber } = summary;
  return {
    entryMode: card.entryMode,
    ...(panSequenceNumber === undefined ? {} : { panSequenceNumber }),
    ksn: card.encrypted.ksn,
    encryptedPan: card.encrypted.pan,
    emv: card.emv,
    encryptedTrack2: card.encrypted.track2,
    ...(pin ? { pin } : {}),
  };
}

export function addressOf({ id, mid, tid }: AcquirerHost): Pick<CardDraft, 'acquirerId' | 'mid' | 'tid'> {
  return { acquirerId: id, mid, tid };
}
