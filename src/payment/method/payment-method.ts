import type { Intent } from '../events/intent.ts';
import type { PresentedInstrument } from '../options/sale-option.ts';
import type { ScreenHint, Scene, ScreenAction, ScreenView } from '../contracts/screen.ts';
import type { CollectMode, PaymentScheme } from '../../base/domain/payment-scheme.ts';
import type {
  Answered,
  Authorization,
  Collecting,
  Presentation,
  Question,
  Withdrawal,
} from '../transaction/machine.ts';
import type { CollectingMode } from '../transaction/terminal-capabilities.ts';
import type { Written } from './commit-answer.ts';
import type { Order, SessionParts } from './order.ts';

/** The device that is armed for one payment. */
export class Arming {
  #armed: Promise<unknown> = Promise.resolve();

  arm<Outcome>(armed: Promise<Outcome>): Promise<Outcome> {
    this.#armed = armed;
    return armed;
  }

  /** Resolves once the device is disarmed. Never rejects. */
  async disarm(): Promise<void> {
    await this.#armed.catch(() => undefined);
  }
}

/** A step of collecting or asking: its name for status and events, and the scene that the screen shows meanwhile. */
export interface Step {
  readonly step: string;
  readonly scene: Scene;
  /** The device that the terminal waits for, as a message names it if it fails. */
  readonly device?: string;
}

/** How a method is collected on this terminal. */
export interface MethodMode extends CollectingMode, Step {
  /**
   * Collecting in this mode only arms a device, which moves no money. So it may begin while the acceptance of the
   * payment is being written.
   */
  readonly armsAhead?: true;
  /** Further questions that the customer may be asked. */
  readonly questions?: Readonly<Record<Question, Step>>;
}

/** A payment method: how it is collected, and how it handles one payment. */
export interface PaymentMethod {
  /** Its name in the log. */
  readonly name: string;
  /** In the order in which they are offered to the merchant. */
  readonly modes: readonly MethodMode[];
  /**
   * The mode in which the card (or other means) is presented again for a refund. Without it, a refund goes by its
   * original alone.
   */
  readonly refundMode?: CollectMode;
  /** Whether a payment with this intent was made by this method. */
  owns(intent: Intent): boolean;
  begin(order: Order, parts: SessionParts): MethodSession;
}

/**
 * A session that shows a code. The customer may pay by it at any moment, and only the host knows when that is no longer
 * possible.
 */
export interface CodeSession {
  /** Requests a code from the host; its intent is durable before. Rejects only if the intent could not be written. */
  present(scheme: PaymentScheme | undefined): Promise<Presentation>;
  /**
   * Resolves once the customer has paid, or can't pay any more. Writes nothing after the signal: `withdraw` does that.
   */
  awaitPayment(signal: AbortSignal): Promise<Withdrawal>;
  /**
   * Closes the order and finds out whether the customer had paid before. Rejects if the journal can't be read or
   * written.
   */
  withdraw(): Promise<Withdrawal>;
  /**
   * Enquires the closed orders of this payment once more, before it is charged by another method. If one was paid after
   * all, that is the outcome of the payment, and is durable. Resolves to undefined if none was paid, or if the host
   * does not answer. Rejects if the journal can't be written: then nothing may be charged.
   */
  findLatePayment(): Promise<Written | undefined>;
}

/**
 * One payment by one method. Only the session holds the data that the customer has presented; `forget` erases it. One
 * device is armed at a time.
 */
export interface MethodSession {
  /** Arms the devices of the mode. Rejects with DeviceError. After the signal its result is ignored. */
  collect(mode: CollectMode, signal: AbortSignal): Promise<Collecting>;
  ask?(question: Question, again: boolean, signal: AbortSignal): Promise<Answered>;
  /**
   * Handles an action on the screen. Returns the result if the action ends the current step, undefined if it does not
   * apply.
   */
  act?(action: ScreenAction): Answered | undefined;
  /**
   * Sends the collected data to the acquirer. Rejects only if the intent could not be written: then nothing was sent.
   */
  authorize(): Promise<Authorization>;
  /** As `authorize`, for an order that names an earlier payment of this method; nothing is presented. */
  authorizeByReference(): Promise<Authorization>;
  /** Lets the card complete after the host's answer. Called only after `authorize` returned `card`. */
  complete?(): Promise<Authorization>;
  /** Present only if `authorize` may return `waiting`, or if a mode shows a code. */
  readonly code?: CodeSession;
  /**
   * The presented card or code, if the amount of the payment can still change. Absent: this method's amount is final.
   */
  readonly presented?: PresentedInstrument | undefined;
  /** Continues with this order, which has another amount. The presented data is kept. */
  replan?(order: Order): void;
  /** Erases the presented data: it is collected again. */
  dropMeans?(): void;
  /** Resolves once no device is armed. Never rejects. */
  disarm(): Promise<void>;
  /** Erases the collected data, and releases a card that is held. Never rejects. */
  forget(): Promise<void>;
  /** The screen's content in this scene, which adds to or replaces the content for every payment. */
  details?(mode: CollectMode, scene: Scene): Partial<ScreenView>;
  /** The hint for the customer while the host or the customer is asked. */
  hintAt?(moment: 'atHost' | 'asking'): ScreenHint | undefined;
}
