import { approves, type IssuerDecision } from '../../card/chip.ts';
import type { Activation } from '../activation.ts';
import type { Contact } from '../contact.ts';
import type { ReadCard } from '../reading.ts';
import type { Meeting, Transaction } from '../transaction.ts';
import { cardPayload, resultPayload } from './card-data.ts';
import { ending, information, notificationId, technology } from './codes.ts';
import type { Line } from './line.ts';

export interface PaymentParts {
  readonly line: Line;
  readonly transaction: Transaction;
  readonly contact: Contact;
  /** DFDF25. */
  readonly serial: string;
  readonly changed: () => void;
}

/** 9F27 of a certificate. */
const certificate = 0x40;

/** Objects of a contactless card's only cryptogram: the card has left the field, so there is no second one. */
const tappedLast = ['9F26', '9F27', '95'] as const;
const noStatusInformation = Buffer.alloc(2);

/** A transaction from 1001 to 0105: waiting for a card, then for the host, each step with its notification. */
export class Payment {
  readonly #parts: PaymentParts;
  /** A contactless card whose transaction waits for 1004. */
  #tapped: ReadCard | undefined;
  #shown: 'APPROVED' | 'DECLINED' | undefined;

  constructor(parts: PaymentParts) {
    this.#parts = parts;
  }

  get activation(): Activation | undefined {
    return this.#parts.transaction.activation;
  }

  /** A card has asked for authorization, and the reader waits for 1004. */
  get waits(): boolean {
    return this.#parts.contact.waits || this.#tapped !== undefined;
  }

  /** What the display shows for the last card. */
  get shown(): 'APPROVED' | 'DECLINED' | undefined {
    return this.#shown;
  }

  start(activation: Activation): void {
    this.#shown = undefined;
    this.#parts.transaction.arm(activation);
  }

  /** 1004, already answered. */
  conclude(decision: IssuerDecision): void {
    const tapped = this.#tapped;
    if (tapped !== undefined) {
      this.#await(undefined);
      const objects = new Map<string, Buffer>(
        tappedLast.map((tag) => [tag, tapped.objects.get(tag) ?? Buffer.alloc(0)]),
      );
      this.#result(technology.contactless, objects.set('9B', noStatusInformation), approves(decision));
      return;
    }
    const objects = this.#parts.contact.conclude(decision);
    if (objects === undefined) this.#end(technology.chip, ending.failed);
    else this.#result(technology.chip, objects, objects.get('9F27')?.[0] === certificate);
  }

  /** 1008, already answered. */
  cancel(): void {
    this.lose();
    this.#end(technology.none, ending.cancelled);
  }

  /** Ends the transaction without a notification. */
  lose(): void {
    this.#parts.transaction.disarm();
    this.#parts.contact.end();
    if (this.#tapped !== undefined) this.#await(undefined);
  }

  reportMeeting(meeting: Meeting): void {
    const { kind } = meeting;
    switch (kind) {
      case 'card':
        this.#present(meeting.read);
        return;
      case 'collision':
        this.#inform(technology.contactless, information.collision);
        return;
      case 'unsupported':
        this.#inform(technology.contactless, information.detected);
        this.#end(technology.contactless, ending.notAccepted);
        return;
      case 'overLimit':
        this.#inform(technology.contactless, information.detected);
        this.#end(technology.contactless, ending.useChip);
        return;
      case 'cardLost':
        this.#inform(technology.contactless, information.detected);
        this.#end(technology.contactless, ending.tryAgain);
        return;
      case 'useStripe':
        this.#inform(technology.chip, information.inserted);
        this.#end(technology.chip, ending.useStripe);
        return;
      case 'useChip':
        this.#end(technology.stripe, ending.useChip);
        return;
      case 'timeout':
        this.#end(technology.none, ending.timedOut);
        return;
      default:
        kind satisfies never;
    }
  }

  #present(read: ReadCard): void {
    const payload = cardPayload(this.#parts.serial, read);
    const { from } = read;
    switch (from) {
      case 'chip':
        this.#inform(technology.chip, information.inserted);
        this.#inform(technology.chip, information.authorization, payload);
        return;
      case 'contactless':
        this.#await(read);
        this.#inform(technology.contactless, information.detected);
        this.#inform(technology.contactless, information.authorization, payload);
        return;
      case 'stripe':
        this.#inform(technology.stripe, information.batch, payload);
        this.#end(technology.stripe, ending.approved);
        return;
      default:
        from satisfies never;
    }
  }

  /**
   * Assumed: the terminal is notified that the waiting chip was taken out, and the transaction ends with the host's
   * answer.
   */
  reportRemoval(): void {
    const { contact } = this.#parts;
    if (contact.waits && contact.card !== undefined) this.#inform(technology.chip, information.removed);
  }

  #result(what: number, objects: ReadonlyMap<string, Buffer>, approved: boolean): void {
    this.#inform(what, information.batch, resultPayload(this.#parts.serial, objects, approved));
    this.#shown = approved ? 'APPROVED' : 'DECLINED';
    this.#end(what, approved ? ending.approved : ending.declined);
  }

  #inform(what: number, detail: number, payload?: Buffer): void {
    this.#parts.line.notify(notificationId.information, what, detail, payload);
  }

  #end(what: number, detail: number): void {
    this.#parts.line.notify(notificationId.complete, what, detail);
  }

  #await(tapped: ReadCard | undefined): void {
    this.#tapped = tapped;
    this.#parts.changed();
  }
}
