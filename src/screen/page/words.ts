// The words of all languages, compared with those of English.
import type { KindWords } from './translated.ts';
import type { words as english } from './words-en.js';
import type { words as portuguese } from './words-pt.js';
import type { words as simplified } from './words-zh-hans.js';
import type { words as traditional } from './words-zh-hant.js';

type Slots<Word> = Word extends `${string}{${infer Slot}}${infer Rest}` ? Slot | Slots<Rest> : never;

/** The words of a language that have a slot which the English word does not have. */
type NewSlots<English, Own> = {
  [Name in keyof English & keyof Own]: English[Name] extends string
    ? Exclude<Slots<Own[Name]>, Slots<English[Name]>> extends never
      ? never
      : Name
    : NewSlots<English[Name], Own[Name]>;
}[keyof English & keyof Own];

type Others = typeof traditional | typeof simplified | typeof portuguese;
/** Nothing would be put into such a slot: an error here names the words. */
type WithoutNewSlots<Words extends never> = Words;
export type NoNewSlots = WithoutNewSlots<Others extends unknown ? NewSlots<typeof english, Others> : never>;

/** Those of the language that is shown. */
export type Words = WideTexts<typeof english> & { readonly kinds: KindWords };

type WideTexts<English> = {
  readonly [Name in keyof English]: English[Name] extends string ? string : WideTexts<English[Name]>;
};
