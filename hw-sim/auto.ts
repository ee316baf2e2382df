import type { Card } from './card/card.ts';

/** What the customer sees of a reader: whether it waits for a card, and where to hold one. */
export interface TapTarget {
  readonly armed: boolean;
  onArmed(listener: () => void): () => void;
  tap(card: Card): Promise<boolean>;
}

/**
 * Plays the customer, for demos and soaks: holds `card` there whenever the reader waits for one, and at once where it
 * waits already. Returns the way to stop.
 */
export function playCustomer(reader: TapTarget, card: Card): () => void {
  const tap = () => {
    // A tap that nobody read is not an error here: the payment was cancelled meanwhile.
    reader.tap(card).catch((error: unknown) => console.error('auto:', error));
  };
  const stop = reader.onArmed(tap);
  if (reader.armed) tap();
  return stop;
}
