import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { type CardInterface, chipCardFields, stripeCardFields } from './card-fields.ts';

export type { CardInterface } from './card-fields.ts';

const cardsMax = 200;

/** `name` is the card's file without '.json'. */
export interface ChipCard extends Readonly<z.infer<typeof chipCardFields>> {
  readonly name: string;
}

export interface StripeCard extends Readonly<z.infer<typeof stripeCardFields>> {
  readonly name: string;
}

/** A test card as data. */
export type Card = ChipCard | StripeCard;

export function hasChip(card: Card): card is ChipCard {
  return 'aid' in card;
}

/** Whether the card can be read that way. */
export function hasInterface(card: Card, name: CardInterface): boolean {
  const names: readonly CardInterface[] = card.interfaces;
  return names.includes(name);
}

/** Reads every card of a directory, sorted by name. Rejects with the file's name if one is not a card. */
export async function loadCards(dir: string): Promise<Map<string, Card>> {
  const files = (await readdir(dir)).filter((file) => file.endsWith('.json')).sort();
  if (files.length > cardsMax) throw new RangeError(`${files.length} cards in ${dir}, at most ${cardsMax} are taken`);
  const cards = new Map<string, Card>();
  for (const file of files) {
    const name = path.basename(file, '.json');
    cards.set(name, parseCard(name, await readFile(path.join(dir, file), 'utf8')));
  }
  return cards;
}

export function parseCard(name: string, json: string): Card {
  let content: unknown;
  try {
    content = JSON.parse(json);
  } catch (cause) {
    throw new TypeError(`card ${name} is not JSON`, { cause });
  }
  // Not a union of both schemas: its error message could be about the wrong one.
  const parsed = saysStripeOnly(content) ? stripeCardFields.safeParse(content) : chipCardFields.safeParse(content);
  if (!parsed.success) throw new TypeError(`card ${name}: ${z.prettifyError(parsed.error)}`);
  return { name, ...parsed.data };
}

const stripeOnly = z.object({ interfaces: z.tuple([z.literal('stripe')]) });

function saysStripeOnly(content: unknown): boolean {
  return stripeOnly.safeParse(content).success;
}
