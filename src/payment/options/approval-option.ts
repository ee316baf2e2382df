import type { Clock } from '../../base/ports/clock.ts';
import type { Journal } from '../contracts/journal.ts';
import type { Screen, ScreenAction, ScreenView } from '../contracts/screen.ts';
import type { TransactionRecord } from '../records/record.ts';

/** The parts that the question of an approval may use. */
export interface ApprovalParts {
  readonly journal: Pick<Journal, 'append' | 'takes'>;
  readonly screen: Pick<Screen, 'show'>;
  readonly clock: Clock;
  /** The screen's content for an outcome. */
  readonly outcomeView: (record: TransactionRecord) => ScreenView;
  /** The question has ended. `record`: the record with the answer. */
  readonly onEnd: (record: TransactionRecord) => void;
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/**
 * The question of an option once a payment is approved, durable, and reported to its POS. Its result never changes the
 * payment.
 */
export interface ApprovalQuestion {
  /** Asks about this approval, on the screen. False if it has no question: then it shows nothing. */
  ask(record: TransactionRecord): boolean;
  /** Handles an action of the page, which may send anything. One that does not fit is ignored. */
  act(action: ScreenAction): void;
  /** The next payment needs the screen, or the terminal stops: the question ends with the present answer. */
  interrupt(): void;
  /** Ends once everything is written. */
  close(): Promise<void>;
}

/** An option of this terminal that asks after the approval: a signature on the screen. */
export interface ApprovalOption {
  readonly name: string;
  readonly asks: 'approved';
  open(parts: ApprovalParts): ApprovalQuestion;
  /** Fields of GET /sp/v1/capabilities. */
  capabilities?(): Readonly<Record<string, unknown>>;
}
