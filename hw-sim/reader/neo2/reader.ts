import { randomBytes } from 'node:crypto';
import type { Card } from '../../card/card.ts';
import { type DukptScheme, dukptScheme } from '../../crypto/dukpt-scheme.ts';
import type { Pty } from '../../pty.ts';
import { Changes } from '../changes.ts';
import { Contact, type ContactFaults } from '../contact.ts';
import { Contactless, type ContactlessFaults } from '../contactless.ts';
import { Findings, type Unexpected } from '../findings.ts';
import type { OutletFaults } from '../outlet.ts';
import { PinPad } from '../pin-pad.ts';
import { Reading, type ReadingOptions } from '../reading.ts';
import type { Carrier } from '../reports/port.ts';
import { Transaction } from '../transaction.ts';
import { cardAnswer } from './card-answer.ts';
import { Commands } from './commands.ts';
import { identityAnswers } from './identity.ts';
import { Line } from './line.ts';
import { pinAnswer } from './pin-request.ts';
import { type Neo2State, stateOf } from './state.ts';
import { status } from './status.ts';

/** The keys are needed, the rest has a default. */
export interface Neo2Options extends Pick<ReadingOptions, 'bdk' | 'ksn'>, Partial<Omit<ReadingOptions, 'bdk' | 'ksn'>> {
  /** Initial key serial number of the PIN pad, as long as `ksn`, under the same base derivation key. */
  readonly pinKsn?: Buffer;
  /** ASCII answer of 29-00. */
  readonly version?: string;
  /** ASCII answer of 09-03. */
  readonly firmware?: string;
  /** A frame that does not go on for so long is given up. */
  readonly frameGapMs?: number;
  /** The reader ends a chip's part by itself (quick chip), instead of waiting for 60-12. */
  readonly quickChip?: boolean;
  /** What carries the reports of a `hidLine`. */
  readonly carrier?: Carrier;
}

/**
 * `collision`, `unsupported`, `overLimit` and `cardLost` meet the next card that is held there, `chipFails` and `cardRefuses` the next chip; the
 * others meet bytes. `false` takes one back, `unplug: false` plugs the reader in again.
 */
export interface Neo2Fault extends OutletFaults, ContactlessFaults, ContactFaults {
  readonly unplug?: boolean;
}

const holdMsDefault = 3000;

/** Other devices of the same test key sets than those that the published vectors are of. */
const pinKsnDefaults = {
  TDES: Buffer.from('FFFF9876543220E00000', 'hex'),
  AES: Buffer.from('123456789012345700000000', 'hex'),
} as const satisfies Record<DukptScheme['name'], Buffer>;

/**
 * ID TECH's NEO2 reader on a serial wire, with antenna, slot, stripe head and PIN pad, as the Interface Developer's Guide
 * and fixtures/README.md have it. Whatever a driver should not have sent is recorded in `unexpected` and not mended.
 */
export class Neo2Reader {
  readonly #pty: Pty;
  readonly #carrier: Carrier | undefined;
  readonly #changes = new Changes();
  readonly #armedListeners = new Set<() => void>();
  readonly #findings: Findings;
  readonly #line: Line;
  readonly #reading: Reading;
  readonly #contactless: Contactless;
  readonly #contact: Contact;
  readonly #transaction: Transaction;
  readonly #pinPad: PinPad;
  readonly #commands: Commands;
  #closed = false;

  constructor(pty: Pty, options: Neo2Options) {
    const { bdk, ksn, countryNumeric = '0344', now = () => new Date(), random = randomBytes } = options;
    const changed = this.#changes.happened;
    this.#pty = pty;
    this.#carrier = options.carrier;
    this.#findings = new Findings(now, changed);
    this.#line = new Line(pty, {
      findings: this.#findings,
      frameGapMs: options.frameGapMs ?? 1000,
      obey: (command) => this.#commands.obey(command),
    });
    const reading = new Reading({ bdk, ksn, countryNumeric, now, random });
    this.#reading = reading;
    this.#contactless = new Contactless(reading, changed);
    this.#contact = new Contact(reading, changed, options.quickChip);
    this.#transaction = new Transaction({
      reading,
      contactless: this.#contactless,
      contact: this.#contact,
      met: (meeting) => {
        const answer = cardAnswer(meeting);
        this.#line.answer(0x02, answer.status, answer.data);
      },
      goesOnAfterCollision: false,
      changed,
    });
    this.#pinPad = new PinPad({
      bdk,
      ksn: options.pinKsn ?? pinKsnDefaults[dukptScheme(ksn).name],
      random,
      ended: (result) => {
        const answer = pinAnswer(result);
        this.#line.answer(0x62, answer.status, answer.data);
      },
      changed,
    });
    const { version = 'NEO2 simulator 1.0.0', firmware = 'NEO2-sim_1.0.0' } = options;
    this.#commands = new Commands({
      line: this.#line,
      identity: identityAnswers(version, firmware),
      reading,
      transaction: this.#transaction,
      contact: this.#contact,
      pinPad: this.#pinPad,
      changed,
      armed: () => {
        for (const listener of this.#armedListeners) listener();
      },
    });
  }

  get armed(): boolean {
    return this.#transaction.activation !== undefined;
  }

  get unexpected(): readonly Unexpected[] {
    return this.#findings.entries;
  }

  state(): Neo2State {
    return stateOf({
      connected: this.#pty.plugged,
      carrier: this.#carrier,
      pollOnDemand: this.#commands.pollOnDemand,
      activation: this.#transaction.activation,
      contactless: this.#contactless,
      contact: this.#contact,
      pinPad: this.#pinPad,
      reading: this.#reading,
    });
  }

  /** Called each time the reader begins to wait for a card. Returns the way to stop listening. */
  onArmed(listener: () => void): () => void {
    this.#armedListeners.add(listener);
    return () => this.#armedListeners.delete(listener);
  }

  /** Called once `state()` or `unexpected` has changed and settled. Returns the way to stop listening. */
  onChange(listener: () => void): () => void {
    return this.#changes.listen(listener);
  }

  /**
   * The customer holds the card there: true once a transaction has met it, whatever came of it, and the customer takes
   * it away; false when `holdMs` ended before, or another card took its place.
   */
  tap(card: Card, holdMs: number = holdMsDefault): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    const gone = this.#contactless.hold(card, holdMs);
    this.#transaction.meet();
    return gone;
  }

  /**
   * The customer puts the card into the slot: true once a transaction has met it, whatever came of it; false when it was
   * taken out before, or another took its place. It stays in until its transaction is over, or `remove`.
   */
  insert(card: Card): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    const met = this.#contact.insert(card);
    this.#transaction.meet();
    return met;
  }

  /** The customer draws the card through the reader: whether a transaction has met it, whatever came of it. */
  swipe(card: Card): Promise<boolean> {
    return Promise.resolve(this.#transaction.swipe(card));
  }

  /** The customer takes the card away, from the antenna and out of the slot: a PIN is then asked for no more. */
  remove(): void {
    this.#contactless.remove();
    if (this.#contact.waits && this.#pinPad.asking) {
      this.#pinPad.off();
      this.#line.answer(0x62, status.failed);
    }
    this.#contact.remove();
  }

  /** The customer enters the PIN: false where none is asked for. Throws RangeError where the pad takes no such PIN. */
  enterPin(pin: string): boolean {
    return this.#pinPad.enter(pin);
  }

  /** The customer presses a key that is no digit: false where no PIN is asked for. */
  pressKey(key: 'CANCEL'): boolean {
    switch (key) {
      case 'CANCEL':
        return this.#pinPad.pressCancel();
      default:
        return key satisfies never;
    }
  }

  async fault(fault: Neo2Fault): Promise<void> {
    const { unplug } = fault;
    this.#line.spoil(fault);
    this.#contactless.spoil(fault);
    this.#contact.spoil(fault);
    if (unplug === true) {
      this.#loseState();
      await this.#pty.unplug();
    }
    if (unplug === false) await this.#pty.plug();
    this.#changes.happened();
  }

  /** Clean slate for the next test: no card, no fault, nothing recorded, plugged in. What was asked for still is. */
  async reset(): Promise<void> {
    this.remove();
    this.#line.clearOutlet();
    this.#contactless.clearFaults();
    this.#contact.clearFaults();
    this.#transaction.forgetFailure();
    this.#findings.clear();
    await this.#pty.plug();
    this.#changes.happened();
  }

  /** Lets go of every timer and listener. The pty is the caller's. */
  close(): Promise<void> {
    this.#closed = true;
    this.remove();
    this.#loseState();
    this.#line.close();
    this.#changes.close();
    return Promise.resolve();
  }

  /** Without power nothing is left but the keys. */
  #loseState(): void {
    this.#transaction.disarm();
    this.#transaction.forgetFailure();
    this.#contact.end();
    this.#pinPad.off();
    this.#reading.forget();
    this.#line.cut();
    this.#commands.forget();
  }
}
