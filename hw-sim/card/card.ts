import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

export const cardBrands = ['VISA', 'MASTER', 'AMEX', 'JCB', 'UNIONPAY'] as const;

const cardsMax = 200;

const hex = z.string().regex(/^(?:[0-9A-F]{2})+$/, 'upper-case hex, whole bytes');
const hexOf = (bytes: number) => hex.length(2 * bytes);

const fields = z.strictObject({
  /** Where the card number is published as a test number. */
  source: z.string().min(1),
  /** What is assumed about this card, in a sentence. */
  note: z.string().optional(),
  brand: z.enum(cardBrands),
  /** Application identifier, 84. */
  aid: hex.min(10).max(32),
  /** Application label, 50. */
  label: z.string().regex(/^[ -~]{1,16}$/),
  /** Application preferred name, 9F12. */
  preferredName: z
    .string()
    .regex(/^[ -~]{1,16}$/)
    .optional(),
  /** Card number, 5A: a published test number. */
  pan: z
    .string()
    .regex(/^\d{13,19}$/)
    .refine(luhn, 'fails the Luhn check'),
  /** PAN sequence number, 5F34. */
  panSequenceNumber: z.string().regex(/^\d\d$/),
  /** YYMM. */
  expiry: z.string().regex(/^\d\d(?:0[1-9]|1[0-2])$/),
  serviceCode: z.string().regex(/^\d{3}$/),
  /** 5F20. It never leaves the reader in the clear. */
  cardholderName: z.string().regex(/^[ -~]{2,26}$/),
  /** Digits of track 2 after the service code. */
  track2Discretionary: z.string().regex(/^\d{0,16}$/),
  /** The issuer's master key for application cryptograms, IMK-AC: a published test key, two DES keys. */
  testKeyImkAc: hexOf(16),
  cryptogram: z.strictObject({
    /** How the key and the padding come about; 'CVN18' stands for every version with the common session key. */
    scheme: z.enum(['CVN10', 'CVN18']),
    /** The cryptogram version number as 9F10 carries it. */
    version: hexOf(1),
    /** Issuer application data, 9F10. */
    issuerApplicationData: hex.max(64),
    /** The bytes of 9F10 that the cryptogram covers after the common data elements: [from, to), counted from 0. */
    coveredIssuerData: z.tuple([z.int().min(0), z.int().max(32)]),
  }),
  /** Application interchange profile, 82. */
  aip: hexOf(2),
  /** Application version number, 9F09. */
  applicationVersion: hexOf(2),
  /** What cardholder verification comes to with this card, 9F34. */
  cvmResults: hexOf(3),
  /** Form factor indicator or third party data, 9F6E. */
  formFactor: hex.max(64).optional(),
});

/** A contactless test card as data. `name` is its file's name without '.json'. */
export interface Card extends Readonly<z.infer<typeof fields>> {
  readonly name: string;
}

/** Reads every card of a directory, sorted by name. Rejects, naming the file, where one is not a card. */
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
  const parsed = fields.safeParse(content);
  if (!parsed.success) throw new TypeError(`card ${name}: ${z.prettifyError(parsed.error)}`);
  return { name, ...parsed.data };
}

/** ISO/IEC 7812-1, annex B: every second digit from the right is doubled, its digits added. */
function luhn(pan: string): boolean {
  let sum = 0;
  for (let fromRight = 0; fromRight < pan.length; fromRight++) {
    const digit = Number(pan[pan.length - 1 - fromRight]);
    const value = fromRight % 2 === 1 ? digit * 2 : digit;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
