import { printedNames } from '../base/domain/kind-names.ts';
import type { ReceiptLanguage } from '../base/domain/receipt-language.ts';
import type { LanguageWords, Words } from './words.ts';
import { wordsEn } from './words-en.ts';
import { wordsZhHant } from './words-zh-hant.ts';

/** The languages of labels and outcomes. Texts of the shop, the card and the host are not translated. */
const languages = { en: wordsEn, 'zh-Hant': wordsZhHant } as const satisfies Readonly<
  Record<ReceiptLanguage, LanguageWords>
>;

export function wordsOf(language: ReceiptLanguage = 'en'): Words {
  return { ...languages[language], kinds: printedNames(language) };
}
