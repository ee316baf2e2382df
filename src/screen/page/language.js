import { labelIn } from './label.js';
import { words as english } from './words-en.js';
import { words as chinese } from './words-zh-hant.js';

/** The names of the kinds are in the terminal's table of kinds. */
const kindNames = await (await fetch('kind-names.json')).json();

const languages = [english, chinese].map((each) => ({ ...each, kinds: labelIn(each, kindNames) }));
const key = 'language';

/** A browser that stores nothing (a kiosk's private mode) still changes the language, until it is restarted. */
let chosen = languages.find(({ lang }) => lang === remembered()) ?? languages[0];

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
  return languages[(languages.indexOf(chosen) + 1) % languages.length];
}

export function changeLanguage() {
  chosen = otherWords();
  try {
    localStorage.setItem(key, chosen.lang);
  } catch {
    // The choice is not stored.
  }
}
