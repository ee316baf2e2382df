// The name of a mode or a scheme. The terminal sends one for what the page has no word for, or what is named otherwise.

/** `names`: the page's own, in the language of `words`. `labels`: those of the view, by code and language. */
export function nameOf(code, names, words, labels = {}) {
  return labelIn(words, labels[code]) ?? (Object.hasOwn(names, code) ? names[code] : code);
}

/** 'zh-Hant-HK' uses the words of 'zh-Hant'. A language without words of its own has the nearest one's. */
export function labelIn({ lang }, label = {}) {
  const own = Object.keys(label).find((language) => lang.startsWith(language));
  return label[own ?? (lang.startsWith('zh') ? 'zh-Hant' : 'en')];
}
