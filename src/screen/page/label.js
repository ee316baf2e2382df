// The name of a mode or a scheme. The terminal sends one for a code without a word in the page, or with another name.
/** @import { Label, Labels, Words } from './types.ts' */

/**
 * `names`: the page's own, in the language of `words`. `labels`: those of the view, by code and language.
 * @type {(code: string, names: Label, words: Pick<Words, 'lang'>, labels?: Labels) => string}
 */
export function nameOf(code, names, words, labels = {}) {
  return labelIn(words, labels[code]) ?? wordOf(names, code) ?? code;
}

/**
 * The word for a code of the terminal, which may be newer than the page.
 * @type {(names: Label, code: string | undefined) => string | undefined}
 */
export function wordOf(names, code) {
  return code !== undefined && Object.hasOwn(names, code) ? names[code] : undefined;
}

/**
 * 'zh-Hant-HK' uses the words of 'zh-Hant'. A language without words of its own has the nearest one's.
 * @template Said
 * @param {Pick<Words, 'lang'>} words
 * @param {Readonly<Record<string, Said>>} [label]
 * @returns {Said | undefined}
 */
export function labelIn({ lang }, label = {}) {
  const own = Object.keys(label).find((language) => lang.startsWith(language));
  return label[own ?? (lang.startsWith('zh') ? 'zh-Hant' : 'en')];
}
