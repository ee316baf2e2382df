import * as z from 'zod';

export const cardBrands = ['VISA', 'MASTER', 'AMEX', 'JCB', 'UNIONPAY', 'EPS'] as const;

/** How a card can be read: tapped, inserted, swiped. */
export const cardInterfaces = ['contactless', 'chip', 'stripe'] as const;
export type CardInterface = (typeof cardInterfaces)[number];

const hex = z.string().regex(/^(?:[0-9A-F]{2})+$/, 'upper-case hex, whole bytes');
const hexOf = (bytes: number) => hex.length(2 * bytes);

/** Fields of every card: embossed or on the stripe. */
const common = z.strictObject({
  /** Where the card number is published as a test number. */
  source: z.string().min(1),
  /** What is assumed about this card, in a sentence. */
  note: z.string().optional(),
  brand: z.enum(cardBrands),
  /** Card number, 5A: a published test number. */
  pan: z
    .string()
    .regex(/^\d{13,19}$/)
    .refine(luhn, 'fails the Luhn check'),
  /** YYMM. */
  expiry: z.string().regex(/^\d\d(?:0[1-9]|1[0-2])$/),
  serviceCode: z.string().regex(/^\d{3}$/),
  /** 5F20. It never leaves the reader in the clear. */
  cardholderName: z.string().regex(/^[ -~]{2,26}$/),
  /** Digits of track 2 after the service code. */
  track2Discretionary: z.string().regex(/^\d{0,16}$/),
  /** The PIN that the issuer accepts, an invented one. A card without it has no PIN. */
  testPin: z
    .string()
    .regex(/^\d{4,12}$/)
    .exactOptional(),
});

/** A card that has only a stripe. */
export const stripeCardFields = common.extend({ interfaces: z.tuple([z.literal('stripe')]) });

/** A card with a chip: contact, contactless, or both. */
export const chipCardFields = common.extend({
  interfaces: z
    .array(z.enum(cardInterfaces))
    .refine((names) => new Set(names).size === names.length, 'names an interface twice')
    .refine((names) => names.some((name) => name !== 'stripe'), 'a card with a chip has an interface to it')
    .default([...cardInterfaces]),
  /** Application identifier, 84. */
  aid: hex.min(10).max(32),
  /** Application label, 50. */
  label: z.string().regex(/^[ -~]{1,16}$/),
  /** Application preferred name, 9F12. */
  preferredName: z
    .string()
    .regex(/^[ -~]{1,16}$/)
    .optional(),
  /** PAN sequence number, 5F34. */
  panSequenceNumber: z.string().regex(/^\d\d$/),
  /** The issuer's master key for application cryptograms, IMK-AC: a published test key, two DES keys. */
  testKeyImkAc: hexOf(16),
  cryptogram: z.strictObject({
    /** Key derivation and padding; 'CVN18' stands for every version with the common session key. */
    scheme: z.enum(['CVN10', 'CVN18']),
    /** The cryptogram version number as 9F10 carries it. */
    version: hexOf(1),
    /** Issuer application data, 9F10, as in the card's first cryptogram. */
    issuerApplicationData: hex.max(64),
    /** The bytes of 9F10 that the cryptogram covers after the common data elements: [from, to), counted from 0. */
    coveredIssuerData: z.tuple([z.int().min(0), z.int().max(32)]),
  }),
  /**
   * The byte of 9F10, counted from 0, whose two highest bits give the kind of the second cryptogram (10: none yet).
   */
  verificationResultsAt: z.int().min(0).max(31),
  /** Application interchange profile, 82. */
  aip: hexOf(2),
  /** Application version number, 9F09. */
  applicationVersion: hexOf(2),
  /** CVM results of this card, 9F34. */
  cvmResults: hexOf(3),
  /** The same for contactless, if different: no PIN reaches a contactless chip. */
  contactlessCvmResults: hexOf(3).exactOptional(),
  /** Form factor indicator or third party data, 9F6E. */
  formFactor: hex.max(64).optional(),
});

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
