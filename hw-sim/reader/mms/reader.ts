import type { PinResult } from '../pin-pad.ts';
import { Reader, type ReaderOptions } from '../reader.ts';
import type { Carrier, ReportPort } from '../reports/port.ts';
import type { ReaderState } from '../state.ts';
import type { Meeting } from '../transaction.ts';
import { notificationId, pinEnding, touchscreen } from './codes.ts';
import { Line } from './line.ts';
import { Payment } from './payment.ts';
import { pinData } from './pin-request.ts';
import { Requests } from './requests.ts';

export interface MmsOptions extends ReaderOptions {
  /** DFDF25, Latin-1. */
  readonly serial?: string;
}

export interface MmsState extends ReaderState {
  /** The carrier of the reports. */
  readonly carrier: Carrier;
  /** What the display shows for the last card, once the device has received the outcome. */
  readonly shown?: 'APPROVED' | 'DECLINED';
}

/** MagTek's MMS reader (DynaFlex) on HID reports, as its manual and fixtures/README.md describe it. */
export class MmsReader extends Reader {
  protected readonly line: Line;
  readonly #port: ReportPort;
  readonly #payment: Payment;

  constructor(port: ReportPort, options: MmsOptions) {
    super(port, options, { goesOnAfterCollision: true });
    const { serial = 'SIM000000000001' } = options;
    this.#port = port;
    this.line = new Line(port, { findings: this.findings, obey: (request) => requests.obey(request) });
    this.#payment = new Payment({
      line: this.line,
      transaction: this.transaction,
      contact: this.contact,
      serial,
      changed: this.changed,
    });
    const requests = new Requests({
      line: this.line,
      reading: this.reading,
      payment: this.#payment,
      pinPad: this.pinPad,
      serial,
      armed: () => this.announceArmed(),
    });
  }

  state(): MmsState {
    const { waits, shown } = this.#payment;
    return {
      ...this.commonState(),
      carrier: this.#port.carrier,
      chipWaits: waits,
      ...(shown && { shown }),
    };
  }

  protected reportMeeting(meeting: Meeting): void {
    this.#payment.reportMeeting(meeting);
  }

  protected reportPin(result: PinResult): void {
    const { kind } = result;
    const notify = (detail: number, payload?: Buffer): void =>
      this.line.notify(notificationId.pinComplete, touchscreen, detail, payload);
    switch (kind) {
      case 'pin':
        notify(pinEnding.done, pinData(result.ksn, result.block));
        return;
      case 'cancelKey':
        notify(pinEnding.cancelled);
        return;
      case 'timeout':
        notify(pinEnding.timedOut);
        return;
      case 'exhausted':
        // The reader has already refused the 2001.
        return;
      default:
        kind satisfies never;
    }
  }

  protected reportRemoval(): void {
    this.#payment.reportRemoval();
  }

  protected forget(): void {
    this.#payment.lose();
  }
}
