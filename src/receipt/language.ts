import type { ReceiptLanguage } from './document.ts';
import type { Words } from './words.ts';
import { wordsEn } from './words-en.ts';
import { wordsZhHant } from './words-zh-hant.ts';

const languages: Readonly<Record<ReceiptLanguage, Words>> = { en: wordsEn, 'zh-Hant': wordsZhHant };

export function wordsOf(language: ReceiptLanguage = 'en'): Words {
  return languages[language];
}
