import type { PinPad } from '../pin-pad.ts';
import type { Reading } from '../reading.ts';
import { notificationId, pinEnding, refusal, requestId, summary, touchscreen } from './codes.ts';
import type { Line } from './line.ts';
import type { Request } from './message.ts';
import type { Payment } from './payment.ts';
import { parsePin } from './pin-request.ts';
import { parseResume } from './resume-request.ts';
import { parseStart } from './start-request.ts';

export interface RequestParts {
  readonly line: Line;
  readonly reading: Reading;
  readonly payment: Payment;
  readonly pinPad: PinPad;
  /** DFDF25. */
  readonly serial: string;
  /** Called when the reader begins to wait for a card. */
  readonly armed: () => void;
}

/** Carries out the host's requests. */
export class Requests {
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  obey(request: Request): void {
    switch (request.id) {
      case requestId.start:
        this.#start(request);
        return;
      case requestId.resume:
        this.#resume(request);
        return;
      case requestId.cancel:
        this.#cancel(request);
        return;
      case requestId.pin:
        this.#askForPin(request);
        return;
      default:
        this.#parts.line.refuse(request, refusal.genericFailure, `${nameOf(request)} is not known here`);
    }
  }

  #start(request: Request): void {
    const { line, payment, armed } = this.#parts;
    if (this.#isBusy(request)) return;
    const activation = parseStart(request.payload);
    if (typeof activation === 'string') {
      line.refuse(request, refusal.badParameter, activation);
      return;
    }
    line.respond(request, summary.started);
    payment.start(activation);
    if (payment.activation !== undefined) armed();
  }

  #resume(request: Request): void {
    const { line, payment, serial } = this.#parts;
    if (!payment.waits) {
      line.refuse(request, refusal.noTransaction, '1004 without a card that waits for it');
      return;
    }
    const decision = parseResume(request.payload, serial);
    if (typeof decision === 'string') {
      line.refuse(request, refusal.badParameter, decision);
      return;
    }
    line.respond(request, summary.done);
    payment.conclude(decision);
  }

  /** If the transaction ended while the 1008 was on its way, the host did nothing wrong: no finding. */
  #cancel(request: Request): void {
    const { line, payment } = this.#parts;
    if (request.payload.length > 0) {
      line.refuse(request, refusal.badParameter, '1008 takes no data');
      return;
    }
    if (payment.activation === undefined && !payment.waits) {
      line.respond(request, summary.failed, refusal.noTransaction);
      return;
    }
    line.respond(request, summary.done);
    payment.cancel();
  }

  #askForPin(request: Request): void {
    const { line, pinPad, reading } = this.#parts;
    const asked = parsePin(request.payload);
    if (asked === undefined) {
      this.#endPin(request);
      return;
    }
    if (this.#isBusy(request)) return;
    if (typeof asked === 'string') {
      line.refuse(request, refusal.badParameter, asked);
      return;
    }
    const pan = reading.lastCard?.pan;
    if (pan === undefined) {
      // Assumed: without a card number no PIN block can be made.
      line.respond(request, summary.failedToStart, refusal.noTransaction);
      return;
    }
    if (pinPad.exhausted) {
      line.respond(request, summary.failedToStart, refusal.pinKeyNotMapped);
      return;
    }
    line.respond(request, summary.started);
    pinPad.ask(asked, pan);
  }

  /** If the PIN crossed it, the host did nothing wrong: no finding. The answer in that case is assumed. */
  #endPin(request: Request): void {
    const { line, pinPad } = this.#parts;
    if (!pinPad.asking) {
      line.respond(request, summary.failed, refusal.noTransaction);
      return;
    }
    pinPad.off();
    line.respond(request, summary.done);
    line.notify(notificationId.pinComplete, touchscreen, pinEnding.cancelled);
  }

  /** Refuses a request while another one is running, which continues. The host must know that. */
  #isBusy(request: Request): boolean {
    const { line, payment, pinPad } = this.#parts;
    const what = pinPad.asking
      ? '2001 was under way'
      : payment.waits
        ? 'a card waited for 1004'
        : payment.activation === undefined
          ? undefined
          : '1001 was under way';
    if (what === undefined) return false;
    line.refuse(request, refusal.inProgress, `${nameOf(request)} while ${what}`);
    return true;
  }
}

/** '1001': the manual's notation of commands. */
function nameOf({ id }: Request): string {
  return id.toString(16).padStart(4, '0');
}
