import type { Account } from '../../domain/account.ts';
import type { CardDecision, PresentedCard } from '../../ports/card-reader.ts';
import type { EncryptedPin } from '../../ports/pin-pad.ts';

/** What the cardholder has given so far. It is in no context, no journal and no log, and is forgotten with its payment. */
export class Collected {
  card: PresentedCard | undefined;
  /** What the card's slot, or the reader's display, waits for, once the host has answered. */
  decision: CardDecision | undefined;
  /** By its contacts only: its issuer says so, or the reader's limit for cards that are held there. */
  chipWanted = false;
  account: Account | undefined;
  pin: EncryptedPin | undefined;

  /** Once more where the last one was wrong. */
  enter(pin: EncryptedPin): void {
    this.pin?.block.fill(0);
    this.pin = pin;
  }

  /** The card is to come again, into the slot: what was read of it, if anything, is overwritten. */
  wantChip(): void {
    this.#dropCard();
    this.chipWanted = true;
  }

  /** Forgets it all. What could be read again is overwritten first. */
  forget(): void {
    this.#dropCard();
    this.pin?.block.fill(0);
    this.decision = undefined;
    this.chipWanted = false;
    this.account = undefined;
    this.pin = undefined;
  }

  #dropCard(): void {
    this.card?.encrypted.track2.fill(0);
    this.card = undefined;
  }
}
