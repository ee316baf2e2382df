import type { IssuerDecision } from '../../card/chip.ts';
import type { Pty } from '../../pty.ts';
import type { PinResult } from '../pin-pad.ts';
import { Reader, type ReaderOptions } from '../reader.ts';
import type { Carrier } from '../reports/port.ts';
import type { ReaderState } from '../state.ts';
import type { Meeting } from '../transaction.ts';
import { cardAnswer } from './card-answer.ts';
import { Commands } from './commands.ts';
import { identityAnswers } from './identity.ts';
import { Line } from './line.ts';
import { pinAnswer } from './pin-request.ts';
import { status } from './status.ts';

export interface Neo2Options extends ReaderOptions {
  /** ASCII answer of 29-00. */
  readonly version?: string;
  /** ASCII answer of 09-03. */
  readonly firmware?: string;
  /** An incomplete frame is dropped this long after its last byte. */
  readonly frameGapMs?: number;
  /** The reader completes a chip itself (quick chip), instead of waiting for 60-12. */
  readonly quickChip?: boolean;
  /** The carrier of a `hidLine`'s reports. */
  readonly carrier?: Carrier;
}

export interface Neo2State extends ReaderState {
  /** The carrier of the reports; absent on a serial wire. */
  readonly carrier?: Carrier;
  readonly pollOnDemand: boolean;
  /**
   * The decision that the last chip received: 8A, and the tags of the issuer's objects. Absent if it received none.
   */
  readonly chipHeard?: { readonly responseCode: string; readonly objects: readonly string[] };
}

/** ID TECH's NEO2 reader on a serial wire, as the Interface Developer's Guide and fixtures/README.md describe it. */
export class Neo2Reader extends Reader {
  protected readonly line: Line;
  readonly #carrier: Carrier | undefined;
  readonly #commands: Commands;

  constructor(pty: Pty, options: Neo2Options) {
    super(pty, options, { goesOnAfterCollision: false, quickChip: options.quickChip });
    this.#carrier = options.carrier;
    this.line = new Line(pty, {
      findings: this.findings,
      frameGapMs: options.frameGapMs ?? 1000,
      obey: (command) => this.#commands.obey(command),
    });
    const { version = 'NEO2 simulator 1.0.0', firmware = 'NEO2-sim_1.0.0' } = options;
    this.#commands = new Commands({
      line: this.line,
      identity: identityAnswers(version, firmware),
      reading: this.reading,
      transaction: this.transaction,
      contact: this.contact,
      pinPad: this.pinPad,
      changed: this.changed,
      armed: () => this.announceArmed(),
    });
  }

  state(): Neo2State {
    const { heard } = this.contact;
    return {
      ...this.commonState(),
      ...(this.#carrier && { carrier: this.#carrier }),
      pollOnDemand: this.#commands.pollOnDemand,
      ...(heard && { chipHeard: heardOf(heard) }),
    };
  }

  protected reportMeeting(meeting: Meeting): void {
    const answer = cardAnswer(meeting);
    this.line.answer(0x02, answer.status, answer.data);
  }

  protected reportPin(result: PinResult): void {
    const answer = pinAnswer(result);
    this.line.answer(0x62, answer.status, answer.data);
  }

  /** A removed chip ends the PIN entry that was requested for it. */
  protected reportRemoval(): void {
    if (!this.contact.waits || !this.pinPad.asking) return;
    this.pinPad.off();
    this.line.answer(0x62, status.failed);
  }

  protected forget(): void {
    this.#commands.forget();
  }
}

function heardOf({ responseCode, authenticationData, scripts }: IssuerDecision): NonNullable<Neo2State['chipHeard']> {
  return { responseCode, objects: [...(authenticationData ? ['91'] : []), ...scripts.map(({ tag }) => tag)] };
}
