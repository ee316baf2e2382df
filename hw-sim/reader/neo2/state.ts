import type { CardInterface } from '../../card/card.ts';
import type { IssuerDecision } from '../../card/chip.ts';
import type { Activation } from '../activation.ts';
import type { Contact } from '../contact.ts';
import type { Contactless } from '../contactless.ts';
import type { PinPad } from '../pin-pad.ts';
import type { Reading } from '../reading.ts';
import type { Carrier } from '../reports/port.ts';

/** What can be seen of the reader from outside. */
export interface Neo2State {
  readonly connected: boolean;
  /** What carries its reports; nothing on a serial wire. */
  readonly carrier?: Carrier;
  /** A transaction is under way and waits for a card. */
  readonly armed: boolean;
  readonly pollOnDemand: boolean;
  /** Where a card is waited for, while armed. */
  readonly interfaces?: readonly CardInterface[];
  /** Minor units, while armed. */
  readonly amountMinor?: string;
  readonly currencyNumeric?: string;
  readonly transactionType?: string;
  /** The card that is held to the reader and not read yet. */
  readonly heldCard?: string;
  /** The card in the slot. */
  readonly insertedCard?: string;
  /** A chip has given its first cryptogram, and the reader waits for 60-12. */
  readonly chipWaits: boolean;
  /** What the last chip heard: 8A, and the tags of the issuer's objects. Nothing where it heard none. */
  readonly chipHeard?: { readonly responseCode: string; readonly objects: readonly string[] };
  /** `again`: a PIN is asked for once more, because the last one was wrong. */
  readonly pinPad: { readonly asking: boolean; readonly again: boolean };
  /** Key serial number of the last transaction. */
  readonly ksn: string;
  /** Key serial number of the last PIN. */
  readonly pinKsn: string;
  readonly cardsRead: number;
}

export interface StateParts {
  readonly connected: boolean;
  readonly carrier: Carrier | undefined;
  readonly pollOnDemand: boolean;
  readonly activation: Activation | undefined;
  readonly contactless: Contactless;
  readonly contact: Contact;
  readonly pinPad: PinPad;
  readonly reading: Reading;
}

export function stateOf(parts: StateParts): Neo2State {
  const { connected, carrier, pollOnDemand, activation, contactless, contact, pinPad, reading } = parts;
  return {
    connected,
    ...(carrier && { carrier }),
    armed: activation !== undefined,
    pollOnDemand,
    ...(activation && {
      interfaces: activation.interfaces,
      amountMinor: activation.amountMinor.toString(),
      currencyNumeric: activation.currencyNumeric,
      transactionType: activation.transactionType,
    }),
    ...(contactless.card && { heldCard: contactless.card.name }),
    ...(contact.card && { insertedCard: contact.card.name }),
    chipWaits: contact.waits,
    ...(contact.heard && { chipHeard: heardOf(contact.heard) }),
    pinPad: { asking: pinPad.asking, again: pinPad.again },
    ksn: hex(reading.ksn),
    pinKsn: hex(pinPad.ksn),
    cardsRead: reading.count,
  };
}

function heardOf({ responseCode, authenticationData, scripts }: IssuerDecision): NonNullable<Neo2State['chipHeard']> {
  return { responseCode, objects: [...(authenticationData ? ['91'] : []), ...scripts.map(({ tag }) => tag)] };
}

function hex(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase();
}
