import type { AcquirerId } from '../../base/domain/identifiers.ts';

/**
 * Whether a host's answer shows that it knows this terminal, independent of the payment. isKnown: the host processed
 * the message as one of its own terminals. Otherwise it does not know the terminal or its merchant, does not permit the
 * terminal to send the message, or has another key: the terminal was not commissioned correctly.
 */
export interface TerminalRecognition {
  readonly acquirerId: AcquirerId;
  readonly isKnown: boolean;
  /** The host's own code. */
  readonly hostCode: string;
}

export type RecognitionListener = (recognition: TerminalRecognition) => void;
