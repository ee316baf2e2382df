/** A device's feedback on an action. */
export interface Feedback {
  readonly of: 'deployment' | 'cancel' | 'confirmation';
  /** Of a confirmation, its answer: confirmed or denied. */
  readonly execution: string;
  readonly finished: string;
  readonly details: readonly string[];
}

/** DdiConfirmationFeedback. */
export function confirmationOf(body: string): Feedback {
  const { confirmation, details = [] } = JSON.parse(body) as { confirmation: string; details?: string[] };
  if (confirmation !== 'confirmed' && confirmation !== 'denied') throw new TypeError('neither confirmed nor denied');
  return { of: 'confirmation', execution: confirmation, finished: 'none', details };
}

/** DdiActionFeedback. Throws for what hawkBit's JSON mapping would refuse. */
export function feedbackOf(of: Feedback['of'], body: string): Feedback {
  const { status } = JSON.parse(body) as {
    status: { execution: string; result: { finished: string }; details?: string[] };
  };
  const { execution, result, details = [] } = status;
  return { of, execution, finished: result.finished, details };
}
