import type { Card } from './card/card.ts';

/** The reader as the customer uses it. */
export interface TapTarget {
  readonly armed: boolean;
  onArmed(listener: () => void): () => void;
  tap(card: Card): Promise<boolean>;
}

/**
 * Plays the customer, for demos and soaks: taps `card` whenever the reader waits for one, and at once if it already
 * waits. Returns a function that stops it.
 */
export function playCustomer(reader: TapTarget, card: Card): () => void {
  const tap = () => {
    // A tap that was not read is no error here: the payment was cancelled meanwhile.
    reader.tap(card).catch((error: unknown) => console.error('auto:', error));
  };
  const stop = reader.onArmed(tap);
  if (reader.armed) tap();
  return stop;
}
