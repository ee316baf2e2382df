import { type Card, hasInterface } from '../card/card.ts';
import { prefersChip } from '../card/track2.ts';
import type { Activation } from './activation.ts';
import type { ReadCard, Reading } from './reading.ts';

/** The result of a swipe. Undefined if the card has no stripe, or no stripe is awaited. */
export function swiped(
  card: Card,
  activation: Activation,
  reading: Reading,
  chipFailed: boolean,
): ReadCard | 'useChip' | undefined {
  const { interfaces, fallback } = activation;
  if (!interfaces.includes('stripe') || !hasInterface(card, 'stripe')) return undefined;
  if (!prefersChip(card)) return reading.stripe(card, false);
  if (chipFailed && fallback) return reading.stripe(card, true);
  if (interfaces.includes('chip')) return 'useChip';
  return reading.stripe(card, false);
}
