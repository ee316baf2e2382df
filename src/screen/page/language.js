import { words as english } from './words-en.js';
import { words as chinese } from './words-zh-hant.js';

const languages = [english, chinese];
const key = 'language';

/** A browser that stores nothing (a kiosk's private mode) still changes the language, until it is restarted. */
let chosen = languages.find(({ lang }) => lang === remembered()) ?? english;

function remembered() {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function words() {
  return chosen;
}

/** The language that the button offers. */
export function otherWords() {
  return languages.find((each) => each !== chosen) ?? english;
}

export function changeLanguage() {
  chosen = otherWords();
  try {
    localStorage.setItem(key, chosen.lang);
  } catch {
    // The choice is not stored.
  }
}
