import { randomBytes } from 'node:crypto';
import type { Card } from '../card/card.ts';
import { type DukptScheme, dukptScheme } from '../crypto/dukpt-scheme.ts';
import { Changes } from './changes.ts';
import { Contact, type ContactFaults } from './contact.ts';
import { Contactless, type ContactlessFaults } from './contactless.ts';
import { Findings, type Unexpected } from '../findings.ts';
import type { OutletFaults } from './outlet.ts';
import { PinPad, type PinResult } from './pin-pad.ts';
import { Reading, type ReadingOptions } from './reading.ts';
import { type Plug, type ReaderState, readerState } from './state.ts';
import { type Meeting, Transaction } from './transaction.ts';

/** The keys are required, the rest has a default. */
export interface ReaderOptions
  extends Pick<ReadingOptions, 'bdk' | 'ksn'>,
    Partial<Omit<ReadingOptions, 'bdk' | 'ksn'>> {
  /** Initial key serial number of the PIN pad, as long as `ksn`, under the same base derivation key. */
  readonly pinKsn?: Buffer;
}

/**
 * `collision`, `unsupported`, `overLimit` and `cardLost` affect the next contactless card, `chipFails` and
 * `cardRefuses` the next chip. The others affect the bytes on the wire. `false` cancels a fault; `unplug: false` plugs
 * the reader in again.
 */
export interface ReaderFault extends OutletFaults, ContactlessFaults, ContactFaults {
  readonly unplug?: boolean;
}

/** Properties in which reader families differ. */
export interface ReaderTraits {
  /** Whether the reader continues to wait after a collision. */
  readonly goesOnAfterCollision: boolean;
  /** The reader completes a chip itself (quick chip). */
  readonly quickChip?: boolean | undefined;
}

/** The reader's side of the wire, as far as faults and a loss of power need it. */
interface Wire {
  spoil(faults: OutletFaults): void;
  clearOutlet(): void;
  cut(): void;
  close(): void;
}

const holdMsDefault = 3000;

/** Devices of the same test key sets as the published vectors, but with other serial numbers. */
const pinKsnDefaults = {
  TDES: Buffer.from('FFFF9876543220E00000', 'hex'),
  AES: Buffer.from('123456789012345700000000', 'hex'),
} as const satisfies Record<DukptScheme['name'], Buffer>;

/**
 * A simulated card reader with antenna, slot, magnetic head and PIN pad. This class is the customer's and the test's
 * side of it; a subclass speaks the maker's protocol. Anything that a driver should not have sent is recorded in
 * `unexpected`, and never corrected.
 */
export abstract class Reader {
  protected readonly changed: () => void;
  protected readonly findings: Findings;
  protected readonly reading: Reading;
  protected readonly contactless: Contactless;
  protected readonly contact: Contact;
  protected readonly transaction: Transaction;
  protected readonly pinPad: PinPad;
  protected abstract readonly line: Wire;
  readonly #plug: Plug;
  readonly #changes = new Changes();
  readonly #armedListeners = new Set<() => void>();
  #closed = false;

  constructor(plug: Plug, options: ReaderOptions, { goesOnAfterCollision, quickChip }: ReaderTraits) {
    const { bdk, ksn, countryNumeric = '0344', now = () => new Date(), random = randomBytes } = options;
    const changed = this.#changes.happened;
    const reading = new Reading({ bdk, ksn, countryNumeric, now, random });
    this.#plug = plug;
    this.changed = changed;
    this.findings = new Findings({ now, onChange: changed, toHex: (bytes) => bytes.toString('hex') });
    this.reading = reading;
    this.contactless = new Contactless(reading, changed);
    this.contact = new Contact(reading, changed, quickChip);
    this.transaction = new Transaction({
      reading,
      contactless: this.contactless,
      contact: this.contact,
      met: (meeting) => this.reportMeeting(meeting),
      goesOnAfterCollision,
      changed,
    });
    this.pinPad = new PinPad({
      bdk,
      ksn: options.pinKsn ?? pinKsnDefaults[dukptScheme(ksn).name],
      random,
      ended: (result) => this.reportPin(result),
      changed,
    });
  }

  /** Sends the result of waiting for a card. */
  protected abstract reportMeeting(meeting: Meeting): void;

  /** Sends the result of a PIN entry. */
  protected abstract reportPin(result: PinResult): void;

  /** Notifies the terminal that the card is about to leave the slot, if the protocol has a message for it. */
  protected abstract reportRemoval(): void;

  /** Resets the state that only this protocol has, at a loss of power. */
  protected abstract forget(): void;

  get armed(): boolean {
    return this.transaction.activation !== undefined;
  }

  get unexpected(): readonly Unexpected[] {
    return this.findings.list;
  }

  /** The part of the state that all readers have. */
  protected commonState(): ReaderState {
    const { transaction, contactless, contact, pinPad, reading } = this;
    return readerState({ plug: this.#plug, transaction, contactless, contact, pinPad, reading });
  }

  /** Called each time the reader begins to wait for a card. Returns a function that removes the listener. */
  onArmed(listener: () => void): () => void {
    this.#armedListeners.add(listener);
    return () => this.#armedListeners.delete(listener);
  }

  protected announceArmed(): void {
    for (const listener of this.#armedListeners) listener();
  }

  /** Called once `state()` or `unexpected` has changed and settled. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    return this.#changes.listen(listener);
  }

  /**
   * The customer holds the card to the antenna. True once a transaction has met the card, whatever the outcome, and
   * the customer takes it away. False if `holdMs` ended first, or another card took its place.
   */
  tap(card: Card, holdMs: number = holdMsDefault): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    const gone = this.contactless.hold(card, holdMs);
    this.transaction.meet();
    return gone;
  }

  /**
   * The customer puts the card into the slot. True once a transaction has met the card, whatever the outcome. False if
   * it was taken out first, or another card took its place. It stays until its transaction is over, or until `remove`.
   */
  insert(card: Card): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    this.#takeOut();
    const met = this.contact.insert(card);
    this.transaction.meet();
    return met;
  }

  /** The customer swipes the card. Whether a transaction has met it, whatever the outcome. */
  swipe(card: Card): Promise<boolean> {
    return Promise.resolve(this.transaction.swipe(card));
  }

  /** The customer takes the card from the antenna and out of the slot. */
  remove(): void {
    this.contactless.remove();
    this.#takeOut();
  }

  /**
   * The customer enters the PIN. False if none is awaited. Throws RangeError if the pad does not accept such a PIN.
   */
  enterPin(pin: string): boolean {
    return this.pinPad.enter(pin);
  }

  /** The customer presses a key that is not a digit. False if no PIN is awaited. */
  pressKey(key: 'CANCEL'): boolean {
    switch (key) {
      case 'CANCEL':
        return this.pinPad.pressCancel();
      default:
        return key satisfies never;
    }
  }

  async fault(fault: ReaderFault): Promise<void> {
    const { unplug } = fault;
    this.line.spoil(fault);
    this.contactless.spoil(fault);
    this.contact.spoil(fault);
    if (unplug === true) {
      this.#losePower();
      await this.#plug.unplug();
    }
    if (unplug === false) await this.#plug.plug();
    this.changed();
  }

  /**
   * Prepares for the next test: no card, no fault, no findings, plugged in. A running transaction or PIN entry
   * continues.
   */
  async reset(): Promise<void> {
    this.remove();
    this.line.clearOutlet();
    this.contactless.clearFaults();
    this.contact.clearFaults();
    this.transaction.forgetFailure();
    this.findings.clear();
    await this.#plug.plug();
    this.changed();
  }

  /** Releases every timer and listener. The caller closes the port. */
  close(): Promise<void> {
    this.#closed = true;
    this.line.close();
    this.#losePower();
    this.remove();
    this.#changes.close();
    return Promise.resolve();
  }

  #takeOut(): void {
    this.reportRemoval();
    this.contact.remove();
  }

  /** Without power only the keys remain. */
  #losePower(): void {
    this.transaction.disarm();
    this.transaction.forgetFailure();
    this.contact.end();
    this.pinPad.off();
    this.reading.forget();
    this.line.cut();
    this.forget();
  }
}
