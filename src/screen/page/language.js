import { labelIn } from './label.js';
import { style } from './style.js';
import { words as english } from './words-en.js';
import { words as portuguese } from './words-pt.js';
import { words as simplified } from './words-zh-hans.js';
import { words as traditional } from './words-zh-hant.js';

/** The names of the kinds are in the terminal's table of kinds, in the languages of its receipts. */
const kindNames = await (await fetch('kind-names.json')).json();

const known = [english, traditional, simplified, portuguese].map((each) => ({
  ...each,
  kinds: each.kinds ?? labelIn(each, kindNames),
}));
const languages = style.languages.map((name) => known.find(({ lang }) => lang.startsWith(name)));
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

/** The language that the button offers; undefined where there is no other. */
export function otherWords() {
  return languages.length > 1 ? languages[(languages.indexOf(chosen) + 1) % languages.length] : undefined;
}

export function changeLanguage() {
  chosen = otherWords() ?? chosen;
  try {
    localStorage.setItem(key, chosen.lang);
  } catch {
    // The choice is not stored.
  }
}
