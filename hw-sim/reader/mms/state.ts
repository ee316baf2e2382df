import type { CardInterface } from '../../card/card.ts';
import type { PinPad } from '../pin-pad.ts';
import type { Reading } from '../reading.ts';
import type { Carrier, ReportPort } from '../reports/port.ts';
import type { Payment } from './payment.ts';

/** What can be seen of the reader from outside. */
export interface MmsState {
  readonly connected: boolean;
  /** What carries its reports. */
  readonly carrier: Carrier;
  /** A transaction is under way and waits for a card. */
  readonly armed: boolean;
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
  /** A card, in the slot or held there before, has given its first cryptogram, and the reader waits for 1004. */
  readonly chipWaits: boolean;
  /** What its display would show of the last card, once the device has heard what came of it. */
  readonly shown?: 'APPROVED' | 'DECLINED';
  /** `again`: a PIN is asked for once more, because the last one was wrong. */
  readonly pinPad: { readonly asking: boolean; readonly again: boolean };
  /** Key serial number of the last transaction. */
  readonly ksn: string;
  /** Key serial number of the last PIN. */
  readonly pinKsn: string;
  readonly cardsRead: number;
}

export interface StateParts {
  readonly port: ReportPort;
  readonly payment: Payment;
  readonly pinPad: PinPad;
  readonly reading: Reading;
}

export function stateOf({ port, payment, pinPad, reading }: StateParts): MmsState {
  const { activation, contactless, contact, shown } = payment;
  return {
    connected: port.plugged,
    carrier: port.carrier,
    armed: activation !== undefined,
    ...(activation && {
      interfaces: activation.interfaces,
      amountMinor: activation.amountMinor.toString(),
      currencyNumeric: activation.currencyNumeric,
      transactionType: activation.transactionType,
    }),
    ...(contactless.card && { heldCard: contactless.card.name }),
    ...(contact.card && { insertedCard: contact.card.name }),
    chipWaits: payment.waits,
    ...(shown && { shown }),
    pinPad: { asking: pinPad.asking, again: pinPad.again },
    ksn: hex(reading.ksn),
    pinKsn: hex(pinPad.ksn),
    cardsRead: reading.count,
  };
}

function hex(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase();
}
