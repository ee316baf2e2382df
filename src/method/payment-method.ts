import type { Intent } from '../events/intent.ts';
import type { ScreenHint, Scene, ScreenAction, ScreenView } from '../ports/screen.ts';
import type { CollectMode } from '../domain/entry-mode.ts';
import type { PaymentScheme } from '../domain/payment-scheme.ts';
import type {
  Answered,
  Authorization,
  Collecting,
  Presentation,
  Question,
  Withdrawal,
} from '../transaction/machine.ts';
import type { CollectingMode } from '../transaction/means.ts';
import type { Order, SessionParts } from './order.ts';

/** What goes on while something is collected or asked: its name for status and events, and what the screen shows meanwhile. */
export interface Step {
  readonly step: string;
  readonly scene: Scene;
  /** The device that is waited for, as a message names it where it fails. */
  readonly device?: string;
}

/** How a method is collected on this terminal. */
export interface MethodMode extends CollectingMode, Step {
  /** What may be asked of the customer beside. */
  readonly questions?: Readonly<Record<Question, Step>>;
}

/** A way to pay: what it can be collected with, and what it does with one payment. */
export interface PaymentMethod {
  /** How it is called in the log. */
  readonly name: string;
  /** In the order in which the merchant is offered them. */
  readonly modes: readonly MethodMode[];
  /** A refund of one of its payments asks for what had been presented then; without it goes by the original alone. */
  readonly refundMode?: CollectMode;
  /** Whether a payment was made with it. */
  owns(intent: Intent): boolean;
  begin(order: Order, parts: SessionParts): MethodSession;
}

/** A customer may see a code here, and pay by it: only its host knows when nobody can any more. */
export interface CodeSession {
  /** Asks the host for a code; its intent is durable before. Rejects only when that could not be written. */
  present(scheme: PaymentScheme | undefined): Promise<Presentation>;
  /** Until the customer has paid, or can't any more. After the signal nothing is written: that is for `withdraw`. */
  awaitPayment(signal: AbortSignal): Promise<Withdrawal>;
  /** Closes the order, and learns whether that came before the customer's payment. Rejects when the journal can't be read or written. */
  withdraw(): Promise<Withdrawal>;
}

/**
 * One payment by one method. What the customer has given is kept here alone, and is forgotten with `forget`. One device is armed at a time.
 */
export interface MethodSession {
  /** Arms what the mode needs. Rejects with DeviceError; after the signal what it comes to is not looked at. */
  collect(mode: CollectMode, signal: AbortSignal): Promise<Collecting>;
  ask?(question: Question, again: boolean, signal: AbortSignal): Promise<Answered>;
  /** What the merchant or the customer does on the screen, where it ends what is collected or asked. Nothing where it does not fit. */
  act?(action: ScreenAction): Answered | undefined;
  /** What was collected, to whoever decides on it. Rejects only when the intent could not be written: then nothing was sent. */
  authorize(): Promise<Authorization>;
  /** The same of an order that names an earlier payment of this method, where nobody presents anything. */
  authorizeByReference(): Promise<Authorization>;
  /** The last word of what was presented, after the host's. Only where `authorize` came to `card`. */
  complete?(): Promise<Authorization>;
  /** Only where `authorize` may come to `waiting`, or a mode shows a code. */
  readonly code?: CodeSession;
  /** Settles once no device waits for anything any more. Never rejects. */
  disarm(): Promise<void>;
  /** Forgets what was collected, and lets go of what is held. Never rejects. */
  forget(): Promise<void>;
  /** What the screen shows beside the scene. */
  details?(mode: CollectMode): Pick<ScreenView, 'interfaces' | 'accounts'>;
  /** What the customer is told while the host is asked, or a question is answered. */
  hintAt?(moment: 'atHost' | 'asking'): ScreenHint | undefined;
}
