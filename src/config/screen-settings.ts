import * as z from 'zod';
import { currencyCodes } from '../base/domain/currency.ts';
import { readerPositions, screenContrasts, screenLanguages, screenTexts } from '../base/domain/screen-style.ts';

const sixDigits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i;

/** The contrast of a colour, '#0d2747', with white, 1 to 21 (WCAG 2.2, "contrast ratio"). Undefined for what is none. */
export function contrastWithWhite(colour: string): number | undefined {
  const found = sixDigits.exec(colour);
  if (!found) return undefined;
  const [red = 0, green = 0, blue = 0] = found.slice(1).map((part) => luminance(Number.parseInt(part, 16) / 255));
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

function luminance(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

/** Of a text (WCAG 2.2, 1.4.3): the amount is white on the band, and drawings stand on white. */
const contrastLeast = 4.5;

const colour = z
  .string()
  .refine((each) => contrastWithWhite(each) !== undefined, 'must be a colour of six digits, as #0d2747')
  .refine(
    (each) => (contrastWithWhite(each) ?? 21) >= contrastLeast,
    `must be darker: white on it can’t be read (a contrast of ${contrastLeast} at least)`,
  );

/** The screen's part of the configuration, besides its port and times. */
export const screenStyle = {
  currency: z.enum(currencyCodes).default('HKD').describe('currency of the amounts that the operator types'),
  languages: z
    .array(z.enum(screenLanguages))
    .min(1)
    .refine((each) => new Set(each).size === each.length, 'a language is named twice')
    .default(['en', 'zh-Hant', 'zh-Hans'])
    .describe('languages that the customer may choose, the first one shown at the start'),
  readerPosition: z
    .enum(readerPositions)
    .optional()
    .describe('where the customer finds the card reader, seen from the display'),
  contrast: z
    .enum(screenContrasts)
    .default('auto')
    .describe('high: black on white and thick lines; auto: where the browser’s system asks for more contrast'),
  text: z.enum(screenTexts).default('normal').describe('large: larger words for the customer'),
  sounds: z
    .boolean()
    .default(false)
    .describe('a sound with each outcome, and when a customer must do something at once; the browser must allow it'),
  colours: z
    .strictObject({
      band: colour.optional().describe('behind the amount; dark enough for white words'),
      accent: colour.optional().describe('of drawings; dark enough on white'),
    })
    .prefault({}),
  logo: z.string().min(1).optional().describe('a PNG or SVG for the idle screen, 256 KiB at most; PNG: 2048 dots'),
};
