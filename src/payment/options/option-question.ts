import type { ScreenAction, ScreenView } from '../contracts/screen.ts';

/** An answer: the amount that it adds, never negative, and data that only the option reads. */
export interface OptionAnswer {
  readonly addedMinor: bigint;
  readonly data: Readonly<Record<string, string>>;
}

/** The answer of a customer who declines. */
export const nothingAdded: OptionAnswer = { addedMinor: 0n, data: {} };

/**
 * The question of an option in one payment. All amounts are the terminal's: the page names one of those that it shows.
 */
export interface OptionQuestion {
  /** The steps of the status and the events, while it is answered and while the answer is written. */
  readonly steps: { readonly choosing: string; readonly keeping: string };
  /** How long an answer may take. */
  readonly timeoutMs: number;
  /** The answer if there is none in time. */
  readonly unanswered: OptionAnswer;
  /** The screen's content, with its scene. */
  readonly view: Pick<ScreenView, 'scene'> & Partial<ScreenView>;
  /**
   * Handles an action of the page. Returns the answer; or 'shown' if the question continues, with its whole time again;
   * or undefined if the action does not fit.
   */
  act(action: ScreenAction): OptionAnswer | 'shown' | undefined;
  /** This answer is not possible now. The question is asked again. */
  refuse(answer: OptionAnswer): void;
}
