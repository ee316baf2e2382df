import type { Account } from '../../base/domain/account.ts';
import type { CardDecision, PresentedCard } from '../../base/ports/card-reader.ts';
import type { EncryptedPin } from '../../base/ports/pin-pad.ts';

/** What the cardholder has given so far. It enters no context, journal or log, and is erased with its payment. */
export class Collected {
  card: PresentedCard | undefined;
  /** The host's decision, once known, for the card in the slot or for the reader's display. */
  decision: CardDecision | undefined;
  /**
   * The chip must be read through its contacts: the issuer requires it, or the reader's contactless limit is exceeded.
   */
  chipWanted = false;
  account: Account | undefined;
  pin: EncryptedPin | undefined;

  /** Stores the PIN block. Called again if the last PIN was wrong. */
  enter(pin: EncryptedPin): void {
    this.pin?.block.fill(0);
    this.pin = pin;
  }

  /** Asks for the card again, through its contacts. Track data already read is overwritten. */
  wantChip(): void {
    this.dropCard();
    this.chipWanted = true;
  }

  /** Erases everything. Buffers are overwritten first. */
  forget(): void {
    this.dropCard();
    this.pin?.block.fill(0);
    this.decision = undefined;
    this.chipWanted = false;
    this.account = undefined;
    this.pin = undefined;
  }

  /** Erases the card: it is presented again. Track data is overwritten. */
  dropCard(): void {
    this.card?.encrypted.track2.fill(0);
    this.card = undefined;
  }
}
