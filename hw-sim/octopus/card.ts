import { readFile } from 'node:fs/promises';
import * as z from 'zod';

/** Octopus counts in units of ten HKD cents. */
export const unitMinor = 10;

const cardsMax = 100;

const card = z.strictObject({
  name: z.string().min(1),
  cardId: z.string().regex(/^\d{8}$/, 'eight digits'),
  /** HKD cents. */
  balanceMinor: z.int().multipleOf(unitMinor),
  /** The library's code, for a card that it refuses. */
  code: z.int().min(100_000).max(199_999).exactOptional(),
});

const file = z.strictObject({
  source: z.string().min(1),
  cards: z
    .array(card)
    .max(cardsMax)
    .refine((cards) => new Set(cards.map(({ cardId }) => cardId)).size === cards.length, 'a card number twice')
    .refine((cards) => new Set(cards.map(({ name }) => name)).size === cards.length, 'a name twice'),
});

export interface OctopusCard extends Readonly<z.infer<typeof card>> {}

/** The cards of fixtures/octopus/cards.json, or of a file of that form. Rejects any other file. */
export async function loadOctopusCards(path: string | URL): Promise<readonly OctopusCard[]> {
  const parsed = file.safeParse(JSON.parse(await readFile(path, 'utf8')));
  if (!parsed.success) throw new TypeError(`Octopus cards: ${z.prettifyError(parsed.error)}`);
  return parsed.data.cards;
}
