// The name of a mode or a scheme. If the page has no word for it, the terminal sends one.

/** `names`: the page's own, in the language of `words`. `labels`: those of the view, by code and language. */
export function nameOf(code, names, words, labels = {}) {
  return Object.hasOwn(names, code) ? names[code] : (labelIn(words, labels[code]) ?? code);
}

/** 'zh-Hant-HK' uses the words of 'zh-Hant'. */
export function labelIn({ lang }, label = {}) {
  return label[Object.keys(label).find((language) => lang.startsWith(language))];
}
