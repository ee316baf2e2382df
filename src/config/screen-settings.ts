import * as z from 'zod';
import { currencyCodes } from '../domain/currency.ts';
import { readerPositions, screenLanguages } from '../domain/screen-style.ts';

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
};
