import { randomBytes } from 'node:crypto';
import type { Card } from '../../card/card.ts';
import { Changes } from '../changes.ts';
import type { ContactFaults } from '../contact.ts';
import type { ContactlessFaults } from '../contactless.ts';
import { Findings, type Unexpected } from '../findings.ts';
import type { OutletFaults } from '../outlet.ts';
import { PinPad, type PinResult } from '../pin-pad.ts';
import { Reading, type ReadingOptions } from '../reading.ts';
import type { ReportPort } from '../reports/port.ts';
import { notificationId, pinEnding, touchscreen } from './codes.ts';
import { Line } from './line.ts';
import { Payment } from './payment.ts';
import { pinData } from './pin-request.ts';
import { Requests } from './requests.ts';
import { type MmsState, stateOf } from './state.ts';

/** The keys are needed, the rest has a default. */
export interface MmsOptions extends Pick<ReadingOptions, 'bdk' | 'ksn'>, Partial<Omit<ReadingOptions, 'bdk' | 'ksn'>> {
  /** Initial key serial number of the PIN pad, 10 bytes, under the same base derivation key. */
  readonly pinKsn?: Buffer;
  /** DFDF25, Latin-1. */
  readonly serial?: string;
}

/**
 * `collision`, `unsupported`, `overLimit` and `cardLost` meet the next card that is held there, `chipFails` and `cardRefuses` the next chip; the
 * others meet messages, `splitBytes` those of a stream. `false` takes one back, `unplug: false` plugs the reader in again.
 */
export interface MmsFault extends OutletFaults, ContactlessFaults, ContactFaults {
  readonly unplug?: boolean;
}

const holdMsDefault = 3000;

/** Another device of the same test key set than the one that the published vectors are of. */
const pinKsnDefault = Buffer.from('FFFF9876543220E00000', 'hex');

/**
 * MagTek's MMS reader (DynaFlex) on HID reports, with antenna, slot, stripe head and PIN pad, as its manual and
 * fixtures/README.md have it. Whatever a driver should not have sent is recorded in `unexpected` and not mended.
 */
export class MmsReader {
  readonly #port: ReportPort;
  readonly #changes = new Changes();
  readonly #armedListeners = new Set<() => void>();
  readonly #findings: Findings;
  readonly #line: Line;
  readonly #reading: Reading;
  readonly #payment: Payment;
  readonly #pinPad: PinPad;
  #closed = false;

  constructor(port: ReportPort, options: MmsOptions) {
    const { bdk, ksn, countryNumeric = '0344', now = () => new Date(), random = randomBytes } = options;
    const { serial = 'SIM000000000001' } = options;
    const changed = this.#changes.happened;
    this.#port = port;
    this.#findings = new Findings(now, changed);
    this.#line = new Line(port, { findings: this.#findings, obey: (request) => requests.obey(request) });
    this.#reading = new Reading({ bdk, ksn, countryNumeric, now, random });
    this.#payment = new Payment({
      line: this.#line,
      reading: this.#reading,
      serial,
      changed,
    });
    this.#pinPad = new PinPad({
      bdk,
      ksn: options.pinKsn ?? pinKsnDefault,
      ended: (result) => this.#tellPin(result),
      changed,
    });
    const requests = new Requests({
      line: this.#line,
      reading: this.#reading,
      payment: this.#payment,
      pinPad: this.#pinPad,
      serial,
      armed: () => {
        for (const listener of this.#armedListeners) listener();
      },
    });
  }

  get armed(): boolean {
    return this.#payment.activation !== undefined;
  }

  get unexpected(): readonly Unexpected[] {
    return this.#findings.entries;
  }

  state(): MmsState {
    return stateOf({ port: this.#port, payment: this.#payment, pinPad: this.#pinPad, reading: this.#reading });
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
    return this.#closed ? Promise.resolve(false) : this.#payment.tap(card, holdMs);
  }

  /**
   * The customer puts the card into the slot: true once a transaction has met it, whatever came of it; false when it was
   * taken out before, or another took its place. It stays in until its transaction is over, or `remove`.
   */
  insert(card: Card): Promise<boolean> {
    return this.#closed ? Promise.resolve(false) : this.#payment.insert(card);
  }

  /** The customer draws the card through the reader: whether a transaction has met it, whatever came of it. */
  swipe(card: Card): Promise<boolean> {
    return Promise.resolve(this.#payment.swipe(card));
  }

  /** The customer takes the card away, from the antenna and out of the slot. */
  remove(): void {
    this.#payment.remove();
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

  async fault(fault: MmsFault): Promise<void> {
    const { unplug } = fault;
    this.#line.spoil(fault);
    this.#payment.contactless.spoil(fault);
    this.#payment.contact.spoil(fault);
    if (unplug === true) {
      this.#loseState();
      await this.#port.unplug();
    }
    if (unplug === false) await this.#port.plug();
    this.#changes.happened();
  }

  /** Clean slate for the next test: no card, no fault, nothing recorded, plugged in. What was asked for still is. */
  async reset(): Promise<void> {
    this.remove();
    this.#line.clearOutlet();
    this.#payment.contactless.clearFaults();
    this.#payment.contact.clearFaults();
    this.#payment.forgetFailure();
    this.#findings.clear();
    await this.#port.plug();
    this.#changes.happened();
  }

  /** Lets go of every timer and listener. The port is the caller's. */
  close(): Promise<void> {
    this.#closed = true;
    this.#line.close();
    this.#loseState();
    this.remove();
    this.#changes.close();
    return Promise.resolve();
  }

  #tellPin(result: PinResult): void {
    const { kind } = result;
    const tell = (detail: number, payload?: Buffer): void =>
      this.#line.notify(notificationId.pinComplete, touchscreen, detail, payload);
    switch (kind) {
      case 'pin':
        tell(pinEnding.done, pinData(result.ksn, result.block));
        return;
      case 'cancelKey':
        tell(pinEnding.cancelled);
        return;
      case 'timeout':
        tell(pinEnding.timedOut);
        return;
      case 'exhausted':
        // 2001 was refused before.
        return;
      default:
        kind satisfies never;
    }
  }

  /** Without power nothing is left but the keys. */
  #loseState(): void {
    this.#payment.lose();
    this.#payment.forgetFailure();
    this.#pinPad.off();
    this.#reading.forget();
    this.#line.cut();
  }
}
