// The name of a mode or a scheme. Of one that this page has no word for, the terminal tells it.

/** `names`: those of the page, in the language of `words`. `labels`: of the view, by code and language. */
export function nameOf(code, names, words, labels = {}) {
  return Object.hasOwn(names, code) ? names[code] : (labelIn(words, labels[code]) ?? code);
}

/** 'zh-Hant-HK' has the words of 'zh-Hant'. */
export function labelIn({ lang }, label = {}) {
  return label[Object.keys(label).find((language) => lang.startsWith(language))];
}
