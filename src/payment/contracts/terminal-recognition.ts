import type { AcquirerId } from '../../base/domain/identifiers.ts';

/**
 * What an answer of a host says about this terminal, whatever it says about the payment. isKnown: the host took the
 * message as one of a terminal of its own. Otherwise it does not know the terminal or its merchant, does not permit the
 * terminal to send the message, or has another key: the terminal was not commissioned correctly.
 */
export interface TerminalRecognition {
  readonly acquirerId: AcquirerId;
  readonly isKnown: boolean;
  /** The host's own code. */
  readonly hostCode: string;
}

export type RecognitionListener = (recognition: TerminalRecognition) => void;
