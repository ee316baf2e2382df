import type { CardInterface } from '../card/card.ts';
import type { Contact } from './contact.ts';
import type { Contactless } from './contactless.ts';
import type { PinPad } from './pin-pad.ts';
import type { Reading } from './reading.ts';
import type { Transaction } from './transaction.ts';

/** The observable state that all readers have. */
export interface ReaderState {
  readonly connected: boolean;
  /** A transaction is running and waits for a card. */
  readonly armed: boolean;
  /** The armed interfaces. */
  readonly interfaces?: readonly CardInterface[];
  /** Minor units, while armed. */
  readonly amountMinor?: string;
  readonly currencyNumeric?: string;
  readonly transactionType?: string;
  /** The card that is held to the antenna and not read yet. */
  readonly heldCard?: string;
  /** The card in the slot. */
  readonly insertedCard?: string;
  /** A card has given its first cryptogram, and the reader waits for the host's decision. */
  readonly chipWaits: boolean;
  /** `again`: the PIN is requested again, because the last one was wrong. */
  readonly pinPad: { readonly asking: boolean; readonly again: boolean };
  /** Key serial number of the last transaction. */
  readonly ksn: string;
  /** Key serial number of the last PIN. */
  readonly pinKsn: string;
  readonly cardsRead: number;
}

/** The connector of the reader's cable. */
export interface Plug {
  readonly plugged: boolean;
  plug(): Promise<void>;
  unplug(): Promise<void>;
}

export interface StateParts {
  readonly plug: Plug;
  readonly transaction: Transaction;
  readonly contactless: Contactless;
  readonly contact: Contact;
  readonly pinPad: PinPad;
  readonly reading: Reading;
}

export function readerState(parts: StateParts): ReaderState {
  const { plug, transaction, contactless, contact, pinPad, reading } = parts;
  const { activation } = transaction;
  return {
    connected: plug.plugged,
    armed: activation !== undefined,
    ...(activation && {
      interfaces: activation.interfaces,
      amountMinor: activation.amountMinor.toString(),
      currencyNumeric: activation.currencyNumeric,
      transactionType: activation.transactionType,
    }),
    ...(contactless.card && { heldCard: contactless.card.name }),
    ...(contact.card && { insertedCard: contact.card.name }),
    chipWaits: contact.waits,
    pinPad: { asking: pinPad.asking, again: pinPad.again },
    ksn: hex(reading.ksn),
    pinKsn: hex(pinPad.ksn),
    cardsRead: reading.count,
  };
}

function hex(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase();
}
